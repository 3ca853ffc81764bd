"""Layers that only one side has: by themselves, in place of others, or regrouped."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing, operator_of
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.changes import attending, blocks, preprocessing, replaced
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.propagated import Cause
from modeldocs.diff.function.forms import INPUT
from modeldocs.diff.regrouped.group import Group, Regrouping, ids, learned

PREPROCESSING: Final = "preprocessing"
"""Operator of the finding on layers that only scale and shift an input."""

UNREAD: Final = "that nothing reads"
"""Where a layer stands whose output is neither read nor handed out."""

Told = tuple[Finding, list[Cause]]
"""A finding, and the nodes whose followers differ because of it."""


def findings(pairing: Pairing, regrouping: Regrouping) -> Iterator[Told]:
    """One finding for each group, each replacement, each block or layer of one side alone."""
    for group in regrouping.groups:
        yield _regrouped(pairing, group)
    free_a = [
        i for i in pairing.free_a() if i not in regrouping.of_a and i not in pairing.partial[0]
    ]
    free_b = [
        j for j in pairing.free_b() if j not in regrouping.of_b and j not in pairing.partial[1]
    ]
    told_a: set[int] = set()
    told_b: set[int] = set()
    for ours, theirs in replaced.find(pairing, free_a, free_b):
        otherwise = attending.finding(pairing, ours, theirs)
        if otherwise is not None:
            yield otherwise, _causes(pairing, ours, theirs)
        else:
            yield _replaced(pairing, ours, theirs)
        told_a.update(ours)
        told_b.update(theirs)
    yield from _only(pairing.a, [i for i in free_a if i not in told_a], "deleted", "a")
    yield from _only(pairing.b, [j for j in free_b if j not in told_b], "inserted", "b")


def _only(side: Side, free: list[int], kind: str, name: str) -> Iterator[Told]:
    """One finding for each block of one side alone, and for each layer that is in none."""
    told: set[int] = set()
    for nodes, formula in preprocessing.find(side, free):
        told.update(nodes)
        yield _preprocessing(side, nodes, formula, kind), [(name, node) for node in nodes]
    free = [node for node in free if node not in told]
    for nodes in blocks.find(side, free):
        told.update(nodes)
        yield _block(side, nodes, kind), [(name, node) for node in nodes]
    for node in free:
        if node not in told:
            yield _one_sided(side, node, kind), [(name, node)]


def _preprocessing(side: Side, nodes: tuple[int, ...], formula: str, kind: str) -> Finding:
    whole = ids(side, nodes)
    inserted = kind == "inserted"
    return Finding(
        kind,
        "computes",
        PREPROCESSING,
        ((), whole) if inserted else (whole, ()),
        before=None if inserted else formula,
        after=formula if inserted else None,
        delta=learned(side, nodes) * (1 if inserted else -1),
    )


def _block(side: Side, nodes: tuple[int, ...], kind: str) -> Finding:
    held = learned(side, nodes)
    operators = blocks.operators(side, nodes)
    whole = ids(side, nodes)
    return Finding(
        kind,
        "computes",
        "",
        ((), whole) if kind == "inserted" else (whole, ()),
        before=operators if kind == "deleted" else None,
        after=operators if kind == "inserted" else None,
        alike=("block", blocks.cycle(side, nodes)),
        delta=held if kind == "inserted" else -held,
        where=_place(side, nodes[0]),
    )


def _regrouped(pairing: Pairing, group: Group) -> Told:
    finding = Finding(
        "regrouped",
        group.means,
        "",
        (ids(pairing.a, group.a), ids(pairing.b, group.b)),
        before=group.told[0],
        after=group.told[1],
        delta=_more(pairing, group),
    )
    return finding, _causes(pairing, group.a, group.b)


def _more(pairing: Pairing, group: Group) -> int:
    """Parameters that B's layers have more, but for weights that are compared one to one."""
    kept = [(i, pairing.to_b[i]) for i in group.a if pairing.to_b[i] in group.b]
    weights = sum(_weight(pairing.b, j) - _weight(pairing.a, i) for i, j in kept)
    return learned(pairing.b, group.b) - learned(pairing.a, group.a) - weights


def _weight(side: Side, node: int) -> int:
    return prod(dict(side.forms[node].parameters).get("weight", (0,)))


def _replaced(pairing: Pairing, ours: tuple[int, ...], theirs: tuple[int, ...]) -> Told:
    finding = Finding(
        "operator",
        "computes",
        "",
        (ids(pairing.a, ours), ids(pairing.b, theirs)),
        before=blocks.operators(pairing.a, ours),
        after=blocks.operators(pairing.b, theirs),
        delta=learned(pairing.b, theirs) - learned(pairing.a, ours),
    )
    return finding, _causes(pairing, ours, theirs)


def _causes(pairing: Pairing, ours: tuple[int, ...], theirs: tuple[int, ...]) -> list[Cause]:
    return [("a", i) for i in ours if pairing.to_b[i] < 0] + [
        ("b", j) for j in theirs if pairing.to_a[j] < 0
    ]


def _one_sided(side: Side, node: int, kind: str) -> Finding:
    held = learned(side, (node,))
    own = (side.nodes[node].id,)
    unread = not side.users[node] and node not in side.ends
    means = ("parameters" if held else "spelling") if unread else "computes"
    return Finding(
        kind,
        means,
        operator_of(side, node),
        ((), own) if kind == "inserted" else (own, ()),
        delta=held if kind == "inserted" else -held,
        where=UNREAD if unread else _place(side, node),
    )


def _place(side: Side, node: int) -> str:
    if side.forms[node].operator == INPUT:
        return ""
    if not side.users[node]:
        return "at the end"
    sources = [source for _, source in side.sources[node]]
    if all(side.forms[source].operator == INPUT for source in sources):
        return "at the start"
    first = side.nodes[sources[0]]
    return f"after {first.name or first.id}"
