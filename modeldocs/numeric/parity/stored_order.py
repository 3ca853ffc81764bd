"""Weights carried over in the order in which both networks store them.

Where no layers correspond, as in cells that are called in a loop and one recurrent operator, the
checkpoints may still hold the same arrays. Running shows whether they do.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict

from modeldocs.normal import values
from modeldocs.numeric.parity import inverse, stored_weights
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.expression import Expression, full, read
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_Sizes = tuple[int, ...]


def weights(a: RunnableGraph, b: RunnableGraph) -> Expressions:
    """B's weights in A's stored ones, where both store as many arrays of each size.

    Axes of size one do not count, and those of another order are reversed. One of them may hold
    several vectors for each of the other, as the two biases of a recurrent layer: their sum counts.
    Empty where their arrays have other sizes.
    """
    ours, theirs = _by_size(a), _by_size(b)
    known = stored_weights.rebuilt(a)
    stored: Expressions = {}
    for size in sorted(ours.keys() | theirs.keys()):
        given = _given(ours.get(size, []), theirs.get(size, []), are_vectors=len(size) < 2)
        if given is None:
            return {}
        stored |= {name: one for name, one in given.items() if known.keys() >= set(one.reads())}
    return inverse.all_substituted(stored_weights.sources(b), stored)


def _given(
    sources: list[Expression], targets: list[Expression], *, are_vectors: bool
) -> Expressions | None:
    """Arrays of one size by those of another network, in order; None where their numbers do not
    fit.
    """
    few, many = sorted((len(sources), len(targets)))
    if few == 0 or many % few or (many > few and not are_vectors):
        return None
    each = many // few
    names = [str(target.step.name) for target in targets]
    if len(targets) == few:
        sums = [functools.reduce(operator.add, one) for one in _in_groups(sources, each)]
        return {n: _fitted(one, t.shape) for n, one, t in zip(names, sums, targets, strict=True)}
    return {
        name: full(target.shape, 0.0)
        if place % each
        else _fitted(sources[place // each], target.shape)
        for place, (name, target) in enumerate(zip(names, targets, strict=True))
    }


def _in_groups(arrays: list[Expression], size: int) -> list[list[Expression]]:
    return [arrays[start : start + size] for start in range(0, len(arrays), size)]


def _fitted(source: Expression, shape: _Sizes) -> Expression:
    """An array in a shape of the same sizes."""
    return (source if _wide(source.shape) == _wide(shape) else source.T).reshape(shape)


def _wide(shape: _Sizes) -> _Sizes:
    """The sizes of axes that have more than one element."""
    return tuple(size for size in shape if size > 1)


def _by_size(graph: RunnableGraph) -> dict[_Sizes, list[Expression]]:
    """Stored arrays in their order, by the sizes of their axes."""
    initializers = graph.model.graph.initializers
    found: dict[_Sizes, list[Expression]] = defaultdict(list)
    for name in stored_weights.names(graph):
        shape = values.shape(initializers[name]) or ()
        found[tuple(sorted(_wide(shape)))].append(read(name, shape))
    return found
