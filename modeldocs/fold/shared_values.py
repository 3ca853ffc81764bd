"""Hubs: values beside the main path that layers all over the network read.

An attention mask, position ids, the encoder's output in each block of a decoder: with such an edge
no block of the main path has a single entry. The edges of hubs are left aside while regions are
looked for, and are drawn as labelled stubs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modeldocs.fold.dataflow import ROOT, Dataflow
from modeldocs.fold.dominators import DominatorTree

MIN_SPREAD = 0.2
"""The layers that a hub meets lie apart by at least this share of the network's depth."""
MIN_DISTANCE = 12
"""And by at least so many layers: a small network has blocks that are a fifth of it."""
MAX_HUBS = 32
MAX_WORK = 100
"""Edges followed a node in the search of one hub; denser graphs are drawn without."""

Edges = frozenset[tuple[int, int]]


def hub_edges(flow: Dataflow) -> Edges:
    """The edges (producer, reader) of all hubs, the hub that most layers meet first."""
    cut = _widely_read_inputs(flow)
    for _ in range(MAX_HUBS):
        hub = _widest(flow, frozenset(cut))
        if hub is None:
            break
        cut.update((hub, reader) for reader in flow.after[hub])
    return frozenset(cut)


def _widely_read_inputs(flow: Dataflow) -> set[tuple[int, int]]:
    """Edges of graph inputs read in many places, but those to the first reader.

    SSD's prior boxes read the size of the image, which dominates all of the network.
    """
    cut: set[tuple[int, int]] = set()
    for node in range(flow.inputs):
        readers = sorted(
            flow.after[node], key=lambda reader: (flow.depth[reader], flow.rank[reader])
        )
        if len(readers) > 2 and _is_wide(flow, readers):
            cut.update((node, reader) for reader in readers[1:])
    return cut


def _is_wide(flow: Dataflow, nodes: Iterable[int]) -> bool:
    """Whether nodes lie apart by as much of the network's depth as readers of a hub do."""
    depths = [flow.depth[node] for node in nodes]
    return max(depths) - min(depths) >= max(MIN_DISTANCE, MIN_SPREAD * max(flow.depth))


def main_reads(flow: Dataflow, cut: Edges) -> list[tuple[int, ...]]:
    """What each node reads along edges that are not cut, of nodes that depend on a graph input.

    Nothing for a node that depends on none itself: a constant, a projection of a hub.
    """
    result: list[tuple[int, ...]] = []
    for node, read in enumerate(flow.before):
        kept = (other for other in read if (other, node) not in cut)
        result.append(tuple(other for other in kept if other == ROOT or result[other]))
    return result


def dominator_tree(flow: Dataflow, reads: Sequence[Sequence[int]]) -> DominatorTree:
    """Dominators along the edges of `main_reads`.

    A node without such edges stands beside its readers: its parent is their common dominator.
    """
    tree = DominatorTree()
    for node, read in enumerate(reads):
        if read:
            tree.add(node, tree.common_ancestor(read))
    for node in reversed(range(len(flow))):
        if not reads[node]:
            tree.add(node, tree.common_ancestor(tree.parent[reader] for reader in flow.after[node]))
    return tree


def _widest(flow: Dataflow, cut: Edges) -> int | None:
    """The value that most layers outside its own subtree meet, far apart; the last such value."""
    exits = _exits(flow, cut)
    best: tuple[int, int, int] | None = None
    for node, met in exits.items():
        if len(met) < 2 or len(flow.after[node]) < 2:
            continue
        if (best is None or (len(met), flow.rank[node]) > best[:2]) and _is_wide(flow, met):
            best = (len(met), flow.rank[node], node)
    return best[2] if best is not None else None


def _exits(flow: Dataflow, cut: Edges) -> dict[int, set[int]]:
    """The nodes outside the subtree of each node that read from inside it."""
    reads = main_reads(flow, cut)
    tree = dominator_tree(flow, reads)
    exits: dict[int, set[int]] = {}
    work = MAX_WORK * len(flow)
    for node, read in enumerate(reads):
        for other in read:
            while other != tree.parent[node]:
                exits.setdefault(other, set()).add(node)
                other = tree.parent[other]
                work -= 1
            if work < 0:
                return {}
    return exits
