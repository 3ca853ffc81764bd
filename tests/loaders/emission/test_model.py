"""Names given once, and the model that a drawn source ends as."""

from __future__ import annotations

import json

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import UniqueNames


def test_a_name_is_given_once():
    names = UniqueNames()
    assert [names.unique("conv") for _ in range(3)] == ["conv", "conv_2", "conv_3"]


def test_the_first_number_is_the_loaders_choice():
    names = UniqueNames(first=1)
    assert [names.unique("conv") for _ in range(3)] == ["conv", "conv_1", "conv_2"]


def test_a_number_that_the_source_gave_itself_is_passed_over():
    names = UniqueNames()
    assert names.unique("conv_2") == "conv_2"
    assert [names.unique("conv") for _ in range(2)] == ["conv", "conv_3"]
    assert names.unique("conv_2") == "conv_2_2"


def test_spaces_do_not_meet():
    names = UniqueNames()
    assert names.unique("conv") == names.unique("conv", "node ") == "conv"
    assert "conv" in names
    assert "node conv" not in names


def test_a_model_imports_the_domains_of_its_nodes_and_tells_its_notes():
    x = ir.Value(name="x", shape=ir.Shape((2,)), type=ir.TensorType(ir.DataType.FLOAT))
    bias = onnx_model.constant(np.ones(2, np.float32), "bias")
    node = ir.node("Strange", [x, bias], domain="fork")
    node.outputs[0].name = "y"
    made = onnx_model.finished(
        "net", [x], node.outputs, nodes=[node], initializers=[bias], notes=["a note"]
    )
    assert made.graph.name == "net"
    assert made.graph.opset_imports == {"": onnx_model.OPSET, "fork": 1}
    assert json.loads(made.metadata_props[origin.NOTES_KEY]) == ["a note"]
    assert made.graph.initializers["bias"].dtype == ir.DataType.FLOAT
