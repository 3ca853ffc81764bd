"""Answers of the server to requests of its own pages, and refusals of all others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.serving import guard

Application = Callable[..., Iterable[bytes]]
Environ = dict[str, Any]
Answer = tuple[HTTPStatus, str, bytes]
"""Status, type and content of an answer."""

MAX_BODY = 256 * 1024
"""Bytes of a request as JSON."""

JSON, HTML, TEXT = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"

HEADERS = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
]
UNFRAMED = [*HEADERS, ("Content-Security-Policy", "frame-ancestors 'none'")]
SANDBOXED = [
    *HEADERS,
    ("Content-Security-Policy", "sandbox allow-scripts; frame-ancestors 'self'"),
]

log = logging.getLogger(__name__)


def send(answer: Answer, headers: list[tuple[str, str]], start_response: Any) -> list[bytes]:
    """Send an answer."""
    status, kind, content = answer
    described = [("Content-Type", kind), ("Content-Length", str(len(content)))]
    start_response(f"{status.value} {status.phrase}", [*described, *headers])
    return [content]


def guarded(
    environ: Environ,
    token: str,
    answer: Callable[[], Answer],
    too_many: type[ModeldocsError],
) -> Answer:
    """The answer to a request of our own page; a refusal to any other, before it is read.

    `too_many` is the error of a server that has enough to do.
    """
    if guard.is_foreign(environ):
        return failed(
            HTTPStatus.FORBIDDEN, Failure(reason="the request comes from another web page")
        )
    if not guard.has_token(environ, token):
        failure = Failure(reason="the server was started anew", fix="reload the page")
        return failed(HTTPStatus.FORBIDDEN, failure)
    try:
        return answer()
    except too_many as error:
        return failed(HTTPStatus.TOO_MANY_REQUESTS, Failure.of(error))
    except ModeldocsError as error:
        return failed(HTTPStatus.UNPROCESSABLE_ENTITY, Failure.of(error))
    except Exception:
        log.exception("a request failed")
        failure = Failure(reason="the server failed", fix="its log says where; report it")
        return failed(HTTPStatus.INTERNAL_SERVER_ERROR, failure)


def body(environ: Environ) -> bytes | Answer:
    """The body of a request, which must be JSON of bounded size; the refusal where it is not."""
    size = length(environ)
    if size is None or size > MAX_BODY:
        failure = Failure(reason="the request is too long", fix="reload the page")
        return failed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, failure)
    if environ.get("CONTENT_TYPE", "").partition(";")[0] != JSON:
        failure = Failure(reason="the request is not JSON", fix="reload the page")
        return failed(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, failure)
    content: bytes = environ["wsgi.input"].read(size)
    return content


def length(environ: Environ) -> int | None:
    """The bytes of a request's body; None where it does not tell them."""
    text = environ.get("CONTENT_LENGTH") or ""
    return int(text) if text.isdecimal() and len(text) < 16 else None


def failed(status: HTTPStatus, failure: Failure) -> Answer:
    """The answer that says why there is none."""
    return status, JSON, msgspec.json.encode({"failure": failure})
