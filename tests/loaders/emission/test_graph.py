"""A graph that layers are added to."""

from __future__ import annotations

import json

import onnx
import onnx_ir as ir

from modeldocs.ir import Origin, origin
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.graph import EmittedGraph


def layer(name: str) -> NodeBuilder:
    return NodeBuilder(origin.Provenance(origins=(Origin(operator="Toy"),), name=name))


def test_layers_are_added_with_unique_names_and_their_notes():
    graph = EmittedGraph()
    x = graph.add_input("x", (1, 3), source=Origin(operator="input", name="x"))
    for _ in range(2):
        scaled = layer("scale")
        scaled.notes.append("scaled")
        x = scaled.node("Mul", [x, scaled.scalar(2)])
        graph.add_layer(scaled, [x])
    model = graph.model("net", [graph.output(x, "output")], ["drawn"])
    assert [node.name for node in model.graph] == ["scale", "scale_2"]
    assert list(model.graph.initializers) == ["scale/constant", "scale/constant_2"]
    assert json.loads(model.metadata_props[origin.NOTES_KEY]) == ["scaled", "scaled", "drawn"]
    onnx.checker.check_model(ir.to_proto(model), full_check=True)


def test_inputs_and_repeated_outputs_pass_through_an_identity():
    graph = EmittedGraph()
    x = graph.add_input("x", (1, 3))
    relu = layer("relu")
    y = relu.node("Relu", [x])
    graph.add_layer(relu, [y])
    outputs = [graph.output(value, "output") for value in (y, x, y)]
    model = graph.model("net", outputs)
    assert outputs[0] is y
    assert [value.name for value in model.graph.outputs] == ["relu", "output", "output_2"]
    assert [node.op_type for node in model.graph] == ["Relu", "Identity", "Identity"]
    onnx.checker.check_model(ir.to_proto(model), full_check=True)


def test_an_input_may_have_no_known_rank():
    assert EmittedGraph().add_input("x", None, ir.DataType.INT64).shape is None
