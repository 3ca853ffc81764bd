"""Editing through the server: what a page gets of a port and its edits, and what is refused."""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modeldocs import normal
from modeldocs.errors import ModeldocsError
from modeldocs.generators.docstring import ProgramFacts
from modeldocs.ir import encode
from modeldocs.site.serving.editing import process as edit_process
from modeldocs.site.serving.editing import request
from modeldocs.site.serving.editing.app import EditApp
from modeldocs.site.serving.editing.source import EditSource
from modeldocs.site.serving.plan import StoredPort
from tests.edits import networks

from .conftest import PAGE, Client, Reply

WIDER = ("set", "conv1.channels=32")
TOO_LARGE = ("set", "conv2.kernel_shape=99")


class EditClient(Client):
    """A page that edits `lenet/caffe`."""

    app: EditApp

    def ask(self, kind: str, *given: tuple[str, str], **more: Any) -> Reply:
        sent = {"port": "lenet/caffe", "edits": given, **more}
        return self("POST", f"/edit/api/{kind}", json.dumps(sent).encode())

    def rows(self, *given: tuple[str, str]) -> dict[str, Any]:
        reply = self.ask("show", *given)
        assert reply.code == 200, reply.content
        return {row["id"]: row for row in reply.json["rows"]}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalog") / "models"
    (folder / "lenet").mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def client(catalog: Path) -> Iterator[EditClient]:
    def site(_environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", "1")])
        return [PAGE.replace(b"the page", b"<h1>LeNet</h1>the page")]

    def find(name: str) -> EditSource:
        if name != "lenet/caffe":
            raise ModeldocsError(f"no port {name!r} in the catalog")
        model = networks.caffe("lenet")
        graph, data = encode(normal.read(model)), networks.weightless("lenet")
        return EditSource(
            port=StoredPort(name=name, graph=graph, normal=data),
            facts=ProgramFacts(network=name, framework="caffe", file="net.prototxt", digest=None),
            root=catalog,
            folder=catalog / "lenet",
            shown="models/lenet",
            taken=("caffe",),
        )

    app = EditApp(site, "/", find)
    yield EditClient(app)
    app.close()


class TestOtherPages:
    @pytest.mark.parametrize(
        "headers",
        [
            {"HTTP_HOST": "evil.example"},
            {"HTTP_HOST": "127.0.0.1.evil.example"},
            {"HTTP_HOST": None},
            {"HTTP_ORIGIN": "http://evil.example"},
            {"HTTP_ORIGIN": "http://127.0.0.1:9000"},
            {"HTTP_ORIGIN": "null"},
            {"HTTP_SEC_FETCH_SITE": "cross-site", "HTTP_ORIGIN": None},
            {"HTTP_X_MODELDOCS_TOKEN": None},
            {"HTTP_X_MODELDOCS_TOKEN": "guessed"},
        ],
    )
    @pytest.mark.parametrize("kind", ["show", "report", "program", "save"])
    def test_are_refused(self, client: EditClient, catalog: Path, kind: str, headers: Any) -> None:
        sent = {"port": "lenet/caffe", "edits": [WIDER], "target": "pytorch", "name": "wide"}
        body = json.dumps(sent | {"consent": "models/lenet/wide.py"}).encode()
        reply = client("POST", f"/edit/api/{kind}", body, **headers)
        assert reply.code == 403 and "Access-Control-Allow-Origin" not in reply.headers
        assert list((catalog / "lenet").iterdir()) == []

    def test_get_neither_token_nor_link_by_another_name(self, client: EditClient) -> None:
        page = client("GET", "/edit/", HTTP_X_MODELDOCS_TOKEN=None)
        assert client.app.token.encode() in page.content
        assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        for path in ("/edit/", "/models/lenet/ports/caffe/"):
            rebound = client("GET", path, HTTP_HOST="evil.example").content
            assert b"modeldocs-server" not in rebound and b"Edit this" not in rebound

    def test_see_no_report(self, client: EditClient) -> None:
        told = client.ask("report", WIDER).json["report"]
        report = client("GET", f"/edit/{told}", HTTP_X_MODELDOCS_TOKEN=None)
        assert report.code == 200 and b"lenet/caffe" in report.content
        assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
        assert client("GET", f"/edit/{told}", HTTP_HOST="evil.example").code == 404
        assert client("GET", f"/edit/{told}", HTTP_SEC_FETCH_SITE="cross-site").code == 404
        assert client("GET", f"/edit/reports/{'0' * 32}").code == 404


def test_the_page_of_a_port_links_to_its_editor(client: EditClient) -> None:
    href = b'href="../../../../edit/index.html?port=lenet/caffe"'
    for path in ("/models/lenet/ports/caffe/", "/models/lenet/ports/caffe/index.html"):
        page = client("GET", path)
        assert href in page.content and int(page.headers["Content-Length"]) == len(page.content)
    assert b"Edit this" not in client("GET", "/models/lenet/").content


class TestRequests:
    def test_must_be_json_of_bounded_size(self, client: EditClient) -> None:
        path = "/edit/api/show"
        assert client("POST", path, b"{}", CONTENT_TYPE="text/plain").code == 415
        assert client("POST", path, b"[" * 100_000).code == 422
        assert client("POST", path, b"{}", CONTENT_LENGTH="9" * 12).code == 413
        assert client("POST", path, b"{}", CONTENT_LENGTH=None).code == 413
        assert client("GET", path).code == 405
        assert client("POST", "/edit/api/delete", b"{}").code == 404

    @pytest.mark.parametrize(
        ("given", "reason"),
        [
            ({"port": "lenet/caff"}, "no port 'lenet/caff' in the catalog"),
            ({}, "cannot be read"),
            ({"port": "lenet/caffe", "path": "/etc/passwd"}, "cannot be read"),
            ({"port": "lenet/caffe", "edits": [["set"]]}, "cannot be read"),
            ({"port": "lenet/caffe", "edits": [["remove", "a"]] * 201}, "no more than 200"),
            ({"port": "lenet/caffe", "edits": [["remove", "a" * 2001]]}, "more than 2,000 char"),
        ],
    )
    def test_are_refused_with_the_reason(self, client: EditClient, given: Any, reason: str) -> None:
        reply = client("POST", "/edit/api/show", json.dumps(given).encode())
        assert reply.code == 422 and reason in reply.failure["reason"]

    def test_are_read_as_they_are_sent(self) -> None:
        sent = {"port": "a/b", "edits": [["remove", "x"]], "target": "keras", "name": "wide"}
        read = request.read(json.dumps(sent).encode())
        assert read.edits == (("remove", "x"),) and (read.target, read.name) == ("keras", "wide")


class TestShown:
    def test_a_port_without_edits_has_nothing_changed(self, client: EditClient) -> None:
        rows = client.rows()
        assert {row["state"] for row in rows.values()} == {"same"}
        assert rows["conv-1"]["place"].startswith("caffe.prototxt:")
        settings = {one["name"]: one.get("value") for one in rows["conv-1"]["settings"]}
        assert (settings["channels"], settings["kernel_shape"]) == ("20", "5,5")

    def test_what_follows_is_that_of_the_engine(self, client: EditClient) -> None:
        given = [WIDER, ("insert", "after=pool1:BatchNormalization"), ("remove", "relu1")]
        told = client.ask("show", *given).json
        graph = networks.edited(networks.caffe("lenet"), *(" ".join(one) for one in given))
        totals = {one["name"]: one for one in told["totals"]}
        assert totals["Parameters"]["after"] == f"{graph.totals().parameters:,}"
        assert totals["Parameters"]["before"] == "431,080"
        assert totals["MACs"]["after"] == f"{graph.totals().macs:,}"
        rows = [row for row in told["rows"] if row["row"] == "layer" and row["state"] != "gone"]
        assert [row["shown"]["name"] for row in rows] == [one.name for one in graph.layers]
        states = {row["id"]: row["state"] for row in told["rows"]}
        assert states["conv-1"] == states["conv-2"] == "changed"
        assert states["pool1_batchnormalization"] == "new" and states["relu-1"] == "gone"
        assert states["gemm-1"] == "same"
        names = [row["id"] for row in told["rows"]]
        assert names.index("relu-1") == names.index("gemm-1") + 1
        assert told["command"] == (
            "modeldocs edit lenet/caffe --set conv1.channels=32 "
            "--insert after=pool1:BatchNormalization --remove relu1"
        )

    def test_an_edit_that_does_not_fit_stays_with_its_reason_and_the_others_apply(
        self, client: EditClient
    ) -> None:
        told = client.ask("show", WIDER, TOO_LARGE, ("remove", "relu1")).json
        first, second, third = told["edits"]
        assert "failure" not in first and "failure" not in third
        assert second["failure"]["file"] == "caffe.prototxt" and second["failure"]["line"] == 32
        assert "'conv2' (Conv)" in second["failure"]["reason"] and second["failure"]["fix"]
        assert "kernel_shape" not in told["command"]

    @pytest.mark.parametrize(
        ("edit", "reason"),
        [
            (("remove", "conv7"), "no layer or block is called 'conv7'"),
            (("set", "conv1"), "is no edit"),
            (("paint", "conv1"), "there is no edit 'paint'"),
            (("set", "conv1.colour=1"), "has no setting 'colour'"),
            (("repeat", "conv1=4"), "nothing repeats"),
            (("insert", "after=conv1:Add"), "no layer of 'Add' can be put in"),
        ],
    )
    def test_an_edit_of_what_is_not_there_says_so(
        self, client: EditClient, edit: tuple[str, str], reason: str
    ) -> None:
        (told,) = client.ask("show", edit).json["edits"]
        assert reason in told["failure"]["reason"]

    def test_an_input_has_its_shape_before_and_after(self, client: EditClient) -> None:
        (told,) = client.ask("show", ("input", "data=2,1,32,32")).json["inputs"]
        assert told == {"name": "data", "before": "1,1,28,28", "after": "2,1,32,32"}

    def test_layers_are_named_by_the_source_whatever_was_taken_out(
        self, client: EditClient
    ) -> None:
        rows = client.rows(("remove", "maxpool-1"))
        assert rows["maxpool-2"]["edit"] == "maxpool-2"
        again = client.rows(("remove", "maxpool-1"), ("set", "maxpool-2.strides=1"))
        assert again["maxpool-2"]["shown"]["settings"] != rows["maxpool-2"]["shown"]["settings"]


class TestPrograms:
    def test_are_written_without_proof_and_say_so(self, client: EditClient) -> None:
        told = client.ask("program", WIDER, target="pytorch").json
        assert "nn.Conv2d(1, 32, 5)" in told["code"]
        assert "It has not been proven." in told["code"]
        assert "Edited: set conv1.channels=32." in told["code"]
        assert base64.b64decode(told["content"]).decode() == told["code"]
        assert told["file"] == "lenet-caffe-edited.py"

    def test_are_of_every_target(self, client: EditClient) -> None:
        for target in client.ask("show").json["targets"]:
            told = client.ask("program", WIDER, target=target["name"]).json
            assert told["code"] and told["file"].endswith(target["suffix"])

    def test_of_onnx_are_models(self, client: EditClient) -> None:
        import onnx

        told = client.ask("program", WIDER, target="onnx").json
        model = onnx.load_from_string(base64.b64decode(told["content"]))
        assert [node.op_type for node in model.graph.node][:2] == ["Conv", "MaxPool"]

    def test_are_refused_where_an_edit_is(self, client: EditClient) -> None:
        for kind in ("program", "report", "save"):
            reply = client.ask(
                kind, TOO_LARGE, target="pytorch", name="w", consent="models/lenet/w.py"
            )
            assert reply.code == 422 and "'conv2' (Conv)" in reply.failure["reason"]
        assert client.ask("program", WIDER, target="fortran").code == 422


class TestSaving:
    def save(self, client: EditClient, name: str, **more: Any) -> Reply:
        return client.ask("save", WIDER, **({"target": "pytorch", "name": name} | more))

    def test_writes_a_new_file_after_consent_to_it(self, client: EditClient, catalog: Path) -> None:
        file = catalog / "lenet" / "wide.py"
        told = self.save(client, "wide").json
        assert told == {"file": "models/lenet/wide.py", "saved": False} and not file.exists()
        for consent in ("yes", "models/lenet/other.py", "models/lenet/wide"):
            reply = self.save(client, "wide", consent=consent)
            assert reply.code == 422 and "after you agreed to it" in reply.failure["reason"]
            assert not file.exists()
        told = self.save(client, "wide", consent="models/lenet/wide.py").json
        assert told["saved"] and "nn.Conv2d(1, 32, 5)" in file.read_text()
        file.write_text("mine")
        reply = self.save(client, "wide", consent="models/lenet/wide.py")
        assert reply.code == 422 and "never written over" in reply.failure["reason"]
        assert self.save(client, "WIDE").code == 422
        assert file.read_text() == "mine"
        file.unlink()

    @pytest.mark.parametrize(
        "name",
        [
            "", "..", "../wide", "a/b", "a\\b", "a.b", ".hidden", "_wide", "-wide", "wide\n",
            "wide\0", "x" * 65, "ünï", "a b", "lenet", "model", "net", "caffe", "Caffe", "json",
            "numpy", "torch",
        ],
    )  # fmt: skip
    def test_takes_no_other_name_than_that_of_a_new_port(
        self, client: EditClient, catalog: Path, name: str
    ) -> None:
        for consent in ("", f"models/lenet/{name}.py"):
            reply = self.save(client, name, consent=consent)
            assert reply.code == 422 and reply.failure["fix"]
        assert list((catalog / "lenet").iterdir()) == []

    def test_writes_ports_alone_and_of_edited_networks(self, client: EditClient) -> None:
        for target in ("flax", "onnx", "", "../pytorch"):
            reply = self.save(client, "wide", target=target)
            assert reply.code == 422 and "is no port" in reply.failure["reason"]
        reply = client.ask("save", target="pytorch", name="wide")
        assert reply.code == 422 and reply.failure["reason"] == "nothing is edited"

    def test_follows_no_link_out_of_the_folder(self, client: EditClient, catalog: Path) -> None:
        outside, link = catalog.parent / "outside.py", catalog / "lenet" / "wide.py"
        link.symlink_to(outside)
        reply = self.save(client, "wide", consent="models/lenet/wide.py")
        assert reply.code == 422 and not outside.exists()
        link.unlink()

    def test_writes_nothing_where_the_model_lies_elsewhere(
        self, client: EditClient, catalog: Path, tmp_path: Path
    ) -> None:
        (catalog / "lenet").rename(tmp_path / "lenet")
        (catalog / "lenet").symlink_to(tmp_path / "lenet")
        reply = self.save(client, "wide", consent="models/lenet/wide.py")
        assert reply.code == 422 and "not in the folder" in reply.failure["reason"]
        (catalog / "lenet").unlink()
        (tmp_path / "lenet").rename(catalog / "lenet")


class TestProcess:
    def test_one_that_died_is_told_or_replaced(self, client: EditClient) -> None:
        client.rows()
        process = client.app.process._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert client.ask("show").code == 200

    def test_one_that_takes_too_long_is_stopped(
        self, client: EditClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(edit_process, "MAX_SECONDS", 0.0)
        reply = client.ask("show")
        assert reply.code == 422 and "was stopped after 0 s" in reply.failure["reason"]
        monkeypatch.undo()
        assert client.ask("show").code == 200

    def test_no_more_than_a_few_requests_wait(self, client: EditClient) -> None:
        waiting = client.app.process._waiting
        for _ in range(edit_process.MAX_WAITING):
            assert waiting.acquire(blocking=False)
        reply = client.ask("show")
        waiting.release(edit_process.MAX_WAITING)
        assert reply.code == 429 and "wait for their answers" in reply.failure["reason"]

    def test_it_ends_with_its_folder_when_the_server_does(self, client: EditClient) -> None:
        client.rows()
        process, folder = client.app.process._process, client.app.process._folder
        assert process is not None and folder is not None and folder.exists()
        client.app.process._end_if_idle()
        assert process.poll() is not None and not folder.exists()
        assert client.ask("show").code == 200
