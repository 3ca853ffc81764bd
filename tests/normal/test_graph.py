"""The graph as a whole: ids that stay, bytes that stay, JSON that fits its schema."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import onnx
import pytest

from modeldocs.ir import Layer, LayerGraph, Operand, TensorType, Totals, decode, encode, schema

from ..loaders.onnx.nets import small
from ..onnxes import load, parse

REPOSITORY = Path(__file__).parents[2]
PORTS = [
    (model, port) for model in ("lenet", "alexnet", "resnet50") for port in ("caffe", "pytorch")
] + [("lenet", "onnx")]


def renamed(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    """The same model with every node and value under another name."""
    rng = random.Random(seed)
    names: dict[str, str] = {"": ""}

    def other(name: str) -> str:
        return names.setdefault(name, f"{rng.getrandbits(64):x}-{len(names)}")

    made = onnx.ModelProto()
    made.CopyFrom(model)
    for node in made.graph.node:
        node.name = other(node.name or "node")
        node.input[:] = [other(name) for name in node.input]
        node.output[:] = [other(name) for name in node.output]
    for value in (*made.graph.input, *made.graph.output, *made.graph.value_info,
                  *made.graph.initializer):  # fmt: skip
        value.name = other(value.name)
    return made


def nameless(graph: LayerGraph) -> bytes:
    """The graph's JSON without any name that the source gave."""

    def strip(held):
        if isinstance(held, list):
            return [strip(item) for item in held]
        if isinstance(held, dict):
            return {key: strip(item) for key, item in held.items() if key != "name"}
        return held

    return json.dumps(strip(json.loads(encode(graph))), sort_keys=True).encode()


@pytest.mark.parametrize("seed", range(5))
def test_names_change_no_id_and_nothing_else(tmp_path, seed):
    lenet = onnx.load(REPOSITORY / "models/lenet/model.onnx", load_external_data=False)
    for model in (small(), lenet):
        before, after = load(model, tmp_path), load(renamed(model, seed), tmp_path)
        assert [layer.id for layer in before.layers] == [layer.id for layer in after.layers]
        assert nameless(before) == nameless(after)
        assert {layer.name for layer in before.layers}.isdisjoint(x.name for x in after.layers)


def test_ids_count_operators_in_topological_order(tmp_path):
    text = "net (float[2,6] x) => (y) { a = Relu (x) b = Tanh (a) c = Relu (b) y = own.Odd (c) }"
    assert [layer.id for layer in load(parse(text), tmp_path).layers] == [
        "relu-1", "tanh-1", "relu-2", "own-odd-1",
    ]  # fmt: skip


DIGESTS = """
import hashlib, sys
import onnx_ir as ir
from modeldocs import catalog
from modeldocs.ir import encode
from modeldocs.loaders import loader
from modeldocs.normal import normalise
from modeldocs.site.port.layer_row import rows
from modeldocs.site.port.layer_table import csv_bytes
found = catalog.read(__import__("pathlib").Path(sys.argv[1]))
for name in sys.argv[2:]:
    port = found.port(name)[1]
    model = loader(port.framework).load(port.request)
    onnx = ir.to_proto(model).SerializeToString()
    graph = normalise(model)
    print(hashlib.sha256(onnx + encode(graph) + csv_bytes(rows(graph))).hexdigest())
"""


def test_bytes_are_the_same_whatever_the_hash_seed():
    ports = ["lenet/caffe", "lenet/onnx", "alexnet/caffe", "resnet50/caffe"]
    told = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", DIGESTS, str(REPOSITORY / "models"), *ports],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.add(done.stdout)
    assert len(told) == 1
    assert len(told.pop().split()) == len(ports)


def test_two_loads_in_worker_processes_give_the_same_bytes(loaded, own_catalog):
    from modeldocs.loaders import loading

    port = own_catalog.port("lenet/pytorch")[1]
    again = loading.load(port.framework, port.request, port.limits)
    first = loaded("lenet", "pytorch")
    assert encode(again.graph) == encode(first.graph)
    assert hashlib.sha256(again.onnx).digest() == hashlib.sha256(first.onnx).digest()


@pytest.mark.parametrize(("model", "port"), PORTS)
class TestRealGraphs:
    def test_json_comes_back_as_it_went(self, loaded, model, port):
        graph = loaded(model, port).graph
        assert decode(encode(graph)) == graph
        assert encode(decode(encode(graph))) == encode(graph)

    def test_json_fits_the_schema(self, loaded, model, port):
        jsonschema.validate(json.loads(encode(loaded(model, port).graph)), schema())

    def test_every_operand_reads_what_there_is(self, loaded, model, port):
        graph = loaded(model, port).graph
        outputs = {value.id: 1 for value in graph.inputs}
        for layer in graph.layers:
            for operand in layer.inputs:
                assert operand.output < outputs[operand.value]
            assert layer.id not in outputs
            outputs[layer.id] = len(layer.outputs)
        assert all(output.source.value in outputs for output in graph.outputs)

    def test_ids_can_stand_in_an_address(self, loaded, model, port):
        for layer in loaded(model, port).graph.layers:
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*-[1-9][0-9]*", layer.id)

    def test_it_names_no_folder_of_this_machine(self, loaded, model, port):
        result = loaded(model, port)
        for data in (encode(result.graph), result.onnx):
            assert str(REPOSITORY).encode() not in data
            assert b"/tmp" not in data

    def test_shapes_can_be_inferred_of_the_onnx(self, loaded, model, port):
        result = loaded(model, port)
        held = onnx.shape_inference.infer_shapes(onnx.load_from_string(result.onnx))
        assert len(held.graph.node) >= len(result.graph.layers)
        assert [value.name for value in held.graph.output] == [o.name for o in result.graph.outputs]


class TestSchema:
    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(schema())
        assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"

    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"name": 3},
            {"name": "n", "layers": [{"id": "a"}]},
            {"name": "n", "layers": [{"id": "a", "name": "a", "operator": "A", "macs": "many"}]},
            {"name": "n", "inputs": [{"id": "input-1"}]},
        ],
    )
    def test_what_is_no_graph_is_refused_with_its_place(self, wrong):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema())
        with pytest.raises(msgspec.ValidationError):
            decode(json.dumps(wrong).encode())


class TestCounts:
    def test_of_an_empty_graph(self):
        graph = LayerGraph(name="nothing")
        zeros = dict.fromkeys(Totals.__struct_fields__, 0)
        assert graph.totals() == Totals(**zeros)
        assert json.loads(encode(graph)) == {"format": 3, "totals": zeros, "name": "nothing"}

    def test_elements_of_a_tensor(self):
        shapes = {(2, 3): 6, (): 1, (0, 4): 0, ("n", 3): None, (None,): None, None: None}
        for shape, elements in shapes.items():
            assert TensorType(shape=shape, dtype="float32").elements == elements

    def test_a_layer_without_modules_is_at_the_top(self):
        layer = Layer(id="a-1", name="a", operator="A", inputs=(Operand(
            slot=0, value="input-1", type=TensorType(shape=None, dtype="unknown")),))  # fmt: skip
        assert layer.module == ""
        assert layer.parameter_count == 0
