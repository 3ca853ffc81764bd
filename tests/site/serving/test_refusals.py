"""What the server refuses: other web pages, files that are too large, code without consent."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.site.serving import archive, consent, guard, request
from modeldocs.site.serving.install import install
from modeldocs.site.serving.request import MAX_UPLOAD, ComparisonSide

from .conftest import PAGE, file

ONE = file("a.prototxt", bytes=1)


class TestOtherPages:
    @pytest.mark.parametrize(
        "headers",
        [
            {"HTTP_HOST": "evil.example"},
            {"HTTP_HOST": "evil.example:8000", "HTTP_ORIGIN": "http://evil.example:8000"},
            {"HTTP_HOST": "127.0.0.1.evil.example"},
            {"HTTP_HOST": "[::1"},
            {"HTTP_HOST": None},
            {"HTTP_ORIGIN": "http://evil.example"},
            {"HTTP_ORIGIN": "http://127.0.0.1:9000"},
            {"HTTP_ORIGIN": "null"},
            {"HTTP_SEC_FETCH_SITE": "cross-site", "HTTP_ORIGIN": None},
            {"HTTP_SEC_FETCH_SITE": "same-site"},
            {"HTTP_X_MODELDOCS_TOKEN": None},
            {"HTTP_X_MODELDOCS_TOKEN": "guessed"},
            {"HTTP_X_MODELDOCS_TOKEN": "\N{SNOWMAN}"},
        ],
    )
    def test_are_refused(self, client, temporary, headers) -> None:
        body = json.dumps({"a": ONE, "b": ONE}).encode()
        for method, path in (("POST", "jobs"), ("GET", f"jobs/{'0' * 32}")):
            reply = client(method, f"/compare/api/{path}", body, **headers)
            assert reply.code == 403 and "Access-Control-Allow-Origin" not in reply.headers
        assert list(temporary.iterdir()) == []

    def test_see_no_report(self, client) -> None:
        identity = client.start({"port": "net/caffe"}, {"port": "net/caffe"})
        client.end(identity)
        path = f"/compare/reports/{identity}/report.html"
        assert client("GET", path, HTTP_X_MODELDOCS_TOKEN=None).code == 200
        assert client("GET", path, HTTP_HOST="evil.example").code == 404
        assert client("GET", path, HTTP_SEC_FETCH_SITE="cross-site").code == 404
        assert client("GET", f"/compare/reports/{identity}/plan.json").code == 404
        assert client("GET", f"/compare/reports/{identity}/../report.html").code == 404

    def test_may_be_asked_before_they_send_and_get_no_leave(self, client) -> None:
        headers = {"HTTP_ORIGIN": "http://evil.example", "HTTP_SEC_FETCH_SITE": "cross-site"}
        reply = client("OPTIONS", "/compare/api/jobs", **headers, HTTP_X_MODELDOCS_TOKEN=None)
        assert reply.code == 403
        assert not any(name.startswith("Access-Control") for name in reply.headers)

    def test_cannot_frame_the_page_nor_read_its_token_by_another_name(self, client) -> None:
        page = client("GET", "/compare/", HTTP_X_MODELDOCS_TOKEN=None, HTTP_ORIGIN=None)
        assert client.app.token.encode() in page.content
        assert page.content.endswith(b"</head><body>the page</body></html>")
        assert int(page.headers["Content-Length"]) == len(page.content)
        assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        rebound = client("GET", "/compare/index.html", HTTP_HOST="evil.example")
        assert rebound.content == PAGE
        assert client("GET", "/").content == PAGE


class TestRequests:
    @pytest.mark.parametrize(
        ("a", "reason"),
        [
            (file("net.py", bytes=1), "is a program: loading it runs its code"),
            (file("net.lua", bytes=1), "is a program"),
            (file("net.pt2", bytes=1), "is a program"),
            (file("NET.PY", bytes=1), "is a program"),
            (file("net.onnx", bytes=1, framework="torch7"), "is a program"),
            (file("net.so", bytes=1, framework="keras"), "is a program"),
            (file("net", bytes=1), "is a program"),
            (file("net.onnx", bytes=MAX_UPLOAD + 1), "has more than 2 GiB"),
            (file("", bytes=1), "nothing is chosen for A"),
            (file("../..", bytes=1), "nothing is chosen for A"),
            ({}, "nothing is chosen for A"),
            ({"port": "net/caff"}, "no port 'net/caff' in the catalog"),
            (file("a.onnx", framework="fortran"), "no loader for the framework 'fortran'"),
            (file("a.onnx", args="[1]"), "--args is not an object"),
            (file("a.onnx", inputs=["x=0"]), "--input 'x=0' is not a shape"),
            (file("a.onnx", callable="os.system('x')"), "is no name of a callable"),
            (file("a.onnx", path="/etc/passwd"), "cannot be read"),
            (file("a.onnx", bytes="1"), "cannot be read"),
        ],
    )
    def test_are_refused_with_the_reason_before_a_file_is_sent(
        self, client, temporary, a, reason
    ) -> None:
        reply = client.create(a, ONE)
        assert reply.code == 422 and reason in reply.failure["reason"]
        assert reply.failure["fix"]
        assert list(temporary.iterdir()) == []

    def test_must_be_json_of_bounded_size(self, client) -> None:
        path = "/compare/api/jobs"
        assert client("POST", path, b"{}", CONTENT_TYPE="text/plain").code == 415
        assert client("POST", path, b"[" * 100_000).code == 422
        assert client("POST", path, b"{}", CONTENT_LENGTH="9" * 12).code == 413
        assert client("POST", path, b"{}", CONTENT_LENGTH=None).code == 413
        assert client("PATCH", path, b"{}").code == 404

    def test_files_are_taken_once_and_only_where_they_are_expected(self, client) -> None:
        identity = client.create({"port": "net/caffe"}, ONE).json["id"]
        path = f"/compare/api/jobs/{identity}"
        assert client("PUT", f"{path}/a", b"x").code == 422
        assert client("PUT", f"{path}/c", b"x").code == 404
        assert client("PUT", path, b"x").code == 405
        assert client("PUT", f"{path}/b", b"x", CONTENT_LENGTH=None).code == 411
        too_long = client("PUT", f"{path}/b", b"x", CONTENT_LENGTH=str(MAX_UPLOAD + 1))
        assert too_long.code == 422 and "has more than 2 GiB" in too_long.failure["reason"]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("/etc/net.onnx", "net.onnx"),
        ("..\\..\\net.onnx", "net.onnx"),
        ("a b:c\n.onnx", "a-b-c-.onnx"),
        (".hidden.onnx", "hidden.onnx"),
        ("réseau.onnx", "réseau.onnx"),
        (f"{'x' * 300}.prototxt", f"{'x' * 71}.prototxt"),
        ("..", ""),
    ],
)
def test_names_of_files_are_made_safe(given, name) -> None:
    assert ComparisonSide(file=given).name == name


def test_what_is_parsed_needs_no_consent() -> None:
    for name in ("a.prototxt", "a.onnx", "a-symbol.json", "a.pb", "a.keras", "a.h5", "A.ONNX"):
        assert not consent.runs_code(name)
    assert not consent.runs_code("a.json", "keras")
    assert consent.runs_code("a.json", "pytorch") and consent.runs_code("a.json", "another")


class TestArchives:
    def write(self, folder: Path, *names: str) -> Path:
        with zipfile.ZipFile(folder / "model.zip", "w") as opened:
            for name in names:
                opened.writestr(name, f"the content of {name}")
        return folder / "model.zip"

    def test_only_the_graph_is_unpacked(self, tmp_path) -> None:
        names = ("m/saved_model.pb", "m/variables/variables.data", "__MACOSX/m/saved_model.pb")
        folder = archive.unpack(self.write(tmp_path, *names), tmp_path)
        assert [path.name for path in folder.iterdir()] == ["saved_model.pb"]
        assert folder == tmp_path / "model"

    @pytest.mark.parametrize(
        ("names", "reason"),
        [
            (["../saved_model.pb"], "leads out of its folder"),
            (["m/saved_model.pb", "/etc/passwd"], "leads out of its folder"),
            (["..\\saved_model.pb"], "leads out of its folder"),
            (["C:/saved_model.pb"], "leads out of its folder"),
            (["m/model.pb"], "holds no saved_model.pb"),
            (["a/saved_model.pb", "b/saved_model.pbtxt"], "holds several SavedModels"),
        ],
    )
    def test_others_are_refused(self, tmp_path, names, reason) -> None:
        with pytest.raises(ModeldocsError, match=reason):
            archive.unpack(self.write(tmp_path, *names), tmp_path)
        assert [path.name for path in tmp_path.rglob("*")] == ["model.zip"]

    def test_a_link_is_refused(self, tmp_path) -> None:
        with zipfile.ZipFile(tmp_path / "model.zip", "w") as opened:
            link = zipfile.ZipInfo("saved_model.pb")
            link.external_attr = 0o120777 << 16
            opened.writestr(link, "/etc/passwd")
        with pytest.raises(ModeldocsError, match="leads out"):
            archive.unpack(tmp_path / "model.zip", tmp_path)

    def test_a_bomb_is_refused(self, tmp_path, monkeypatch) -> None:
        monkeypatch.setattr(archive, "MAX_BYTES", 2**30 // 2**30)
        with pytest.raises(ModeldocsError, match="unpacks to more than"):
            archive.unpack(self.write(tmp_path, "saved_model.pb"), tmp_path)

    @pytest.mark.parametrize("content", [b"", b"PK\3\4", b"not a zip at all" * 50])
    def test_what_is_no_zip_is_refused(self, tmp_path, content) -> None:
        (tmp_path / "model.zip").write_bytes(content)
        with pytest.raises(ModeldocsError, match="is not a whole zip archive"):
            archive.unpack(tmp_path / "model.zip", tmp_path)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("", False),
        ("192.168.0.7", False),
        ("localhost.evil.example", False),
    ],
)
def test_only_a_server_on_a_loopback_address_compares_files(host, local) -> None:
    class Server:
        server_address = (host, 8000)
        app: object = "site"

        def get_app(self) -> object:
            return self.app

        def set_app(self, app: object) -> None:
            self.app = app

    server = Server()
    assert guard.is_loopback(host) is local
    installed = install(
        server,
        lambda _: pytest.fail("no port is asked for"),  # type: ignore[arg-type]
        lambda _: pytest.fail("no port is asked for"),  # type: ignore[arg-type]
    )
    assert (installed is not None) is local and (server.app == "site") is not local


def test_a_request_is_read_as_it_is_sent() -> None:
    sent = {"a": {"port": "net/caffe"}, "b": file("b.onnx", inputs=["x=1,3"]), "parity": True}
    read = request.read(json.dumps(sent).encode())
    assert read.names == ("net/caffe", "b.onnx") and read.b.inputs == ("x=1,3",) and read.parity
