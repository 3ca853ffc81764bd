"""The WSGI application: comparisons below the page's address, everything else from the site.

- `POST compare/api/jobs`: a comparison as JSON (`request.ComparisonRequest`); its id
- `PUT compare/api/jobs/ID/a`: the file of side A (or b)
- `GET compare/api/jobs/ID`: its state (`job.JobState`)
- `DELETE compare/api/jobs/ID`: cancel it, and forget it
- `GET compare/reports/ID/NAME`: `report.html` or `diff.json`, once it is done

Reports are shown in frames and tabs, which send no token: their ids cannot be guessed. What a
report runs can reach nothing else of this server.
"""

from __future__ import annotations

import html
import logging
import re
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site import addresses
from modeldocs.site.serving import consent, guard, request
from modeldocs.site.serving.job import Job
from modeldocs.site.serving.jobs import FindPort, Jobs, TooManyError
from modeldocs.site.serving.plan import DIFF

Application = Callable[..., Iterable[bytes]]
Environ = dict[str, Any]
Answer = tuple[HTTPStatus, str, bytes]
"""Status, type and content of an answer."""

MAX_BODY = 256 * 1024
"""Bytes of a comparison as JSON."""

_JSON, _HTML, _TEXT = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"
_JOB = re.compile(r"jobs/([0-9a-f]{32})(?:/([ab]))?")
_REPORT = re.compile(r"([0-9a-f]{32})/([a-z.]+)")
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
]
_UNFRAMED = [*_HEADERS, ("Content-Security-Policy", "frame-ancestors 'none'")]
_SANDBOXED = [
    *_HEADERS,
    ("Content-Security-Policy", "sandbox allow-scripts; frame-ancestors 'self'"),
]

log = logging.getLogger(__name__)


class CompareApp:
    """The application. `mount` is the path of the site's home, with a slash at its end."""

    def __init__(self, site: Application, mount: str, find_port: FindPort) -> None:
        self.site = site
        self.page = f"{mount}{addresses.COMPARE}/"
        self.token = secrets.token_urlsafe(32)
        self.jobs = Jobs(find_port)

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        path, method = environ.get("PATH_INFO", ""), environ["REQUEST_METHOD"]
        below = path.removeprefix(self.page) if path.startswith(self.page) else None
        if below is not None and below.startswith("api/"):
            answer = self._guarded(environ, method, below.removeprefix("api/"))
            return _send(answer, _UNFRAMED, start_response)
        if below is not None and below.startswith("reports/"):
            answer = self._report(environ, below.removeprefix("reports/"))
            return _send(answer, _SANDBOXED, start_response)
        if below in ("", "index.html") and method == "GET" and guard.is_local(environ):
            return self._marked(environ, start_response)
        return self.site(environ, start_response)

    def _report(self, environ: Environ, path: str) -> Answer:
        """A file of a comparison that is done."""
        match = _REPORT.fullmatch(path)
        job = self.jobs.get(match[1]) if match and not guard.is_foreign(environ) else None
        if match is None or job is None or match[2] not in job.files:
            text = b"This report is no longer there: only the last few comparisons are kept."
            return HTTPStatus.NOT_FOUND, _TEXT, text
        return HTTPStatus.OK, _JSON if match[2] == DIFF else _HTML, job.files[match[2]]

    def _guarded(self, environ: Environ, method: str, path: str) -> Answer:
        """The answer to a request of our own page; a refusal to any other, before it is read."""
        if guard.is_foreign(environ):
            failure = Failure(reason="the request comes from another web page")
            return _failed(HTTPStatus.FORBIDDEN, failure)
        if not guard.has_token(environ, self.token):
            failure = Failure(reason="the server was started anew", fix="reload the page")
            return _failed(HTTPStatus.FORBIDDEN, failure)
        try:
            return self._answer(environ, method, path)
        except TooManyError as error:
            return _failed(HTTPStatus.TOO_MANY_REQUESTS, Failure.of(error))
        except ModeldocsError as error:
            return _failed(HTTPStatus.UNPROCESSABLE_ENTITY, Failure.of(error))
        except Exception:
            log.exception("a comparison failed")
            failure = Failure(reason="the server failed", fix="its log says where; report it")
            return _failed(HTTPStatus.INTERNAL_SERVER_ERROR, failure)

    def _answer(self, environ: Environ, method: str, path: str) -> Answer:
        if (method, path) == ("POST", "jobs"):
            return self._create(environ)
        match = _JOB.fullmatch(path)
        job = self.jobs.get(match[1]) if match else None
        if match is None or job is None:
            return _failed(HTTPStatus.NOT_FOUND, Failure(reason="there is no such comparison"))
        side = match[2]
        if method == "PUT" and side:
            return _receive(environ, job, side)
        if method == "DELETE" and not side:
            self.jobs.remove(match[1])
            return HTTPStatus.OK, _JSON, b"{}"
        if method == "GET" and not side:
            return HTTPStatus.OK, _JSON, msgspec.json.encode(job.state())
        return _failed(HTTPStatus.METHOD_NOT_ALLOWED, Failure(reason=f"{method} does nothing here"))

    def _create(self, environ: Environ) -> Answer:
        length = _length(environ)
        if length is None or length > MAX_BODY:
            failure = Failure(reason="the request is too long", fix="reload the page")
            return _failed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, failure)
        if environ.get("CONTENT_TYPE", "").partition(";")[0] != _JSON:
            failure = Failure(reason="the request is not JSON", fix="reload the page")
            return _failed(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, failure)
        identity, _ = self.jobs.create(request.read(environ["wsgi.input"].read(length)))
        return HTTPStatus.OK, _JSON, msgspec.json.encode({"id": identity})

    def _marked(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """The page with a mark for its script: the token of this server, and what is data to it."""
        began: list[Any] = []
        answer = self.site(environ, lambda *arguments: began.extend(arguments))
        try:
            content = b"".join(answer)
        finally:
            if hasattr(answer, "close"):
                answer.close()
        status, headers, *_ = began
        if status.startswith("200"):
            state = msgspec.json.encode({"token": self.token, "data": consent.DATA}).decode()
            mark = f'<meta name="modeldocs-server" content="{html.escape(state)}">'.encode()
            head, end, rest = content.partition(b"</head>")
            content = head + mark + end + rest if end else mark + content
            kept = [pair for pair in headers if pair[0].lower() != "content-length"]
            headers = [*kept, ("Content-Length", str(len(content))), *_UNFRAMED]
        start_response(status, headers)
        return [content]


def _send(answer: Answer, headers: list[tuple[str, str]], start_response: Any) -> list[bytes]:
    status, kind, content = answer
    described = [("Content-Type", kind), ("Content-Length", str(len(content)))]
    start_response(f"{status.value} {status.phrase}", [*described, *headers])
    return [content]


def _receive(environ: Environ, job: Job, side: str) -> Answer:
    length = _length(environ)
    if length is None:
        failure = Failure(reason="the request does not tell its length", fix="send it whole")
        return _failed(HTTPStatus.LENGTH_REQUIRED, failure)
    job.receive(side, environ["wsgi.input"], length)
    return HTTPStatus.OK, _JSON, b"{}"


def _length(environ: Environ) -> int | None:
    text = environ.get("CONTENT_LENGTH") or ""
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _failed(status: HTTPStatus, failure: Failure) -> Answer:
    return status, _JSON, msgspec.json.encode({"failure": failure})
