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

import re
import secrets
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from modeldocs.errors import Failure
from modeldocs.site import addresses
from modeldocs.site.serving import answers, consent, guard, marking, request
from modeldocs.site.serving.answers import HTML, JSON, TEXT, Answer, Application, Environ
from modeldocs.site.serving.job import Job
from modeldocs.site.serving.jobs import FindPort, Jobs, TooManyError
from modeldocs.site.serving.plan import DIFF

_JOB = re.compile(r"jobs/([0-9a-f]{32})(?:/([ab]))?")
_REPORT = re.compile(r"([0-9a-f]{32})/([a-z.]+)")


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
            return answers.send(answer, answers.UNFRAMED, start_response)
        if below is not None and below.startswith("reports/"):
            answer = self._report(environ, below.removeprefix("reports/"))
            return answers.send(answer, answers.SANDBOXED, start_response)
        if below in ("", "index.html") and method == "GET" and guard.is_local(environ):
            state = {"token": self.token, "data": consent.DATA}
            return marking.marked(self.site, environ, start_response, state)
        return self.site(environ, start_response)

    def _report(self, environ: Environ, path: str) -> Answer:
        """A file of a comparison that is done."""
        match = _REPORT.fullmatch(path)
        job = self.jobs.get(match[1]) if match and not guard.is_foreign(environ) else None
        if match is None or job is None or match[2] not in job.files:
            text = b"This report is no longer there: only the last few comparisons are kept."
            return HTTPStatus.NOT_FOUND, TEXT, text
        return HTTPStatus.OK, JSON if match[2] == DIFF else HTML, job.files[match[2]]

    def _guarded(self, environ: Environ, method: str, path: str) -> Answer:
        """The answer to a request of our own page; a refusal to any other, before it is read."""
        return answers.guarded(
            environ, self.token, lambda: self._answer(environ, method, path), TooManyError
        )

    def _answer(self, environ: Environ, method: str, path: str) -> Answer:
        if (method, path) == ("POST", "jobs"):
            return self._create(environ)
        match = _JOB.fullmatch(path)
        job = self.jobs.get(match[1]) if match else None
        if match is None or job is None:
            return answers.failed(
                HTTPStatus.NOT_FOUND, Failure(reason="there is no such comparison")
            )
        side = match[2]
        if method == "PUT" and side:
            return _receive(environ, job, side)
        if method == "DELETE" and not side:
            self.jobs.remove(match[1])
            return HTTPStatus.OK, JSON, b"{}"
        if method == "GET" and not side:
            return HTTPStatus.OK, JSON, msgspec.json.encode(job.state())
        return answers.failed(
            HTTPStatus.METHOD_NOT_ALLOWED, Failure(reason=f"{method} does nothing here")
        )

    def _create(self, environ: Environ) -> Answer:
        content = answers.body(environ)
        if isinstance(content, tuple):
            return content
        identity, _ = self.jobs.create(request.read(content))
        return HTTPStatus.OK, JSON, msgspec.json.encode({"id": identity})


def _receive(environ: Environ, job: Job, side: str) -> Answer:
    length = answers.length(environ)
    if length is None:
        failure = Failure(reason="the request does not tell its length", fix="send it whole")
        return answers.failed(HTTPStatus.LENGTH_REQUIRED, failure)
    job.receive(side, environ["wsgi.input"], length)
    return HTTPStatus.OK, JSON, b"{}"
