"""Ties: indices of equal numbers, of which a framework may choose others than ONNX."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.reference import Arrays
from modeldocs.normal import values
from modeldocs.numeric.execution.closeness import LAYER_TOLERANCE, distance


class IndexValue(NamedTuple):
    """A value of indices along an axis of `source`, another value's name."""

    source: str
    axis: int
    keeps_axis: bool


def index_values(model: ir.Model) -> dict[str, IndexValue]:
    """The values of a graph that are indices of the largest or smallest numbers, by name."""
    indices: dict[str, IndexValue] = {}
    for node in model.graph:
        if not node.inputs or node.inputs[0] is None:
            continue
        source = str(node.inputs[0].name)
        if values.is_operator(node, "TopK") and len(node.outputs) > 1:
            axis = int(values.attribute(node, "axis", -1))
            indices[str(node.outputs[1].name)] = IndexValue(source, axis, keeps_axis=True)
        elif values.is_operator(node, "ArgMax", "ArgMin"):
            axis = int(values.attribute(node, "axis", 0))
            keeps_axis = bool(values.attribute(node, "keepdims", 1))
            indices[str(node.outputs[0].name)] = IndexValue(source, axis, keeps_axis)
    return indices


def are_tied(index: IndexValue, data: np.ndarray, theirs: np.ndarray, ours: np.ndarray) -> bool:
    """Whether two arrays of indices differ, but point at the same numbers of `data`."""
    if theirs.shape != ours.shape or np.array_equal(theirs, ours):
        return False
    their_numbers, our_numbers = _take(index, data, theirs), _take(index, data, ours)
    if their_numbers is None or our_numbers is None:
        return False
    return distance(their_numbers, our_numbers).within(LAYER_TOLERANCE).small


def _take(index: IndexValue, data: np.ndarray, indices: np.ndarray) -> np.ndarray | None:
    """The numbers at these indices; None where any is out of range."""
    indices = indices.astype(np.int64)
    if not index.keeps_axis:
        indices = np.expand_dims(indices, index.axis)
    try:
        return np.take_along_axis(data, indices, index.axis)
    except (IndexError, ValueError):
        return None


def fix_indices(model: ir.Model, inputs: Arrays, chosen: Arrays) -> tuple[ir.Model, Arrays]:
    """A copy of the model that reads the chosen indices as inputs, and its inputs with them.

    Without any it is the model itself.
    """
    if not chosen:
        return model, inputs
    model = model.clone()
    by_name = {str(value.name): value for node in model.graph for value in node.outputs}
    for name, array in chosen.items():
        inputs = inputs | feed(model.graph, by_name[name], array)
    return model, inputs


def feed(graph: ir.Graph, value: ir.Value, array: np.ndarray) -> Arrays:
    """Let all readers of a value read a new input of the graph; the input's array, by its name."""
    dtype = value.dtype or ir.DataType.from_numpy(array.dtype)
    name = f"{value.name} given"
    replacement = ir.Value(name=name, shape=ir.Shape(array.shape), type=ir.TensorType(dtype))
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, replacement)
    graph.inputs.append(replacement)
    return {name: array.astype(dtype.numpy())}
