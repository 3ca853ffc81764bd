"""The WSGI application: edits below the page's address, everything else from the site.

- `POST edit/api/show`: a port and its edits as JSON (`request.EditRequest`); its table
- `POST edit/api/report`: the same; the address of its difference from the port
- `POST edit/api/program`: the same with a target; the program
- `POST edit/api/save`: the same with a name; the file, which is written where the request consents
- `GET edit/reports/ID`: a report, shown in a frame

The pages of ports get a link to the page.
"""

from __future__ import annotations

import base64
import html
import re
import secrets
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site import addresses
from modeldocs.site.serving import answers, guard, marking
from modeldocs.site.serving.answers import HTML, JSON, TEXT, Answer, Application, Environ
from modeldocs.site.serving.editing import request, saving
from modeldocs.site.serving.editing.process import BusyError, EditProcess
from modeldocs.site.serving.editing.request import EditRequest
from modeldocs.site.serving.editing.source import EditSource, FindSource
from modeldocs.site.serving.editing.work import EditWork

MAX_REPORTS = 4
"""Reports that are kept in memory."""

_KINDS = ("show", "report", "program", "save")
_REPORT = re.compile(r"reports/([0-9a-f]{32})")
_PORT = re.compile(r"([^/]+)/ports/([^/]+)/(?:index\.html)?")


class EditApp:
    """The application. `mount` is the path of the site's home, with a slash at its end."""

    def __init__(self, site: Application, mount: str, find_source: FindSource) -> None:
        self.site = site
        self.page = f"{mount}{addresses.EDIT}/"
        self.models = f"{mount}{addresses.MODELS}/"
        self.token = secrets.token_urlsafe(32)
        self.process = EditProcess()
        self._find = find_source
        self._reports: dict[str, bytes] = {}

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        path, method = environ.get("PATH_INFO", ""), environ["REQUEST_METHOD"]
        below = path.removeprefix(self.page) if path.startswith(self.page) else None
        if below is not None and below.startswith("api/"):
            kind = below.removeprefix("api/")
            answer = answers.guarded(
                environ, self.token, lambda: self._answer(environ, method, kind), BusyError
            )
            return answers.send(answer, answers.UNFRAMED, start_response)
        if below is not None and below.startswith("reports/"):
            return answers.send(self._report(environ, below), answers.SANDBOXED, start_response)
        if method == "GET" and guard.is_local(environ):
            if below in ("", "index.html"):
                state = {"token": self.token, "saves": saving.TARGETS}
                return marking.marked(self.site, environ, start_response, state)
            port = _PORT.fullmatch(path.removeprefix(self.models))
            if port and path.startswith(self.models):
                link = _link(f"{port[1]}/{port[2]}")
                return marking.changed(self.site, environ, start_response, link)
        return self.site(environ, start_response)

    def _report(self, environ: Environ, path: str) -> Answer:
        match = _REPORT.fullmatch(path)
        found = self._reports.get(match[1]) if match and not guard.is_foreign(environ) else None
        if found is None:
            text = b"This report is no longer there: only the last few are kept."
            return HTTPStatus.NOT_FOUND, TEXT, text
        return HTTPStatus.OK, HTML, found

    def _answer(self, environ: Environ, method: str, kind: str) -> Answer:
        if kind not in _KINDS:
            return answers.failed(HTTPStatus.NOT_FOUND, Failure(reason="nothing is done here"))
        if method != "POST":
            failure = Failure(reason=f"{method} does nothing here")
            return answers.failed(HTTPStatus.METHOD_NOT_ALLOWED, failure)
        content = answers.body(environ)
        if isinstance(content, tuple):
            return content
        asked = request.read(content)
        source = self._find(asked.port)
        if kind == "report":
            return HTTPStatus.OK, JSON, self._kept(self._ask(kind, asked, source))
        if kind == "save":
            return HTTPStatus.OK, JSON, self._save(asked, source)
        return HTTPStatus.OK, JSON, self._ask(kind, asked, source)

    def _ask(self, kind: str, asked: EditRequest, source: EditSource) -> bytes:
        return self.process.ask(
            EditWork(
                kind=kind,
                port=asked.port,
                graph=source.port.graph,
                normal=source.port.normal,
                edits=asked.edits,
                target=asked.target,
                facts=source.facts,
            )
        )

    def _kept(self, report: bytes) -> bytes:
        identity = secrets.token_hex(16)
        self._reports[identity] = report
        for old in list(self._reports)[:-MAX_REPORTS]:
            self._reports.pop(old, None)
        return msgspec.json.encode({"report": f"reports/{identity}"})

    def _save(self, asked: EditRequest, source: EditSource) -> bytes:
        """The file that would be written; with the reader's consent to it, it is."""
        file = saving.planned(source, asked.target, asked.name)
        if not asked.edits:
            raise ModeldocsError("nothing is edited", fix="edit the network before it is saved")
        if not asked.consent:
            return msgspec.json.encode({"file": file, "saved": False})
        made = msgspec.json.decode(self._ask("program", asked, source))
        program = base64.b64decode(made["content"])
        saving.save(source, asked.target, asked.name, asked.consent, program)
        return msgspec.json.encode({"file": file, "saved": True})

    def close(self) -> None:
        """End what it runs."""
        self.process.close()


def _link(port: str) -> Any:
    """The change of a port's page that adds a link below its heading."""
    here = f"{addresses.MODELS}/{port.replace('/', '/ports/')}"
    href = html.escape(f"{addresses.link(here, addresses.EDIT)}?port={quote(port)}")
    link = f'<p><a class="mr-button mr-edit-link" href="{href}">Edit this network</a></p>'

    def changed(content: bytes) -> bytes:
        before, end, rest = content.partition(b"</h1>")
        return before + end + link.encode() + rest if end else content

    return changed
