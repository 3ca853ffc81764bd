"""Projections of an Attention whose names say that queries, keys or values are exchanged.

In structure the projections of queries and keys are equal; only the operand that each feeds tells
them apart. Where a source names the projection of the keys `query`, weights that are copied by name
end up in the wrong layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer

ROLES: Final = "names of projections"
"""Attribute of findings that projections are named in another order."""

_WORDS: Final = {
    **dict.fromkeys(("q", "query", "queries", "wq", "toq", "qproj"), "q"),
    **dict.fromkeys(("k", "key", "keys", "wk", "tok", "kproj"), "k"),
    **dict.fromkeys(("v", "value", "values", "wv", "tov", "vproj"), "v"),
}
_SLOTS: Final = (0, 1, 2)


def findings(matching: Matching) -> Iterator[Finding]:
    """One finding for each Attention whose projections are named in another order than in A."""
    for i, j in matching.pairs():
        ops = matching.a.ops[i], matching.b.ops[j]
        if ops[0].operator == "Attention" == ops[1].operator:
            before, after = _named(matching.a, i), _named(matching.b, j)
            if before and after and before != after:
                pair = (matching.a.nodes[i].id,), (matching.b.nodes[j].id,)
                yield Finding("rewired", "computes", "Attention", pair, ROLES, before, after)


def without_packed(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those on names that the order of a projection's parts explains."""
    kept = list(findings)
    packed = {one.pair for one in kept if one.attribute == PARTS}
    return [one for one in kept if one.attribute != ROLES or one.pair not in packed]


def _named(graph: IndexedGraph, attention: int) -> tuple[str, ...]:
    """The roles by name of an Attention's operands, in order of slot; empty if one has none."""
    layer = graph.nodes[attention]
    if not isinstance(layer, Layer):
        return ()
    ids = {operand.slot: operand.value for operand in layer.inputs}
    sources = {graph.nodes[source].id: source for _, source in graph.sources[attention]}
    roles = [_role(graph, sources.get(ids.get(slot, ""), -1)) for slot in _SLOTS]
    return tuple(role for role in roles if role) if sorted(roles) == ["k", "q", "v"] else ()


def _role(graph: IndexedGraph, node: int) -> str:
    """`q`, `k` or `v` if the name of a layer or of its parameter has a word for that role only.

    A part of one product has the role at its place in the name: `qkv`, `kv`.
    """
    layer = graph.nodes[node] if node >= 0 else None
    if not isinstance(layer, Layer) or not layer.parameters:
        return ""
    part = graph.parts.get(layer.id)
    for name in (layer.parameters[0].name, layer.name):
        words = [word for word in re.split(r"[^A-Za-z]+", name.lower()) if word][-3:]
        roles = {_WORDS[word] for word in words if word in _WORDS}
        if len(roles) == 1 and part is None:
            return roles.pop()
        packed = [word for word in words if len(word) > 1 and set(word) <= set("qkv")]
        if part is not None and packed and part < len(packed[-1]):
            return packed[-1][part]
    return ""
