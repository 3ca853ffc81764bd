"""Whether a trace is of the network that it is imported for, by its calls of convolutions."""

from __future__ import annotations

from typing import Final

from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model, Port
from modeldocs.ir import LayerGraph, operators
from modeldocs.loaders import loading

CONVOLUTIONS: Final = (
    *("aten::convolution", "aten::_convolution", "aten::conv1d", "aten::conv2d", "aten::conv3d"),
    *("aten::cudnn_convolution", "aten::mkldnn_convolution", "Conv2D", "Conv"),
)
"""Operators that are called at most once for each convolution of a forward pass."""

_LAYERS: Final = operators.named(family="convolution")

PASSES: Final = 4
"""Forward passes of the largest step, as when gradients of several batches are summed."""


def contradiction(record: Record, model: Model, port: Port | None) -> str:
    """Why a trace cannot be of a port, as a clause; empty where it can, or nothing is known.

    Without a port it is held against the reference of the model.
    """
    calls, steps = _calls(record), record.run.iterations
    chosen = port or next(iter(model.reference_first()), None)
    if not calls or chosen is None:
        return ""
    graph = loading.load(chosen.framework, chosen.request, chosen.limits).graph
    count = convolutions(graph) if graph is not None else 0
    if graph is None or fits(calls, count, marked=steps is not None):
        return ""
    whole = "a step of the trace" if steps is not None else "the trace"
    return (
        f"{whole} runs {calls:g} convolutions, and {model.id}/{chosen.name} has "
        f"{count or 'none'}: it is of another network"
    )


def convolutions(graph: LayerGraph) -> int:
    """The number of convolutions of a network."""
    return sum(layer.operator in _LAYERS for layer in graph.layers)


def fits(calls: float, count: int, *, marked: bool) -> bool:
    """Whether so many calls are forward passes of a network with that number of convolutions.

    They are those of one step where the trace marks steps, else of all its steps.
    """
    if not count:
        return False
    passes = max(1, round(calls / count))
    return abs(calls - passes * count) < 0.5 and (passes <= PASSES or not marked)


def _calls(record: Record) -> float:
    """Convolutions in each step, or in all of a trace that marks none; 0 where it tells of none."""
    calls = {one.name: one.n or 0.0 for one in record.host_operators or ()}
    return max((calls.get(name, 0.0) for name in CONVOLUTIONS), default=0.0)
