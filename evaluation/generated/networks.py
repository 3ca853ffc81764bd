"""Small networks around a case: parameters before and behind it, weights of its own stored."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper

from modeldocs.ir.operators.operands import role

from .cases import Case

_STORED = ("weight", "bias", "scale", "mean", "var", "slope")
_RECURRENT = ("LSTM", "GRU", "RNN")
CASE = "case"
"""Name of the node of the case in its network."""


def network(case: Case) -> Case:
    """The case between an Add and a Mul with parameters, where its operands are float32."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    graph, node, inputs = model.graph, model.graph.node[0], dict(case.inputs)
    node.name = CASE
    _store_weights(graph, node, inputs)
    first = next((v for v in graph.input if v.name == node.input[0]), None) if node.input else None
    if first is not None and _is_plain(inputs[first.name]):
        _before(graph, node, first.name, inputs[first.name])
    if all(len(value.name) for value in graph.output) and _gives_floats(node, inputs):
        _behind(graph)
    return Case(case.name, model, inputs)


def stored_weights(graph: onnx.GraphProto) -> set[str]:
    """Names of the initializers that are weights of the case's node."""
    return {
        name
        for node in graph.node
        for slot, name in enumerate(node.input)
        if _is_weight(node.op_type, slot)
    }


def _is_weight(operator: str, slot: int) -> bool:
    return role(operator, slot) in _STORED or (operator in _RECURRENT and slot in (1, 2, 3))


def _store_weights(graph: onnx.GraphProto, node: onnx.NodeProto, inputs: dict) -> None:
    for slot, name in enumerate(node.input):
        is_weight = _is_weight(node.op_type, slot) and name in inputs
        if slot and is_weight and inputs[name].dtype.kind == "f":
            graph.initializer.append(numpy_helper.from_array(inputs.pop(name), name))
            kept = [value for value in graph.input if value.name != name]
            del graph.input[:]
            graph.input.extend(kept)


def _is_plain(array: np.ndarray) -> bool:
    return array.dtype == np.float32 and array.ndim > 0 and array.size > 0


def _gives_floats(node: onnx.NodeProto, inputs: dict) -> bool:
    first = inputs.get(node.input[0].removesuffix("/added")) if node.input else None
    others = {"ArgMax", "ArgMin", "Shape", "Size", "NonZero", "IsNaN", "IsInf", "Cast", "CastLike",
              "QuantizeLinear", "DynamicQuantizeLinear", "Equal", "Less", "Greater", "BitCast",
              "LessOrEqual", "GreaterOrEqual", "OneHot", "EyeLike", "If", "Loop", "Scan",
              "NonMaxSuppression", "MaxRoiPool", "TfIdfVectorizer", "Unique"}  # fmt: skip
    return first is not None and first.dtype == np.float32 and node.op_type not in others


def _before(graph: onnx.GraphProto, node: onnx.NodeProto, name: str, array: np.ndarray) -> None:
    """An Add with a parameter before the node, and a branch beside it to an output of its own."""
    shift = np.linspace(0.01, 0.05, array.shape[-1], dtype=np.float32)
    graph.initializer.append(numpy_helper.from_array(shift, "shift"))
    added = helper.make_node("Add", [name, "shift"], [f"{name}/added"])
    for slot, operand in enumerate(node.input):
        if operand == name:
            node.input[slot] = f"{name}/added"
    side = helper.make_node("Tanh", [name], ["side"])
    graph.output.append(onnx.ValueInfoProto(name="side"))
    nodes = [added, side, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def _behind(graph: onnx.GraphProto) -> None:
    node = next(node for node in graph.node if node.name == CASE)
    result = node.output[0]
    if not result or result not in {value.name for value in graph.output}:
        return
    graph.initializer.append(numpy_helper.from_array(np.array([1.5], np.float32), "factor"))
    node.output[0] = f"{result}/raw"
    graph.node.append(helper.make_node("Mul", [f"{result}/raw", "factor"], [result]))
