"""The part of GitLab's API that our pipeline uses: the notes of a merge request, in memory."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "glpat-of-the-project"
_ME = 5
_NOTES = re.compile(r"/api/v4/projects/\d+/merge_requests/(?P<request>\d+)/notes(/(?P<id>\d+))?")


class Notes:
    """Notes on merge requests, newest first as GitLab lists them, and the calls that came."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.address = ""

    def add(self, request: str, body: str, author: int) -> dict[str, Any]:
        number = 1 + max((note["id"] for note in self.all), default=0)
        self.all.insert(
            0, {"id": number, "body": body, "author": {"id": author}, "request": request}
        )
        return self.all[0]

    def ours(self, request: str) -> list[str]:
        """Texts of the notes that were written with our token."""
        return [
            note["body"]
            for note in self.all
            if note["author"]["id"] == _ME and note["request"] == request
        ]

    def answer(self, method: str, address: str, sent: str) -> tuple[int, object]:
        """Status and content of the answer to a request."""
        self.calls.append(f"{method} {address}")
        parts = urlsplit(address)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if (method, parts.path) == ("GET", "/api/v4/user"):
            return 200, {"id": _ME}
        match = _NOTES.fullmatch(parts.path)
        if match is None:
            return 404, {"message": "404 Not Found"}
        body = parse_qs(sent).get("body", [""])[0]
        if match["id"] is None and method == "GET":
            found = [note for note in self.all if note["request"] == match["request"]]
            size = min(int(query.get("per_page", "20")), 100)
            start = (int(query.get("page", "1")) - 1) * size
            return 200, found[start : start + size]
        if match["id"] is None and method == "POST" and body:
            return 201, self.add(match["request"], body, _ME)
        note = next((one for one in self.all if str(one["id"]) == match["id"]), None)
        if note is None:
            return 404, {"message": "404 Not Found"}
        if note["author"]["id"] != _ME:
            return 403, {"message": "403 Forbidden"}
        if method == "PUT" and body:
            note["body"] = body
            return 200, note
        if method == "DELETE":
            self.all.remove(note)
            return 204, None
        return 400, {"message": "400 Bad request"}


@contextmanager
def served() -> Iterator[Notes]:
    """Notes behind a server on the loopback interface."""
    notes = Notes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_any(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            if self.headers.get("PRIVATE-TOKEN") == TOKEN:
                status, content = notes.answer(self.command, self.path, sent)
            else:
                status, content = 401, {"message": "401 Unauthorized"}
            data = json.dumps(content).encode() if content is not None else b""
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_any

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    notes.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield notes
    server.shutdown()
    server.server_close()
