"""Who may use the server: pages that it served itself, on this machine, and no other web page."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

TOKEN = "HTTP_X_MODELDOCS_TOKEN"

Environ = Mapping[str, Any]


def is_loopback(host: str) -> bool:
    """Whether a host, by name or address, is this machine for itself: `127.0.0.1`, `localhost`."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_local(environ: Environ) -> bool:
    """Whether a request names this machine in its header Host.

    A web page whose own name was made to lead here (DNS rebinding) sends that name.
    """
    try:
        host = urlsplit(f"//{environ.get('HTTP_HOST', '')}").hostname
    except ValueError:
        return False
    return host is not None and is_loopback(host)


def is_foreign(environ: Environ) -> bool:
    """Whether a request comes from another web page, or is addressed to another machine.

    Browsers say so themselves: by Host, by Origin and by Sec-Fetch-Site.
    """
    own = f"{environ['wsgi.url_scheme']}://{environ.get('HTTP_HOST', '')}"
    site = environ.get("HTTP_SEC_FETCH_SITE", "same-origin")
    return (
        not is_local(environ)
        or environ.get("HTTP_ORIGIN", own) != own
        or site not in ("same-origin", "none")
    )


def has_token(environ: Environ, token: str) -> bool:
    """Whether a request has the token that only pages of this server hold."""
    given = str(environ.get(TOKEN, "")).encode("utf-8", "replace")
    return hmac.compare_digest(given, token.encode())
