"""Integers that mark something among the words of an input, as that of padding does: those that a
network compares its words with.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from modeldocs.normal import values
from modeldocs.numeric.parity import weight_init
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


def marks(graph: RunnableGraph) -> frozenset[int]:
    """The integers that a network compares its words with: integers that it looks up in a table."""
    return frozenset(_marks(graph))


def _marks(graph: RunnableGraph) -> Iterator[int]:
    for value in graph.inputs.values():
        if value.dtype is None or value.dtype.numpy().kind not in "iu":
            continue
        edges = graph.readers.get(str(value.name), ())
        if not any(weight_init.table_rows(graph, edge) for edge in edges):
            continue
        for edge in edges:
            node = graph.nodes[edge.layer]
            constant = (
                values.scalar(node.inputs[1 - edge.slot]) if node.op_type == "Equal" else None
            )
            if constant is not None and constant == int(constant):
                yield int(constant)


def replaced(array: np.ndarray, without: frozenset[int]) -> np.ndarray:
    """Integers of which those that mark something are the next ones below or above that do not."""
    if array.dtype.kind not in "iu":
        return array
    for mark in sorted(without, reverse=True):
        others = itertools.chain(range(mark - 1, -1, -1), itertools.count(mark + 1))
        plain = next(one for one in others if one not in without)
        array = np.where(array == mark, np.asarray(plain, array.dtype), array)
    return array
