"""How like two ports are, measured without a diff: by the layers that only one of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from modeldocs.diff.function.canonical_op import transparent
from modeldocs.diff.indexing.node_kinds import EXACT, NodeKinds
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct

_Numbers = np.ndarray[tuple[int, int], np.dtype[np.int64]]


class LayerHistogram(Struct, frozen=True):
    """How many layers of each kind a graph has.

    A kind is the digest of what a layer computes, with its effective settings, parameters and the
    shape of its output: equal for layers that a diff would match without a difference, whatever
    their names and spelling.
    """

    layers: dict[str, int]


def outline(graph: LayerGraph) -> LayerHistogram:
    """The outline of a graph; layers that only pass on their input are left out."""
    kinds = NodeKinds()
    shape = graph.inputs[0].type.shape if graph.inputs else None
    batch = shape[0] if shape else None
    counts = Counter(
        f"{kinds.of_layer(layer, batch).label_digests[EXACT] % 2**64:016x}"
        for layer in graph.layers
        if not transparent(layer)
    )
    return LayerHistogram(layers=dict(sorted(counts.items())))


def spanning_tree(outlines: Mapping[str, LayerHistogram]) -> list[tuple[str, str]]:
    """The pairs of a minimum spanning tree over the numbers of layers that two ports do not share.

    It has the pair of each port and its nearest other one, connects ports of equal outline with
    each other, and has one pair less than there are ports. Where distances are equal the first
    names decide. (Prim's algorithm, in time quadratic in the different outlines.)
    """
    names = sorted(outlines)
    counts, rows = _different([outlines[name] for name in names])
    pairs: list[tuple[str, str]] = []
    if not names:
        return pairs
    distances = np.full(len(names), np.iinfo(np.int64).max)
    above = np.zeros(len(names), dtype=np.int64)
    outside = np.ones(len(names), dtype=bool)
    reached: set[int] = set()
    newest = 0
    for _ in names[1:]:
        outside[newest] = False
        if rows[newest] not in reached:  # another port of the same outline is no nearer
            reached.add(rows[newest])
            to_newest = np.abs(counts - counts[rows[newest]]).sum(axis=1)[rows]
            nearer = outside & (to_newest < distances)
            distances[nearer], above[nearer] = to_newest[nearer], newest
        newest = int(np.flatnonzero(outside)[np.argmin(distances[outside])])
        a, b = sorted((names[above[newest]], names[newest]))
        pairs.append((a, b))
    return sorted(pairs)


def _different(outlines: list[LayerHistogram]) -> tuple[_Numbers, list[int]]:
    """A row for each different outline, and the row of each outline.

    Columns are the kinds of layers that not all have in the same number: others are no distance.
    """
    columns = {kind: n for n, kind in enumerate(sorted({k for o in outlines for k in o.layers}))}
    counts = np.zeros((len(outlines), len(columns)), dtype=np.int64)
    for row, one in enumerate(outlines):
        for kind, count in one.layers.items():
            counts[row, columns[kind]] = count
    counts = counts[:, (counts != counts[:1]).any(axis=0)]
    different: dict[bytes, int] = {}
    rows = [different.setdefault(row.tobytes(), len(different)) for row in counts]
    first = [rows.index(number) for number in range(len(different))]
    return counts[first], rows
