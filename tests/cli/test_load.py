"""`modeldocs load`: a port as a table, JSON or ONNX, and every way in which it cannot be."""

from __future__ import annotations

import json
import re
import subprocess

import jsonschema
import onnx
import pytest

from modeldocs import ir
from modeldocs.loaders import Inputs, frameworks
from modeldocs.sources import parse_inputs

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("load command")]

PRINTING = """\
import sys
import torch

print("loading \\x1b[31mmuch")
print('{"not": "the graph"}', file=sys.stderr)
INPUTS = {"x": (1, 8)}


def model(width=2):
    print("building")
    return torch.nn.Linear(8, width)
"""


@pytest.mark.parametrize(
    "source", ["net/caffe", "models/net/caffe.prototxt", "./models/net/caffe.prototxt"]
)
def test_prints_a_table_of_the_layers(folder, run, source):
    result = run("load", source)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Conv 3×3" in result.stdout
    assert "112 parameters" in result.stdout


def test_takes_the_input_shape(folder, run):
    output = run("load", "net/caffe", "--input", "data=1,3,16,16", "--json").stdout
    assert json.loads(output)["inputs"][0]["type"]["shape"] == [1, 3, 16, 16]


def test_an_input_of_a_type_alone_is_a_scalar():
    assert parse_inputs(["x=2,3", "step=:int64"]) == Inputs(
        {"x": (2, 3), "step": ()}, {"step": "int64"}
    )


def test_writes_onnx_that_can_be_checked(folder, run):
    assert run("load", "net/caffe", "--onnx", "made.onnx").exit_code == 0
    model = onnx.load(folder / "made.onnx", load_external_data=False)
    assert [node.op_type for node in model.graph.node] == ["Conv", "Relu"]


def test_json_is_all_that_is_printed_whatever_the_port_prints(folder, run):
    (folder / "models" / "net" / "pytorch.py").write_text(PRINTING)
    result = run("load", "net/pytorch", "--args", '{"width": 5}', "--json")
    data = json.loads(result.stdout)
    jsonschema.validate(data, ir.schema())
    assert data["layers"][0]["parameters"][0]["shape"] == [5, 8]
    assert "building" in result.stderr
    assert "\x1b" not in result.stderr


def test_what_the_model_yml_beside_a_file_says_of_it_holds(folder, run):
    (folder / "models" / "net" / "model.yml").write_text("inputs: {data: [1, 3, 12, 12]}\n")
    output = run("load", "models/net/caffe.prototxt", "--json").stdout
    assert json.loads(output)["inputs"][0]["type"]["shape"] == [1, 3, 12, 12]


class TestRefusals:
    @pytest.mark.parametrize(
        "source",
        ["lost.prototxt", "sub/lost.prototxt", "lost.py:net", "sub/lost.py:net", "lost.txt"],
    )
    def test_a_file_that_is_not_there(self, folder, refused, source):
        output = refused("load", source)
        assert (
            output
            == f"modeldocs: {source.split(':')[0]}: there is no such file\n  fix: check the path\n"
        )

    @pytest.mark.parametrize("source", ["net/cafe", "nett/caffe", "caffe"])
    def test_a_port_that_is_not_there_names_the_nearest(self, folder, refused, source):
        assert "net/caffe" in refused("load", source)

    def test_no_catalog(self, tmp_path, monkeypatch, refused):
        monkeypatch.chdir(tmp_path)
        assert "there is no catalog in models/" in refused("load", "net/caffe")

    @pytest.mark.parametrize("source", ["", ":", "\0", "x" * 5000, "a:b:c", "-", "git:", "git::"])
    def test_nonsense(self, folder, refused, source):
        assert "modeldocs:" in refused("load", source)

    def test_a_folder(self, folder, refused):
        assert "no loader recognises it" in refused("load", "models")

    def test_a_file_of_no_framework(self, folder, refused):
        (folder / "notes.txt").write_text("hello")
        output = refused("load", "notes.txt")
        assert f"pass --framework, one of: {', '.join(frameworks())}" in output

    def test_a_framework_that_has_no_loader(self, folder, refused):
        assert "no loader for the framework 'cafe'" in refused("load", "net/caffe", "-f", "cafe")

    def test_a_module_without_its_framework(self, folder, refused):
        assert "pass --framework" in refused("load", "package.module:net")

    def test_a_port_that_cannot_be_loaded(self, folder, refused):
        output = refused("load", "net/broken", "--json")
        assert output.startswith("modeldocs: broken.prototxt:1:25: ")
        assert "\n  fix: " in output

    @pytest.mark.parametrize("args", ["{", "[1]", "width=5", "3", '"a"'])
    def test_arguments_that_are_no_object(self, folder, refused, args):
        assert "--args is not" in refused("load", "net/caffe", "--args", args)

    @pytest.mark.parametrize(
        "shape", ["", "data=", "1,x", "1,-3", "data=0,3", "1.5", "data", "=1,,2", "1e3", "9" * 12]
    )
    def test_an_input_that_is_no_shape(self, folder, refused, shape):
        output = refused("load", "net/caffe", "--input", shape)
        assert output.endswith(
            "is not a shape\n"
            "  fix: write --input NAME=1,3,224,224, or with a type --input NAME=1,128:int64\n"
        )

    @pytest.mark.parametrize("dtype", ["", "int", "float8"])
    def test_an_input_of_no_type(self, folder, refused, dtype):
        output = refused("load", "net/caffe", "--input", f"data=1,3,16,16:{dtype}")
        assert "has an unknown type" in output and "int64" in output

    def test_an_input_given_twice(self, folder, refused):
        assert "twice" in refused("load", "net/caffe", "--input", "a=1", "--input", "a=2")

    def test_an_onnx_file_that_cannot_be_written(self, folder, refused):
        output = refused("load", "net/caffe", "--onnx", "lost/made.onnx")
        assert output.startswith("modeldocs: lost/made.onnx: its folder does not exist")


@pytest.fixture
def repository(folder):
    """The folder as a git repository, its port changed since the commit."""

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    (folder / "outside").symlink_to("/etc")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    path = folder / "models" / "net" / "caffe.prototxt"
    path.write_text(path.read_text().replace("num_output: 4", "num_output: 6"))
    return folder


class TestRevisions:
    @pytest.mark.parametrize("path", ["models/net/caffe.prototxt", "net/caffe"])
    def test_a_file_or_port_as_it_was(self, repository, run, path):
        shapes = [
            json.loads(run("load", source, "--json").stdout)["layers"][0]["parameters"][0]["shape"]
            for source in (f"git:HEAD:{path}", path)
        ]
        assert shapes == [[4, 3, 3, 3], [6, 3, 3, 3]]

    def test_relative_to_the_current_folder(self, repository, run, monkeypatch):
        monkeypatch.chdir(repository / "models" / "net")
        assert run("load", "git:HEAD:caffe.prototxt", "--json").exit_code == 0

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("git:HEAD", "names no file"),
            ("git:HEAD:", "names no file"),
            ("git::a.prototxt", "names no file"),
            (
                "git:nosuch:models/net/caffe.prototxt",
                "git has no models/net/caffe.prototxt at nosuch: ",
            ),
            ("git:HEAD:models/net/lost.prototxt", "git has no models/net/lost.prototxt at HEAD"),
            ("git:HEAD:lost/lost.prototxt", "git has no lost/lost.prototxt at HEAD"),
            ("git:HEAD:net/lost", "git has no net/lost at HEAD"),
            ("git:HEAD:../models/net/caffe.prototxt", "git has no ../models"),
            ("git:HEAD:/etc/passwd", "git has no /etc/passwd"),
            ("git:HEAD:outside/passwd", "git has no outside/passwd"),
            ("git:--output=made:models/net/caffe.prototxt", "git has no"),
            ("git:--remote=.:models/net/caffe.prototxt", "git has no"),
        ],
    )
    def test_what_is_not_there(self, repository, refused, source, message):
        output = refused("load", source)
        assert message in output and "\n  fix: " in output
        assert not (repository / "made").exists()

    def test_outside_any_repository(self, folder, refused, monkeypatch):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
        assert "not a git repository" in refused("load", "git:HEAD:models/net/caffe.prototxt")

    def test_without_git(self, folder, refused, monkeypatch):
        monkeypatch.setenv("PATH", "")
        assert "git is not installed" in refused("load", "git:HEAD:models/net/caffe.prototxt")


def test_json_keeps_what_is_empty(folder, run):
    layers = json.loads(run("load", "net/caffe", "--json").stdout)["layers"]
    relu = next(layer for layer in layers if layer["operator"] == "Relu")
    assert relu["parameters"] == []
    assert relu["modules"] == []


def test_a_mistake_in_the_manifest_is_told_and_costs_no_port(folder, run):
    (folder / "models" / "net" / "model.yml").write_text("year: 1998\nports: {caffe: {nodes: x}}\n")
    result = run("load", "net/caffe")
    assert result.exit_code == 0
    assert "model.yml:2: unknown field `ports.caffe.nodes`" in result.stderr
    assert "model.yml:1: unknown field `year`" in result.stderr


def test_a_narrow_terminal_gets_the_settings_below_what_they_are_of(folder, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    output = run("load", "net/caffe").stdout
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in output.splitlines()]
    assert max(map(len, lines)) <= 80
    assert "padding" not in lines[1]
