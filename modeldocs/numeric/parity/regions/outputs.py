"""What both networks return: every output of A held against B's, as the caller receives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modeldocs.diff import EQUAL, FORMS, Returned
from modeldocs.diff.function.arrangement import KEPT
from modeldocs.numeric.execution.closeness import (
    HALF_TOLERANCE,
    Difference,
    is_one_hot,
    output_distance,
)
from modeldocs.numeric.parity import layout
from modeldocs.numeric.parity.layout import Batches
from modeldocs.numeric.parity.measurements import sequence_difference
from modeldocs.numeric.parity.regions import orders

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Form:
    """How both networks take their inputs, and so may return their outputs.

    `other_layout` is whether their channels are in other places, `batches` the sizes of the batch
    in A and in B.
    """

    batches: Batches = (1, 1)
    other_layout: bool = False


Pairing = Callable[[str, str], bool]
"""Whether two outputs, by name, are of layers that correspond."""


def compare(
    names: tuple[list[str], list[str]], ours: Arrays, theirs: Arrays, form: Form, alike: Pairing
) -> tuple[Returned, ...]:
    """The outputs of A in their order, then those that only B returns.

    Outputs correspond by their places; where these differ, by their numbers, and those that are
    left by the layers that compute them.
    """
    found = [_returned(names, pair, ours, theirs, form) for pair in _by_place(*names)]
    if not all(one.relation in (*EQUAL, "missing", "unknown") for one in found):
        found = _by_numbers(names, ours, theirs, form, alike)
    return tuple(found)


def _by_place(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int]]:
    for place in range(max(len(ours), len(theirs))):
        yield (place if place < len(ours) else -1, place if place < len(theirs) else -1)


def _by_numbers(
    names: tuple[list[str], list[str]], ours: Arrays, theirs: Arrays, form: Form, alike: Pairing
) -> list[Returned]:
    """The outputs beside their equals; of the others those that correspond, or are of one shape."""
    left = list(range(len(names[1])))
    found: dict[int, Returned] = {}
    for accepted in (EQUAL, FORMS, None):
        for place in range(len(names[0])):
            if place in found:
                continue
            tried = (_returned(names, (place, other), ours, theirs, form) for other in left)
            fits = (one for one in tried if _fits(one, accepted, alike))
            best = min(fits, key=lambda one: abs(one.places[0] - one.places[1]), default=None)
            if best is not None:
                found[place] = best
                left.remove(best.places[1])
    lone = [(place, -1) for place in range(len(names[0])) if place not in found]
    alone = [_returned(names, pair, ours, theirs, form) for pair in lone]
    rest = [_returned(names, (-1, other), ours, theirs, form) for other in left]
    return [*sorted([*found.values(), *alone], key=lambda one: one.places[0]), *rest]


def _fits(one: Returned, accepted: Sequence[str] | None, alike: Pairing) -> bool:
    """Whether two outputs are a pair: by their relation, or by what computes them."""
    if accepted is not None:
        return one.relation in accepted
    same_shape = one.shapes[0] == one.shapes[1] and one.types[0] == one.types[1]
    return alike(one.a, one.b) or same_shape


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
    if error.shows_nothing:
        return "unknown", error
    if x.shape == y.shape and error.small:
        return ("equal" if x.dtype == y.dtype else "type"), error
    turned = layout.fit(y, x.shape) if form.other_layout and x.ndim == y.ndim else None
    if turned is not None and _error(x, turned).small:
        return "layout", _error(x, turned)
    batch = layout.batched(x, y.shape, form.batches)
    if batch is not None:
        return ("batch" if _error(batch, y).small else "apart"), _error(batch, y)
    if is_one_hot(x):
        return ("unknown" if x.shape == y.shape else "shape"), error
    order = orders.order_of(x, y, error.tolerance)
    if order is not None:
        apart = _error(orders.arranged(x, order, y.shape), y)
        if not apart.small:  # probabilities of which the small ones differ
            return "apart", apart
        return ("reshaped" if order == KEPT else "transposed"), apart
    if x.shape != y.shape:
        return "shape", Difference()
    return "apart", error


def _error(x: np.ndarray, y: np.ndarray) -> Difference:
    """The difference of two outputs; one of 16-bit floats may round more."""
    halves = any(kind.kind == "f" and kind.itemsize < 4 for kind in (x.dtype, y.dtype))
    error = output_distance(x, y)
    return error.within(HALF_TOLERANCE) if halves else error
