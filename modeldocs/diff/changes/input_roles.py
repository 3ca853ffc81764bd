"""The roles of a network's inputs: which input of A is which of B, to those who call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.finding import Finding

INPUTS: Final = "names of inputs"
"""Attribute of the finding that inputs of the same names feed other layers."""


def by_names(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str] | None:
    """B's input for each of A's, both by id, where both have several of the same names.

    `ours` and `theirs` are the names of the inputs by id. None where names do not tell.
    """
    ids = {name: one for one, name in theirs.items()}
    if len(ours) < 2 or len(ids) != len(theirs) or set(ours.values()) != set(ids):
        return None
    return {one: ids[name] for one, name in ours.items()}


def findings(matching: Matching) -> Iterator[Finding]:
    """The finding that inputs which feed the same layers have each other's names."""
    a, b = matching.a, matching.b
    names = [{entry.id: entry.name for entry in graph.graph.inputs} for graph in (a, b)]
    roles = by_names(*names)
    if roles is None:
        return
    counterpart = {a.nodes[i].id: b.nodes[j].id for i, j in matching.pairs()}
    pairs = [(x, counterpart[x]) for x in roles if x in counterpart]
    swapped = [(x, y) for x, y in pairs if y != roles[x]]
    if swapped:
        before, after = zip(*((names[0][x], names[1][y]) for x, y in swapped), strict=True)
        first, *others = (((x,), (y,)) for x, y in swapped)
        finding = Finding("rewired", "computes", "input", first, INPUTS, before, after)
        finding.other_pairs = tuple(others)
        yield finding
