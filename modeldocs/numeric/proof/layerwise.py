"""Comparison of single layers: each runs on what the framework's own layers computed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators, origin
from modeldocs.loaders.reference import Arrays, Reference
from modeldocs.normal import values
from modeldocs.numeric.execution.closeness import LAYER_TOLERANCE, TOLERANCE, Difference, distance
from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.parity.partial_run import PartialRun
from modeldocs.numeric.proof import ties

_FEEDABLE = "fiub"
"""Kinds of numpy types that onnxruntime takes as inputs."""


def tolerances(model: ir.Model) -> dict[str, float]:
    """The relative error that counts as rounding, by name of the value."""
    by_value: dict[str, float] = {}
    for node in model.graph:
        # float32 rounds the positions at which an operator interpolates.
        interpolates = operators.of(node.op_type).interpolates
        tolerance = TOLERANCE if interpolates else LAYER_TOLERANCE
        by_value |= dict.fromkeys((str(value.name) for value in node.outputs), tolerance)
    return by_value


def layer_names(model: ir.Model) -> dict[str, str]:
    """The name of the layer that computes each value, by name of the value, in order."""
    return {
        str(value.name): origin.read(node).name or node.name or node.op_type
        for node in model.graph
        for value in node.outputs
    }


class LayerDifferences(NamedTuple):
    """Differences by name of the value.

    `tied` are the framework's indices where ONNX chose others that point at equal numbers.
    """

    differences: dict[str, Difference]
    tied: Arrays


def compare(model: ir.Model, reference: Reference) -> LayerDifferences:
    """Compare each value with the framework's, computed from the framework's own values before it.

    Nodes between two values of the framework count as one layer. What onnxruntime cannot run is
    left out.
    """
    known = reference.activations | reference.outputs
    cut = model.clone()
    feeds = dict(reference.inputs)
    for node in cut.graph:
        for value in node.outputs:
            array = known.get(str(value.name))
            if array is not None and _is_feedable(value, array):
                feeds |= ties.feed(cut.graph, value, array)
    indices = ties.index_values(model)
    sources = {one.source for one in indices.values()}
    run = PartialRun(ModelRunner(cut), feeds)
    results = run.run(name for name in layer_names(cut) if name in known or name in sources)
    available = results | reference.inputs | known
    tied = {
        name: known[name].astype(np.int64)
        for name, index in indices.items()
        if name in known
        and name in results
        and index.source in available
        and ties.are_tied(index, available[index.source], known[name], results[name])
    }
    differences = {
        name: _difference(known[name], array) for name, array in results.items() if name in known
    }
    differences |= dict.fromkeys(tied, Difference(absolute=0.0, relative=0.0))
    return LayerDifferences(differences, tied)


def _is_feedable(value: ir.Value, array: np.ndarray) -> bool:
    """Whether the framework's array can be fed in place of a value of the graph."""
    shape = values.shape(value)
    kind = value.dtype.numpy().kind if value.dtype is not None else ""
    return kind != "" and kind in _FEEDABLE and shape in (None, array.shape)


def _difference(theirs: np.ndarray, ours: np.ndarray) -> Difference:
    """The difference of two arrays; not comparable where their shapes differ."""
    if theirs.shape != ours.shape:
        return Difference()
    if ours.dtype.kind == "f":
        # onnxruntime's maximum of no elements is the smallest number, frameworks' is -inf.
        ours = np.where(ours == np.finfo(ours.dtype).min, -np.inf, ours)
    return distance(theirs, ours)
