"""Chains: unbranched runs of layers between the same matched nodes, each matched as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.sequences import align_sequences
from modeldocs.diff.alignment.similarity import (
    confidence,
    same_family,
    same_function,
    same_operator,
    similarity,
)
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST: Final = 64
"""Layers of a chain, and chains between two nodes, beyond which they stay as they are matched."""

_SLOTS: Final = 0.25
"""What it adds that two chains start in the same slot, and that they end in the same."""

_EQUAL: Final = 0.75
"""What it adds that a pair computes the same with equal parameters: more than both slots."""

_SAME_OPERATOR: Final = 1.0
_SAME_FAMILY: Final = 0.5
"""The score of a pair of one operator, without its similarity, and of two of one family. Half or
twice the latter changes none of the diffs that were tried."""

_LEAST_CONFIDENCE: Final = 0.3
"""Confidence of a pair without any similarity, matched only because of its place in the chain."""

_GAIN: Final = 0.2
"""By how much other pairs must score more than those that are given up for them. With 0.1 a diff of
tests/diff changes, with 0.4 none."""

_Ends = tuple[int, int]
"""The matched nodes around a chain."""

_Score = Callable[[int, int], float]
_Pairs = list[tuple[int, int]]


@dataclass(slots=True)
class Chain:
    """Nodes that read each other one by one, and the slots in which the chain starts and ends."""

    nodes: list[int]
    slots: tuple[int, int]


@dataclass(slots=True)
class ParallelChains:
    """Chains of A and of B between the same two matched nodes.

    `crossed` where each is the counterpart of another from end to end, and only slots differ.
    """

    a: list[Chain]
    b: list[Chain]
    crossed: bool = False


def rematch_chains(matching: Matching) -> None:
    """Match chains anew, each as a whole with the chain that it is most similar to.

    If layers are matched one by one, a layer that is missing in a chain shifts all others by one;
    aligning the chain as a whole shows which one is missing.
    """
    for chains in list(parallel_chains(matching)):
        _rematch(matching, chains)


def parallel_chains(matching: Matching) -> Iterator[ParallelChains]:
    """Chains between the same nodes that are not all matched from end to end and computing alike.

    Those whose slots differ are included, and several of which one changed: others may be its
    counterparts.
    """
    a, b, to_b, to_a = matching.a, matching.b, matching.to_b, matching.to_a
    theirs = _chains(b, to_a)
    by_start = {chain.nodes[0]: chain for chains in theirs.values() for chain in chains}
    for (start, end), ours in _chains(a, to_b).items():
        others = theirs.get((to_b[start], to_b[end]), [])
        few = 0 < len(others) <= _MOST and len(ours) <= _MOST
        if not few:
            continue
        whole = _matched_whole(ours, others, to_b, by_start)
        crossed = whole and any(
            chain.slots != by_start[to_b[chain.nodes[0]]].slots for chain in ours
        )
        alike = crossed or len(ours) == 1 or all(_computes_the_same(matching, c) for c in ours)
        if not whole or crossed or not alike:
            yield ParallelChains(_sorted(a, ours), _sorted(b, others), crossed=crossed)


def _computes_the_same(matching: Matching, chain: Chain) -> bool:
    """Whether all layers of a matched chain compute what their counterparts do."""
    return all(same_function(matching, i, matching.to_b[i]) for i in chain.nodes)


def _matched_whole(
    ours: list[Chain], theirs: list[Chain], to_b: list[int], by_start: dict[int, Chain]
) -> bool:
    """Whether each chain is another's counterpart from its first layer to its last."""
    counterparts = [by_start.get(to_b[chain.nodes[0]]) for chain in ours]
    return len(ours) == len(theirs) and all(
        other is not None and other.nodes == [to_b[node] for node in chain.nodes]
        for chain, other in zip(ours, counterparts, strict=True)
    )


def _sorted(graph: IndexedGraph, chains: list[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: graph.postorder[chain.nodes[0]])


def _chains(graph: IndexedGraph, counterpart: list[int]) -> dict[_Ends, list[Chain]]:
    """The chains of a graph by the matched nodes around them."""
    chains: dict[_Ends, list[Chain]] = defaultdict(list)
    single = [len(s) == 1 == len(u) for s, u in zip(graph.sources, graph.users, strict=True)]
    for node in compress(range(len(graph)), single):
        if not single[graph.sources[node][0][1]]:
            nodes = _run(graph, node, single)
            (code, start), (slot, end) = graph.sources[node][0], graph.users[nodes[-1]][0]
            start = _matched_source(graph, start, counterpart)
            end = _matched_user(graph, end, counterpart)
            if counterpart[start] >= 0 <= counterpart[end] and len(nodes) <= _MOST:
                chains[start, end].append(Chain(nodes, (code, slot)))
    return chains


def _run(graph: IndexedGraph, node: int, single: list[bool]) -> list[int]:
    nodes = []
    while single[node]:
        nodes.append(node)
        node = graph.users[node][0][1]
    return nodes


def _matched_source(graph: IndexedGraph, node: int, counterpart: list[int]) -> int:
    """The matched node that an unmatched one is made from, if it is one."""
    while counterpart[node] < 0 and len(graph.sources[node]) == 1:
        node = graph.sources[node][0][1]
    return node


def _matched_user(graph: IndexedGraph, node: int, counterpart: list[int]) -> int:
    while counterpart[node] < 0 and len(graph.users[node]) == 1:
        node = graph.users[node][0][1]
    return node


def _rematch(matching: Matching, chains: ParallelChains) -> None:
    ours, theirs = _nodes(matching, chains)

    def score(i: int, j: int) -> float:
        if i not in ours or j not in theirs:
            return 0.0
        # Of chains that only differ in slots, none but equal pairs may be matched otherwise.
        allowed = not chains.crossed or matching.to_b[i] == j or _is_equal(matching, i, j)
        return _score(matching, i, j) if allowed else 0.0

    def current(i: int, j: int) -> float:
        return score(i, j) if matching.to_b[i] == j else 0.0

    before, _ = _best_pairs(chains, current)
    after, pairs = _best_pairs(chains, score)
    if after > before + _GAIN:
        _replace(matching, ours, pairs)


def _nodes(matching: Matching, chains: ParallelChains) -> tuple[set[int], set[int]]:
    """The nodes of chains, without those whose counterparts lie elsewhere."""
    ours = {node for chain in chains.a for node in chain.nodes}
    theirs = {node for chain in chains.b for node in chain.nodes}
    return (
        {i for i in ours if matching.to_b[i] < 0 or matching.to_b[i] in theirs},
        {j for j in theirs if matching.to_a[j] < 0 or matching.to_a[j] in ours},
    )


def _best_pairs(chains: ParallelChains, score: _Score) -> tuple[float, _Pairs]:
    """The pairs of chains with the highest scores, each chain in one pair at most."""
    cells = [
        (*_aligned(ours, theirs, score), x, y)
        for x, ours in enumerate(chains.a)
        for y, theirs in enumerate(chains.b)
    ]
    rows, columns, total, chosen = set[int](), set[int](), 0.0, _Pairs()
    for value, pairs, x, y in sorted(cells, key=lambda cell: (-cell[0], cell[2], cell[3])):
        if pairs and x not in rows and y not in columns:
            rows.add(x)
            columns.add(y)
            total += value
            chosen += pairs
    return total, chosen


def _aligned(ours: Chain, theirs: Chain, score: _Score) -> tuple[float, _Pairs]:
    """The score of two chains, and their pairs."""
    table = [[score(i, j) for j in theirs.nodes] for i in ours.nodes]
    cells = align_sequences(table)
    total = sum(table[x][y] for x, y in cells)
    if cells:
        total += _SLOTS * sum(map(int.__eq__, ours.slots, theirs.slots))
    return total, [(ours.nodes[x], theirs.nodes[y]) for x, y in cells]


def _is_equal(matching: Matching, i: int, j: int) -> bool:
    same = matching.a.ops[i].parameters == matching.b.ops[j].parameters
    return same and same_function(matching, i, j)


def _score(matching: Matching, i: int, j: int) -> float:
    if same_operator(matching, i, j):
        equal = _EQUAL * _is_equal(matching, i, j)
        return _SAME_OPERATOR + similarity(matching, i, j) + equal
    return _SAME_FAMILY if same_family(matching, i, j) else 0.0


def _replace(matching: Matching, nodes: set[int], pairs: _Pairs) -> None:
    """Match these pairs, and unmatch all other nodes of the chains."""
    kept = {i for i, j in pairs if matching.to_b[i] == j}
    for i in nodes - kept:
        matching.unmatch(i)
    for i, j in pairs:
        if i not in kept:
            certainty = confidence(matching, i, j, _LEAST_CONFIDENCE)
            matching.match(i, j, "in a chain between the same matched layers", certainty)
