"""Networks of which only one ends in an activation: the outputs of the other with that applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import special

from modeldocs.diff import Diff, Ids, Pair
from modeldocs.loaders.reference import Arrays
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_FUNCTIONS: Final[dict[str, Callable[[np.ndarray], np.ndarray]]] = {
    "Softmax": lambda x: np.asarray(special.softmax(x, axis=-1)),
    "LogSoftmax": lambda x: np.asarray(special.log_softmax(x, axis=-1)),
    "Sigmoid": lambda x: np.asarray(special.expit(x)),
    "Log": lambda x: np.log(x),
}


def pairs(diff: Diff, numbers: frozenset[int]) -> tuple[Pair, ...]:
    """The layers of A and B in some changes, by their numbers from 1."""
    return tuple(pair for number in sorted(numbers) for pair in diff.changes[number - 1].pairs)


def completed(
    graphs: tuple[RunnableGraph, RunnableGraph],
    outputs: tuple[Arrays, Arrays],
    head: tuple[Pair, ...],
) -> tuple[Arrays, Arrays]:
    """The outputs of A and B by name; those of the one that lacks an activation with it applied.

    `head` are the activations that only one has. Outputs of other forms than rows of numbers, and
    those of networks with several, are left as they are.
    """
    ours, theirs = ([one for pair in head for one in pair[side]] for side in (0, 1))
    if bool(ours) == bool(theirs) or any(len(one) != 1 for one in outputs):
        return outputs
    lacking, having = (1, 0) if ours else (0, 1)
    applied = {
        name: _applied(array, graphs[having], tuple(ours or theirs))
        for name, array in outputs[lacking].items()
    }
    return (applied, outputs[1]) if lacking == 0 else (outputs[0], applied)


def _applied(array: np.ndarray, graph: RunnableGraph, activations: Ids) -> np.ndarray:
    for name in activations:
        function = _FUNCTIONS.get(graph.layers[name].operator)
        if function is None or array.ndim != 2:
            return array
        array = function(array.astype(np.float64)).astype(array.dtype)
    return array
