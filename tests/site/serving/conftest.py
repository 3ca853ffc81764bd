"""A WSGI client of the application that compares files, and files to send."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import encode
from modeldocs.isolation import Limits, forkservers
from modeldocs.loaders import LoadRequest, loading
from modeldocs.site.serving.app import CompareApp
from modeldocs.site.serving.editing.app import EditApp
from modeldocs.site.serving.plan import StoredPort
from tests.prototxts import NET

PAGE = b"<html><head><title>Compare</title></head><body>the page</body></html>"


class Reply:
    """An answer: its code, headers and content."""

    def __init__(self, status: str, headers: list[tuple[str, str]], content: bytes) -> None:
        self.code, self.headers, self.content = int(status.split()[0]), dict(headers), content

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def failure(self) -> dict[str, Any]:
        failure: dict[str, Any] = self.json["failure"]
        return failure


class Client:
    """A page of the server, or whatever its headers say that it is."""

    def __init__(self, app: CompareApp | EditApp) -> None:
        self.app = app

    def __call__(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Reply:
        environ: dict[str, Any] = {}
        setup_testing_defaults(environ)
        environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "HTTP_HOST": "127.0.0.1:8000",
            "HTTP_ORIGIN": "http://127.0.0.1:8000",
            "HTTP_SEC_FETCH_SITE": "same-origin",
            "HTTP_X_MODELDOCS_TOKEN": self.app.token,
            "CONTENT_TYPE": "application/json",
            "wsgi.input": io.BytesIO(body or b""),
        }
        if body is not None:
            environ["CONTENT_LENGTH"] = str(len(body))
        environ |= headers
        began: list[Any] = []
        sent = {name: value for name, value in environ.items() if value is not None}
        content = b"".join(self.app(sent, lambda *told: began.extend(told)))
        return Reply(began[0], began[1], content)

    def create(self, a: dict[str, Any], b: dict[str, Any], **more: Any) -> Reply:
        return self("POST", "/compare/api/jobs", json.dumps({"a": a, "b": b, **more}).encode())

    def start(self, a: dict[str, Any], b: dict[str, Any], **more: Any) -> str:
        """A comparison whose sides with a `content` have been sent; its id."""
        contents = {letter: side.pop("content", None) for letter, side in (("a", a), ("b", b))}
        reply = self.create(a, b, **more)
        assert reply.code == 200, reply.content
        for letter, content in contents.items():
            if content is not None:
                sent = self("PUT", f"/compare/api/jobs/{reply.json['id']}/{letter}", content)
                assert sent.code == 200, sent.content
        return str(reply.json["id"])

    def told(self, identity: str) -> Any:
        return self("GET", f"/compare/api/jobs/{identity}").json

    def end(self, identity: str) -> Any:
        """What is told of a comparison once it has ended."""
        deadline = time.monotonic() + 60
        while (told := self.told(identity))["stage"] not in ("done", "failed"):
            assert time.monotonic() < deadline, told
            time.sleep(0.1)
        return told


def file(name: str, content: str | bytes | None = None, **more: Any) -> dict[str, Any]:
    """A side that is a file."""
    data = content.encode() if isinstance(content, str) else content
    sent = {} if data is None else {"content": data, "bytes": len(data)}
    return {"file": name, **sent, **more}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    # The empty folders of fork servers would stand among those of the comparisons.
    monkeypatch.setattr(forkservers, "available", lambda: False)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[str], StoredPort]:
    """The ports of a catalog with one, `net/caffe`."""
    source = tmp_path / "caffe.prototxt"
    source.write_text(NET)

    def find(name: str) -> StoredPort:
        if name != "net/caffe":
            raise ModeldocsError(f"no port {name!r} in the catalog", fix="did you mean net/caffe?")
        request = LoadRequest(root=str(tmp_path), path=str(source), name="net")
        loaded = loading.load("caffe", request, Limits())
        assert loaded.graph is not None
        return StoredPort(
            name=name,
            graph=encode(loaded.graph),
            normal=loaded.normal,
        )

    return find


@pytest.fixture
def client(temporary: Path, stored: Callable[[str], StoredPort]) -> Iterator[Client]:
    def site(_environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", "1")])
        return [PAGE]

    app = CompareApp(site, "/", stored)
    yield Client(app)
    app.jobs.close()
    assert list(temporary.iterdir()) == []
