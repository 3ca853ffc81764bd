"""Each layer alone: fed with what the framework's own layers gave, against what they give next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.reference import Arrays, Reference
from modeldocs.normal import values
from modeldocs.numerics.closeness import LAYER, TOLERANCE, Difference, distance
from modeldocs.parity.partial_run import PartialRun
from modeldocs.proof import ties

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


class Alone(NamedTuple):
    """How far values are from the framework's.

    `tied` has the framework's own indices where ONNX gives others, of equal numbers.
    """

    differences: dict[str, Difference]
    tied: Arrays


def compare(model: ir.Model, held: Reference) -> Alone:
    """Hold values against the framework's, each computed of the framework's own.

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
                fed |= ties.feed(cut.graph, value, array)
    pointers = ties.pointers(model)
    sources = {pointer.source for pointer in pointers.values()}
    made = PartialRun(cut, fed).run(name for name in names(cut) if name in known or name in sources)
    seen = made | held.inputs | known
    tied = {
        name: known[name].astype(np.int64)
        for name, pointer in pointers.items()
        if name in known
        and name in made
        and pointer.source in seen
        and ties.are_tied(pointer, seen[pointer.source], known[name], made[name])
    }
    apart = {name: _apart(known[name], array) for name, array in made.items() if name in known}
    return Alone(apart | dict.fromkeys(tied, Difference(absolute=0.0, relative=0.0)), tied)


def _fits(value: ir.Value, array: np.ndarray) -> bool:
    """Whether what the framework gave can stand for a value of the graph."""
    shape = values.shape(value)
    kind = value.dtype.numpy().kind if value.dtype is not None else ""
    return kind != "" and kind in _FED and shape in (None, array.shape)


def _apart(theirs: np.ndarray, ours: np.ndarray) -> Difference:
    """How far two arrays are apart; of other shapes, or types that count, not comparable."""
    if theirs.shape != ours.shape:
        return Difference()
    if ours.dtype.kind == "f":  # onnxruntime's maximum of no elements is the smallest number
        ours = np.where(ours == np.finfo(ours.dtype).min, -np.inf, ours)
    return distance(theirs, ours)
