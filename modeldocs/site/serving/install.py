"""Adding comparisons to a development server, such as that of `mkdocs serve`."""

from __future__ import annotations

import logging
from typing import Any

from modeldocs.site.serving import guard
from modeldocs.site.serving.app import CompareApp
from modeldocs.site.serving.jobs import FindPort

log = logging.getLogger("mkdocs.plugins.modeldocs")


def install(server: Any, find_port: FindPort) -> CompareApp | None:
    """Put a `CompareApp` around the application of a `wsgiref` server.

    None, and nothing is changed, where the server listens on an address that other machines can
    reach, or is of another kind.
    """
    host = getattr(server, "server_address", ("",))[0]
    if not hasattr(server, "set_app") or not guard.is_loopback(host):
        log.info(f"modeldocs: files are compared on a loopback address only, not on {host}")
        return None
    app = CompareApp(server.get_app(), getattr(server, "mount_path", "/"), find_port)
    server.set_app(app)
    return app
