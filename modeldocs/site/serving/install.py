"""Adding comparisons and edits to a development server, such as that of `mkdocs serve`."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from modeldocs.site.serving import guard
from modeldocs.site.serving.app import CompareApp
from modeldocs.site.serving.editing.app import EditApp
from modeldocs.site.serving.editing.source import FindSource
from modeldocs.site.serving.jobs import FindPort

log = logging.getLogger("mkdocs.plugins.modeldocs")


class Installed(NamedTuple):
    """What was added to a server."""

    compare: CompareApp
    edit: EditApp

    def close(self) -> None:
        """End what they run, and delete its files."""
        self.edit.close()
        self.compare.jobs.close()


def install(server: Any, find_port: FindPort, find_source: FindSource) -> Installed | None:
    """Put both around the application of a `wsgiref` server.

    None, and nothing is changed, where the server listens on an address that other machines can
    reach, or is of another kind.
    """
    host = getattr(server, "server_address", ("",))[0]
    if not hasattr(server, "set_app") or not guard.is_loopback(host):
        log.info(
            "modeldocs: files are compared, and networks edited, on a loopback address only, "
            f"not on {host}"
        )
        return None
    mount = getattr(server, "mount_path", "/")
    compare = CompareApp(server.get_app(), mount, find_port)
    edit = EditApp(compare, mount, find_source)
    server.set_app(edit)
    return Installed(compare, edit)
