"""Indices as the tables of several targets read them: those of TopK, gathers, scatters, OneHot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from modeldocs.generators.layouts import tensor
from modeldocs.generators.network import Array
from modeldocs.generators.site import Site
from modeldocs.ir import Cast, Step
from modeldocs.normal import values


@dataclass(frozen=True)
class TopK:
    """What a TopK is set to; `used` are the places of the outputs that something reads."""

    count: int
    is_largest: bool
    used: tuple[int, ...]


def top_k(site: Site) -> TopK:
    """What a TopK is set to.

    Raises:
        NoProgramError: the count is computed.
    """
    count = site.number(1)
    if count is None:
        raise site.unsupported("how many values it takes is computed")
    used = tuple(site.used_outputs())
    names = ("values", "indices") if len(used) > 1 else ()
    for place, name in enumerate(names):
        site.lowered.variables.setdefault(tensor(site.layer.id, place), name)
    return TopK(int(count), bool(site.layer.number("largest", 1)), used)


def constant(site: Site, slot: int, sizes: tuple[int, ...]) -> Array | None:
    """Constant indices, each counted from the front; None where they are computed.

    `sizes` are those that the indices, or their coordinates along the last axis, count in.
    """
    array = site.array(slot)
    if array is None:
        return None
    return np.where(array < 0, array + np.asarray(sizes), array).astype(np.int64)


def depth(site: Site) -> int:
    """The number of coordinates of each index of a GatherND or ScatterND."""
    return site.shape(1)[-1]


def reduction(site: Site) -> str:
    """What a scatter makes of what was there and what comes: `none` for what comes."""
    return str(site.attributes.get("reduction", "none"))


@dataclass(frozen=True)
class OneHot:
    """What a OneHot is set to; `axis` is that of the result, which is -1 where it is the last."""

    depth: int
    axis: int
    off: float
    on: float
    is_front_counted: bool
    """Whether no index counts from the back."""
    is_in_range: bool
    """Whether each index is one of a place."""


def one_hot(site: Site) -> OneHot:
    """What a OneHot is set to.

    Raises:
        NoProgramError: the depth or the values are computed, or the indices are no integers.
    """
    count, both = site.number(1), site.array(2)
    if count is None or both is None:
        raise site.unsupported("its depth or its values are computed")
    edge = site.edge(0)
    if edge is None or not str(edge.type.dtype).startswith("int"):
        raise site.unsupported("its indices are no computed integers")
    rank = len(site.shape(0)) + 1
    # The layer's own axis is counted in the indices, which have one axis less than the result.
    axis = int(values.attribute(site.lowered.network.nodes[site.layer.id], "axis", -1)) % rank
    largest = _most(site)
    off, on = (one.item() for one in both.reshape(-1))
    return OneHot(
        depth=int(count),
        axis=-1 if axis == rank - 1 else axis,
        off=off,
        on=on,
        is_front_counted=largest is not None,
        is_in_range=largest is not None and largest <= count,
    )


def _most(site: Site) -> float | None:
    """A number that all indices in slot 0 are less than, where they are places: else None."""
    edge = site.edge(0)
    assert edge is not None
    if not all(_keeps_integers(step) for step in edge.steps):
        return None
    source = next((one for one in site.lowered.network.graph.layers if one.id == edge.value), None)
    is_place = source is not None and (
        source.operator in ("ArgMax", "ArgMin") or (source.operator, edge.output) == ("TopK", 1)
    )
    if source is None or not is_place:
        return None
    value = site.lowered.network.operand(source.id, 0)
    shape = values.shape(value)
    axis = int(source.number("axis", -1 if source.operator == "TopK" else 0))
    return math.inf if shape is None else shape[axis]


def _keeps_integers(step: Step) -> bool:
    return not isinstance(step, Cast) or step.dtype in ("int32", "int64")


def is_float(site: Site) -> bool:
    """Whether a layer's first operand has floating-point numbers, which have a negative each."""
    edge = site.edge(0)
    return edge is not None and "float" in str(edge.type.dtype)


def is_positive(site: Site) -> bool:
    """Whether a layer's first operand is of numbers that are never negative, nor a negative 0."""
    edge = site.edge(0)
    layers = site.lowered.network.graph.layers
    source = next((one for one in layers if edge is not None and one.id == edge.value), None)
    return source is not None and source.operator in ("Exp", "Sigmoid", "Softmax")
