"""Indices that point at equal numbers: which of these a framework names is its own choice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.reference import Arrays
from modeldocs.normal import values
from modeldocs.numerics.closeness import LAYER, distance


class Pointer(NamedTuple):
    """What the indices that a node gives point into: a value's name, and along which axis."""

    source: str
    axis: int
    keeps_axis: bool


def pointers(model: ir.Model) -> dict[str, Pointer]:
    """The values of a graph that are indices of the largest or smallest, by name."""
    found: dict[str, Pointer] = {}
    for node in model.graph:
        if not node.inputs or node.inputs[0] is None:
            continue
        source = str(node.inputs[0].name)
        if values.is_operator(node, "TopK") and len(node.outputs) > 1:
            axis = int(values.attribute(node, "axis", -1))
            found[str(node.outputs[1].name)] = Pointer(source, axis, keeps_axis=True)
        elif values.is_operator(node, "ArgMax", "ArgMin"):
            axis = int(values.attribute(node, "axis", 0))
            kept = bool(values.attribute(node, "keepdims", 1))
            found[str(node.outputs[0].name)] = Pointer(source, axis, kept)
    return found


def are_tied(pointer: Pointer, data: np.ndarray, theirs: np.ndarray, ours: np.ndarray) -> bool:
    """Whether two arrays of indices are not the same, and point at the same numbers of `data`."""
    if theirs.shape != ours.shape or np.array_equal(theirs, ours):
        return False
    first, second = _taken(pointer, data, theirs), _taken(pointer, data, ours)
    if first is None or second is None:
        return False
    return distance(first, second).within(LAYER).small


def _taken(pointer: Pointer, data: np.ndarray, indices: np.ndarray) -> np.ndarray | None:
    """The numbers that indices point at; None where they point at none."""
    whole = indices.astype(np.int64)
    if not pointer.keeps_axis:
        whole = np.expand_dims(whole, pointer.axis)
    try:
        return np.take_along_axis(data, whole, pointer.axis)
    except (IndexError, ValueError):
        return None


def given(model: ir.Model, inputs: Arrays, chosen: Arrays) -> tuple[ir.Model, Arrays]:
    """The model and its inputs, with indices fed as they were chosen; itself without any."""
    if not chosen:
        return model, inputs
    model = model.clone()
    made = {str(value.name): value for node in model.graph for value in node.outputs}
    for name, array in chosen.items():
        inputs = inputs | feed(model.graph, made[name], array)
    return model, inputs


def feed(graph: ir.Graph, value: ir.Value, array: np.ndarray) -> Arrays:
    """Let all that reads a value read an array; what is to be fed for that, by name."""
    kind = value.dtype or ir.DataType.from_numpy(array.dtype)
    name = f"{value.name} given"
    fed = ir.Value(name=name, shape=ir.Shape(array.shape), type=ir.TensorType(kind))
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, fed)
    graph.inputs.append(fed)
    return {name: array.astype(kind.numpy())}
