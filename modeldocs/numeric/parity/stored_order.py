"""Weights carried over in the order in which both networks store them.

Where no layers correspond, as in cells that are called in a loop and one recurrent operator, the
checkpoints may still hold the same arrays. Running shows whether they do.
"""

from __future__ import annotations

from collections import defaultdict

from modeldocs.normal import values
from modeldocs.numeric.parity import inverse, stored_weights
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.expression import Expression, read
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_Sizes = tuple[int, ...]


def weights(a: RunnableGraph, b: RunnableGraph) -> Expressions:
    """B's weights in A's stored ones, where both store as many arrays of each size.

    Axes of size one do not count, and those of another order are reversed. Empty where their arrays
    have other sizes.
    """
    ours, theirs = _by_size(a), _by_size(b)
    if _counts(ours) != _counts(theirs):
        return {}
    known = stored_weights.rebuilt(a)
    stored = {
        str(target.step.name): _fitted(source, target.shape)
        for size, targets in theirs.items()
        for source, target in zip(ours[size], targets, strict=True)
        if source.step.name in known
    }
    return inverse.all_substituted(stored_weights.sources(b), stored)


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


def _counts(arrays: dict[_Sizes, list[Expression]]) -> dict[_Sizes, int]:
    return {size: len(some) for size, some in arrays.items()}
