"""What both networks return: every output of A held against B's, as the caller receives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modeldocs.diff import EQUAL, Returned
from modeldocs.numerics.closeness import (
    HALF_TOLERANCE,
    Difference,
    is_one_hot,
    output_distance,
)
from modeldocs.parity import layout
from modeldocs.parity.layout import Batches
from modeldocs.parity.measurements import sequence_difference
from modeldocs.parity.runnable_graph import RunnableGraph

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Form:
    """How both networks take their inputs, and so may return their outputs.

    `other_layout` is whether their channels are in other places, `batches` the sizes of the batch
    in A and in B.
    """

    batches: Batches = (1, 1)
    other_layout: bool = False


def compare(
    a: RunnableGraph, b: RunnableGraph, ours: Arrays, theirs: Arrays, *, form: Form
) -> tuple[Returned, ...]:
    """The outputs of A in their order, then those that only B returns.

    Outputs correspond by their places; where these differ, by their numbers.
    """
    names = _names(a), _names(b)
    pairs = _by_place(*names)
    found = [_returned(names, pair, ours, theirs, form) for pair in pairs]
    if all(one.relation in (*EQUAL, "missing", "unknown") for one in found):
        return tuple(found)
    moved = _by_numbers(names, ours, theirs, form)
    return tuple(found if moved is None else moved)


def _names(graph: RunnableGraph) -> list[str]:
    return [str(value.name) for value in graph.model.graph.outputs]


def _by_place(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int]]:
    for place in range(max(len(ours), len(theirs))):
        yield (place if place < len(ours) else -1, place if place < len(theirs) else -1)


def _by_numbers(
    names: tuple[list[str], list[str]], ours: Arrays, theirs: Arrays, form: Form
) -> list[Returned] | None:
    """The outputs with each of the shorter list beside its equal in the other; None if one has
    none.
    """
    swapped = len(names[0]) > len(names[1])
    left = list(range(max(map(len, names))))
    found: list[Returned] = []
    for place in range(min(map(len, names))):
        pairs = [(other, place) if swapped else (place, other) for other in left]
        tried = (_returned(names, pair, ours, theirs, form) for pair in pairs)
        equal = next((one for one in tried if one.relation in EQUAL), None)
        if equal is None:
            return None
        left.remove(equal.places[0 if swapped else 1])
        found.append(equal)
    alone = [(place, -1) if swapped else (-1, place) for place in left]
    return [*found, *(_returned(names, pair, ours, theirs, form) for pair in alone)]


def _returned(
    names: tuple[list[str], list[str]],
    places: tuple[int, int],
    ours: Arrays,
    theirs: Arrays,
    form: Form,
) -> Returned:
    a, b = (of[place] if place >= 0 else "" for of, place in zip(names, places, strict=True))
    if not a or not b:
        return Returned(a, b, places, "missing")
    x, y = ours.get(a), theirs.get(b)
    if x is None or y is None:
        return Returned(a, b, places, "unknown")
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        error = sequence_difference(x, y, output_distance)
        return Returned(a, b, places, "equal" if error.small else "apart", error)
    relation, error = _relation(x, y, form)
    types = str(x.dtype), str(y.dtype)
    return Returned(a, b, places, relation, error, (x.shape, y.shape), types)


def _relation(x: np.ndarray, y: np.ndarray, form: Form) -> tuple[str, Difference]:
    error = _error(x, y)
    if x.shape == y.shape and error.small:
        return ("equal" if x.dtype == y.dtype else "type"), error
    turned = layout.fit(y, x.shape) if form.other_layout and x.ndim == y.ndim else None
    if turned is not None and _error(x, turned).small:
        return "layout", _error(x, turned)
    batch = layout.batched(x, y.shape, form.batches)
    if batch is not None:
        return ("batch" if _error(batch, y).small else "apart"), _error(batch, y)
    if x.shape != y.shape:
        return "shape", Difference()
    return ("unknown" if is_one_hot(x) else "apart"), error


def _error(x: np.ndarray, y: np.ndarray) -> Difference:
    """The difference of two outputs; one of 16-bit floats may round more."""
    halves = any(kind.kind == "f" and kind.itemsize < 4 for kind in (x.dtype, y.dtype))
    error = output_distance(x, y)
    return error.within(HALF_TOLERANCE) if halves else error
