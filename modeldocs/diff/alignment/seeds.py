"""Seeds: pairs of nodes whose surroundings are unique in both graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from modeldocs.diff.alignment.keys import (
    KeyPair,
    anchor_keys,
    neighbourhood_keys,
    one_way_keys,
    own_labels,
    unique_nodes,
    whole_graph_keys,
)
from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.propagation import propagate
from modeldocs.diff.alignment.sequences import DepthBounds, longest_nondecreasing
from modeldocs.diff.alignment.similarity import (
    Compatible,
    anchors_agree,
    same_channels,
    same_shape_or_weight,
)
from modeldocs.diff.alignment.trailing_ops import match_epilogues
from modeldocs.diff.indexing.edges import HUB_DEGREE, Edge
from modeldocs.diff.indexing.node_kinds import (
    ANCHOR_CHANNELS,
    ANCHOR_FAMILY,
    ANCHOR_LEVELS,
    ANCHOR_WEIGHT,
    EXACT,
    OPERATOR,
    SHAPE,
    WEIGHT,
)

_Candidate = tuple[int, int, str, float]
"""(node of A, node of B, reason, confidence)."""

_STRICT: Final = (EXACT, SHAPE, WEIGHT)

_RARE: Final = 10
"""A graph repeats itself if less than one in so many of its largest neighbourhoods is unique. With
5 or 20 no diff of the catalog or of tests/diff changes."""


def match_seeds(matching: Matching) -> None:
    """Match nodes by unique surroundings, as far as their order agrees.

    First nodes that are unique in the whole graph, then anchors and their epilogues, then smaller
    and smaller neighbourhoods that do not contradict what is matched.
    """
    anchors = matching.a.groups.anchors(), matching.b.groups.anchors()
    every = range(len(matching.a)), range(len(matching.b))
    _match(matching, every, whole_graph_keys(matching, (EXACT,)))
    _match(matching, anchors, whole_graph_keys(matching, (ANCHOR_WEIGHT,)))
    by_epilogue = matching.a.anchor_labels, matching.b.anchor_labels
    by_weight = own_labels(matching, ANCHOR_WEIGHT)
    for own in (by_epilogue, by_weight):
        _match(matching, anchors, anchor_keys(matching, own, (ANCHOR_WEIGHT,)))
    match_epilogues(matching)
    match_surrounded(matching)
    if _repeats(matching, anchors[0]):
        propagate(matching, matching.frontier(), _continues)
    if not matching.nearly_matched(*anchors):
        for own in (by_epilogue, by_weight):
            _match(matching, anchors, anchor_keys(matching, own, (ANCHOR_CHANNELS, ANCHOR_FAMILY)))
        _match(matching, anchors, neighbourhood_keys(matching, (ANCHOR_CHANNELS,)), level=True)
        by_channels = own_labels(matching, ANCHOR_CHANNELS)
        keys = anchor_keys(matching, by_channels, ANCHOR_LEVELS)
        _match(matching, anchors, keys, _best_among_neighbours)
        match_epilogues(matching)
        match_surrounded(matching)
        propagate(matching, matching.frontier(), _continues)
        _match(matching, anchors, neighbourhood_keys(matching, (ANCHOR_WEIGHT,)), level=True)
        match_epilogues(matching)
    if not matching.nearly_matched(*every):
        _match(matching, every, whole_graph_keys(matching, (SHAPE, WEIGHT)))
        _match(matching, every, one_way_keys(matching, _STRICT))
        _match(matching, every, neighbourhood_keys(matching, _STRICT), level=True)


def match_seeds_by_operator(matching: Matching) -> None:
    """Match nodes whose surroundings are unique by operators alone."""
    every = range(len(matching.a)), range(len(matching.b))
    if not matching.nearly_matched(*every):
        _match(matching, every, whole_graph_keys(matching, (OPERATOR,)))
        _match(matching, every, one_way_keys(matching, (OPERATOR,)))


def match_surrounded(matching: Matching) -> None:
    """Match nodes all of whose neighbours are matched and leave one counterpart, slot by slot."""
    for i in matching.unmatched_a():
        candidates = _surrounded_alike(matching, i)
        if len(candidates) == 1:
            j = candidates.pop()
            edges = len(matching.b.sources[j]) + len(matching.b.users[j])
            same = edges == len(matching.a.sources[i]) + len(matching.a.users[i])
            if same and same_shape_or_weight(matching, i, j):
                matching.match(i, j, "the only one between the same layers, slot by slot", 0.95)


def _surrounded_alike(matching: Matching, i: int) -> set[int]:
    """The unmatched nodes of B next to the counterparts of all neighbours of i, by equal edges.

    None where a neighbour is unmatched, or its counterpart is a hub.
    """
    a, b, to_b = matching.a, matching.b, matching.to_b
    candidates: set[int] | None = None
    for edges, back in ((a.users[i], b.sources), (a.sources[i], b.users)):
        for code, other in edges:
            if to_b[other] < 0 or len(back[to_b[other]]) > HUB_DEGREE:
                return set()
            ends = _unmatched_ends(back[to_b[other]], code, matching.to_a)
            candidates = ends if candidates is None else candidates & ends
            if not candidates:
                return candidates
    return candidates or set()


def _unmatched_ends(edges: list[Edge], code: int, counterpart: list[int]) -> set[int]:
    return {node for slot, node in edges if slot == code and counterpart[node] < 0}


def _repeats(matching: Matching, anchors: Sequence[int]) -> bool:
    """Whether the unmatched anchors of A repeat, so that hardly any neighbourhood is unique."""
    left = [i for i in anchors if matching.to_b[i] < 0]
    if not left:
        return False
    largest = matching.a.labels[ANCHOR_WEIGHT].neighbourhoods[-1]
    _, counts = np.unique(largest[left], return_counts=True)
    return int(np.count_nonzero(counts == 1)) * _RARE < len(left)


def _match(
    matching: Matching,
    among: tuple[Iterable[int], Iterable[int]],
    keys: Iterable[KeyPair],
    compatible: Compatible = anchors_agree,
    *,
    level: bool = False,
) -> None:
    """Match nodes with unique keys whose order agrees with the other pairs'."""
    candidates = list(_unique_pairs(matching, among, keys, compatible))
    if not candidates:
        return
    for i, j, reason, confidence in _ordered(matching, candidates, level=level):
        matching.match(i, j, reason, confidence)


def _continues(matching: Matching, i: int, j: int) -> bool:
    """Whether two neighbours of a pair have the same operator and make the same channels."""
    return same_channels(matching, i, j) and _best_among_neighbours(matching, i, j)


def _best_among_neighbours(matching: Matching, i: int, j: int) -> bool:
    """Whether no unmatched anchor next to either node has the weight that the other node has."""
    a, b = matching.a, matching.b
    ours, theirs = a.labels[ANCHOR_WEIGHT].own, b.labels[ANCHOR_WEIGHT].own
    if ours[i] == theirs[j]:
        return True
    beside_i = [x for _, x in (*a.groups.sources[i], *a.groups.users[i]) if matching.to_b[x] < 0]
    beside_j = [y for _, y in (*b.groups.sources[j], *b.groups.users[j]) if matching.to_a[y] < 0]
    return not (
        any(ours[x] == theirs[j] for x in beside_i) or any(theirs[y] == ours[i] for y in beside_j)
    )


def _unique_pairs(
    matching: Matching,
    among: tuple[Iterable[int], Iterable[int]],
    keys: Iterable[KeyPair],
    compatible: Compatible,
) -> Iterator[_Candidate]:
    """Unmatched nodes with a key that is unique in both graphs, by the strictest such key."""
    left = [i for i in among[0] if matching.to_b[i] < 0]
    right = [j for j in among[1] if matching.to_a[j] < 0]
    if not left or not right:
        return
    for ours, theirs, reason, confidence in keys:
        unique_a, unique_b = unique_nodes(left, ours), unique_nodes(right, theirs)
        pairs = {i: unique_b[key] for key, i in unique_a.items() if key in unique_b}
        pairs = {i: j for i, j in pairs.items() if compatible(matching, i, j)}
        if not pairs:
            continue
        yield from ((i, j, reason, round(confidence, 3)) for i, j in pairs.items())
        taken = set(pairs.values())
        left = [i for i in left if i not in pairs]
        right = [j for j in right if j not in taken]
        if not left or not right:
            return


def _ordered(matching: Matching, candidates: list[_Candidate], *, level: bool) -> list[_Candidate]:
    """The longest run of candidates that get deeper in both graphs, as matched pairs do.

    With `level` they must not be shifted against the pairs above and below them either: in a
    network that grows by the same number of channels in every block, each neighbourhood looks like
    that of the next block.
    """
    depths_a, depths_b = matching.a.groups.depths, matching.b.groups.depths
    bounds = DepthBounds([(depths_a[i], depths_b[j]) for i, j in matching.pairs()])
    fits = bounds.is_level if level else bounds.contains
    fitting = [c for c in candidates if fits(depths_a[c[0]], depths_b[c[1]])]
    fitting.sort(key=lambda c: (depths_a[c[0]], depths_b[c[1]], c[0]))
    return [fitting[index] for index in longest_nondecreasing([depths_b[c[1]] for c in fitting])]
