"""Each layer alone: fed with what the framework's own layers gave, against what they give next."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs import origin
from modeldocs.closeness import LAYER, TOLERANCE, Difference, distance
from modeldocs.loaders.reference import Arrays, Reference
from modeldocs.normal import values
from modeldocs.parity.attempt import Attempt

_FED = "fiub"
"""Kinds of numbers that onnxruntime is fed with."""


_BETWEEN = ("Resize", "Upsample", "GridSample", "AffineGrid", "RoiAlign")
"""Operators that read between elements, at places that float32 rounds."""


def rounding(model: ir.Model) -> dict[str, float]:
    """By value: how large a relative error is rounding in the layer that gives it."""
    made: dict[str, float] = {}
    for node in model.graph:
        least = TOLERANCE if node.op_type in _BETWEEN else LAYER
        made |= dict.fromkeys((str(value.name) for value in node.outputs), least)
    return made


def names(model: ir.Model) -> dict[str, str]:
    """By value, in order: the name that a reader knows the layer by that gives it."""
    return {
        str(value.name): origin.read(node).name or node.name or node.op_type
        for node in model.graph
        for value in node.outputs
    }


def differences(model: ir.Model, held: Reference) -> dict[str, Difference]:
    """How far values are from the framework's, each computed of the framework's own.

    Between two values that the framework tells of there may be several nodes, which are one layer.
    What onnxruntime cannot run is left out.
    """
    known = held.activations | held.outputs
    cut = model.clone()
    fed = dict(held.inputs)
    for node in cut.graph:
        for value in node.outputs:
            array = known.get(str(value.name))
            if array is not None and _fits(value, array):
                fed |= _fed(cut.graph, value, array)
    made = Attempt(cut, fed).run(name for name in names(cut) if name in known)
    return {name: _apart(known[name], array) for name, array in made.items()}


def _fits(value: ir.Value, array: np.ndarray) -> bool:
    """Whether what the framework gave can stand for a value of the graph."""
    shape = values.shape(value)
    kind = value.dtype.numpy().kind if value.dtype is not None else ""
    return kind != "" and kind in _FED and shape in (None, array.shape)


def _fed(graph: ir.Graph, value: ir.Value, array: np.ndarray) -> Arrays:
    """Let all that reads a value read an array."""
    assert value.dtype is not None
    given = ir.Value(
        name=f"{value.name} given", shape=ir.Shape(array.shape), type=ir.TensorType(value.dtype)
    )
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, given)
    graph.inputs.append(given)
    return {str(given.name): array.astype(value.dtype.numpy())}


def _apart(theirs: np.ndarray, ours: np.ndarray) -> Difference:
    """How far two arrays are apart; of other shapes, or types that count, not comparable."""
    if theirs.shape != ours.shape:
        return Difference()
    if ours.dtype.kind == "f":  # onnxruntime's maximum of no elements is the smallest number
        ours = np.where(ours == np.finfo(ours.dtype).min, -np.inf, ours)
    return distance(theirs, ours)
