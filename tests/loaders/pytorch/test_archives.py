"""Archives of PyTorch: what they hold is told by content, and no pickle in them is unpickled."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module

from ..ports import graph_of, only, operators
from .nets import SHAPES, agrees, proof, request

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning", "ignore::UserWarning"),
    pytest.mark.xdist_group("saved archives"),
]

LAYERS = ["Conv", "BatchNormalization", "Relu", "GlobalAveragePool", "Gemm", "Add", "Gemm", "Add"]


def recognised(path):
    from modeldocs.loaders import loader

    return loader("pytorch").recognises(path)


def changed(path, folder, change):
    """A copy of an archive, each file passed through `change`, by name without the folder."""
    copy = folder / path.name
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name.partition("/")[2], old.read(name)))
    return copy


def in_json(file, find, put):
    """A change of the text of one JSON file in an archive."""

    def change(name, content):
        if name != file:
            return content
        assert find in content.decode()
        return content.decode().replace(find, put, 1).encode()

    return change


class TestRecognition:
    def test_graphs_are_sources(self, saved):
        assert all(recognised(saved[kind]) for kind in ("exported", "scripted", "jit-traced"))

    def test_weights_beside_a_port_are_none(self, saved):
        assert not recognised(saved["weights"])

    @pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x02}q\x00.", b"\x00" * 99])
    def test_neither_is_anything_else(self, tmp_path, content):
        path = tmp_path / "net.pt2"
        path.write_bytes(content)
        assert not recognised(path)
        assert not recognised(tmp_path / "missing.pt")
        assert not recognised(tmp_path)


class TestExported:
    def test_it_has_the_layers_modules_and_lines_of_the_module(self, saved):
        graph = graph_of(request(saved["exported"]))
        assert operators(graph)[: len(LAYERS)] == LAYERS
        conv = only(graph, "Conv")
        assert conv.modules == (Module(path="conv", kind="nn.Conv2d"),)
        (source,) = conv.origins
        assert (source.operator, source.file) == ("torch.nn.Conv2d", "nets.py")
        line = Path(__file__).with_name("nets.py").read_text().splitlines()[source.line - 1]
        assert "self.conv(image)" in line
        assert only(graph, "Dropout").attributes == {"ratio": 0.3}

    def test_its_inputs_and_outputs_keep_their_names(self, saved):
        graph = graph_of(request(saved["exported"]))
        assert {i.name: i.type.shape for i in graph.inputs} == SHAPES
        assert graph.outputs[1].name == "read"

    def test_it_is_proven_with_the_weights_it_holds(self, saved):
        assert agrees(proof(request(saved["exported"])))

    def test_another_shape_than_it_was_exported_with_is_told(self, saved):
        with pytest.raises(ModeldocsError) as raised:
            graph_of(request(saved["exported"], inputs={"image": (1, 3, 9, 9)}))
        assert raised.value.reason == "input 'image' was exported as 1x3x8x8, not 1x3x9x9"

    def test_sizes_left_open_stay_open(self, tmp_path):
        path = tmp_path / "open.pt2"
        batch = torch.export.Dim("batch")
        module = torch.nn.Linear(3, 4)
        torch.export.save(
            torch.export.export(module, (torch.zeros(2, 3),), dynamic_shapes=({0: batch},)), path
        )
        (given,) = graph_of(request(path)).inputs
        assert isinstance(given.type.shape[0], str)
        assert agrees(proof(request(path, inputs={"": (5, 3)})))


class TestNoPickle:
    def test_weights_alone_are_no_network(self, saved):
        with pytest.raises(ModeldocsError, match="is never unpickled") as raised:
            graph_of(request(saved["weights"]))
        assert "torch.export.save" in raised.value.fix

    @pytest.mark.parametrize("file", ["data/sample_inputs/model.pt", "data/weights/weight_0"])
    def test_no_object_in_an_archive_is_made(self, saved, tmp_path, file):
        witness = tmp_path / "witness"

        class Evil:
            def __reduce__(self):
                return Path.touch, (witness,)

        def change(name, content):
            if name == "data/weights/model_weights_config.json":
                told = json.loads(content)
                for payload in told["config"].values():
                    payload["use_pickle"] |= payload["path_name"] == Path(file).name
                return json.dumps(told).encode()
            return pickle.dumps(Evil()) if name == file else content

        with pytest.raises(ModeldocsError, match=r"cannot be read as a torch\.export archive"):
            graph_of(request(changed(saved["exported"], tmp_path, change)))
        assert not witness.exists()

    @pytest.mark.parametrize("target", ["torch.os.system", "torch.hub.load", "math.__loader__"])
    def test_only_operators_are_called(self, saved, tmp_path, target):
        change = in_json("models/model.json", "torch.ops.aten.relu.default", target)
        with pytest.raises(ModeldocsError, match="which is no operator"):
            graph_of(request(changed(saved["exported"], tmp_path, change)))

    @pytest.mark.parametrize(
        "formula", ["exec('1')", "().__class__", "Symbol('a b')", "[1]", "1" * 30_000, "(" * 500]
    )
    def test_sizes_are_only_computed_with(self, saved, tmp_path, formula):
        size = json.dumps({"as_expr": {"expr_str": formula}})
        change = in_json("models/model.json", '{"as_int": 8}', size)
        with pytest.raises(ModeldocsError, match="which is no formula"):
            graph_of(request(changed(saved["exported"], tmp_path, change)))


class TestBroken:
    @pytest.mark.parametrize("name", ["net.pt2", "net.pt", "net.pth"])
    def test_what_is_no_archive_is_told(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"\x00" * 64)
        with pytest.raises(ModeldocsError, match=r"is no archive of torch\.export or TorchScript"):
            graph_of(request(tmp_path / name))

    def test_one_cut_short_is_told(self, saved, tmp_path):
        path = tmp_path / "net.pt2"
        path.write_bytes(saved["exported"].read_bytes()[:-200])
        with pytest.raises(ModeldocsError, match="or not whole"):
            graph_of(request(path))
