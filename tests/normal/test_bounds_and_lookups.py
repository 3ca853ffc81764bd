"""Bounds written as the greater or lesser of two, and look-ups by tuples of one place."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from onnx import TensorProto, helper

from modeldocs.normal import apply, make_runnable, normalise


def model(nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def ran(proto: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    return session.run(None, {"x": x})[0]


BOUNDS = {
    "at least 0": ([("Max", 0.0)], ["Relu"]),
    "from 0 to 6": ([("Max", 0.0), ("Min", 6.0)], ["Clip"]),
    "to 6 from 0": ([("Min", 6.0), ("Max", 0.0)], ["Clip"]),
    "at least 1": ([("Max", 1.0)], ["Max"]),
    "bounds that cross": ([("Max", 6.0), ("Min", 0.0)], ["Max", "Min"]),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_one_layer(name: str):
    steps, wanted = BOUNDS[name]
    nodes, constants, last = [], {}, "x"
    for number, (operator, bound) in enumerate(steps):
        made = "y" if number == len(steps) - 1 else f"t{number}"
        constants[f"c{number}"] = np.float32(bound)
        nodes.append(helper.make_node(operator, [last, f"c{number}"], [made]))
        last = made
    proto = model(nodes, constants)
    x = np.linspace(-9, 9, 12, dtype=np.float32).reshape(2, 6)
    expected = ran(proto, x)
    assert [layer.operator for layer in normalise(ir.from_proto(proto)).layers] == wanted
    runnable = ir.from_proto(proto)
    apply(runnable)
    make_runnable(runnable)
    assert np.array_equal(ran(ir.to_proto(runnable), x), expected)


def test_a_table_looked_up_by_tuples_of_one_place_is_a_gather():
    nodes = [
        helper.make_node("Cast", ["x"], ["tokens"], to=TensorProto.INT64),
        helper.make_node("Unsqueeze", ["tokens", "last"], ["places"]),
        helper.make_node("GatherND", ["table", "places"], ["y"]),
    ]
    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    proto = model(nodes, {"last": np.array([-1]), "table": table})
    x = np.array([[0, 3, 9, 1, 1, 2], [5, 6, 7, 8, 0, 4]], np.float32)
    expected = ran(proto, x)
    runnable = ir.from_proto(proto)
    apply(runnable)
    make_runnable(runnable)
    assert "GatherND" not in {node.op_type for node in runnable.graph}
    assert np.array_equal(ran(ir.to_proto(runnable), x), expected)
