"""Enclosed nodes: all that is around them is matched already, and leaves one counterpart."""

from __future__ import annotations

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.facing_edges import MANY
from modeldocs.diff.alignment.pairing import Pairing


def enclose(pairing: Pairing) -> None:
    """Match free nodes all of whose edges lead to matched ones, by the slots of those edges."""
    for i in pairing.free_a():
        facing = _facing(pairing, i)
        if len(facing) == 1:
            j = facing.pop()
            edges = len(pairing.b.sources[j]) + len(pairing.b.users[j])
            same = edges == len(pairing.a.sources[i]) + len(pairing.a.users[i])
            if same and pairing.close(i, j):
                pairing.match(i, j, "the only one between the same layers, slot by slot", 0.95)


def _facing(pairing: Pairing, i: int) -> set[int]:
    """The free nodes of B that the edges of i lead to, seen from the other end; none at hubs."""
    a, b, to_b = pairing.a, pairing.b, pairing.to_b
    found: set[int] | None = None
    ways = ((a.users[i], b.sources), (a.sources[i], b.users))
    for edges, back in ways:
        for code, other in edges:
            if to_b[other] < 0 or len(back[to_b[other]]) > MANY:
                return set()
            seen = _reached(back[to_b[other]], code, pairing.to_a)
            found = seen if found is None else found & seen
            if not found:
                return found
    return found or set()


def _reached(edges: list[Edge], code: int, counterpart: list[int]) -> set[int]:
    return {node for slot, node in edges if slot == code and counterpart[node] < 0}
