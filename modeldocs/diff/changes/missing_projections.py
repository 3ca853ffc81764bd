"""Tensors that both graphs slice in the same way, and that a projection makes in only one.

In the split graphs, the parts of the projection are at the place of as many Slices. In the ports,
one graph has one layer more, and the Splits correspond.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.part_orders import PARTS, Readers
from modeldocs.diff.changes.position import Position
from modeldocs.diff.changes.split_layers import makers_and_slicers
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Ids, Pair
from modeldocs.diff.rewriting.splitting import SplitGraph


def find_missing_projections(
    a: SplitGraph, b: SplitGraph, findings: Iterable[Finding]
) -> tuple[list[Match], list[Finding]]:
    """The matches of such Splits, and all findings, with those on their parts replaced."""
    kept: list[Finding] = []
    on_parts: dict[Pair, list[Finding]] = defaultdict(list)
    for finding in findings:
        ours, theirs = finding.pair
        single = finding.kind == "operator" and len(ours) == 1 == len(theirs)
        if single and ours[0] in a.origins and theirs[0] in b.origins:
            on_parts[a.origins[ours[0]], b.origins[theirs[0]]].append(finding)
        else:
            kept.append(finding)
    matches: list[Match] = []
    for pair, replaced in on_parts.items():
        slicers = makers_and_slicers(a, pair[0])[1], makers_and_slicers(b, pair[1])[1]
        if _only_projection_differs(a, b, pair, slicers, replaced):
            kept += _findings(a, b, pair, slicers, replaced)
            reason = "slices the same parts of its input"
            matches.append(Match(a=slicers[0], b=slicers[1], reason=reason, confidence=0.8))
        else:
            kept += replaced
    return matches, kept


def _only_projection_differs(
    a: SplitGraph, b: SplitGraph, pair: Pair, slicers: Pair, findings: list[Finding]
) -> bool:
    """Whether one Split of each graph slices all the parts of a pair, which Attentions read."""
    if [a.operators[one] for one in slicers[0]] != ["Split"]:
        return False
    if [b.operators[one] for one in slicers[1]] != ["Split"]:
        return False
    complete = _on_all_parts(a, pair[0], findings, 0) and _on_all_parts(b, pair[1], findings, 1)
    return complete and all(map(str.isalpha, _roles(a, pair[0]) + _roles(b, pair[1])))


def _findings(
    a: SplitGraph, b: SplitGraph, pair: Pair, slicers: Pair, replaced: list[Finding]
) -> Iterator[Finding]:
    """The order of the parts where it differs, and the projection that only one graph has."""
    before, after = _roles(a, pair[0]), _roles(b, pair[1])
    if before != after:
        orders = ", ".join(before), ", ".join(after)
        yield Finding("rewired", "computes", "Split", slicers, PARTS, *orders)
    followers = max(finding.followers for finding in replaced)
    ours, theirs = makers_and_slicers(a, pair[0])[0], makers_and_slicers(b, pair[1])[0]
    if ours and not theirs:
        for layer in ours:
            yield _one_sided(a, layer, followers, deleted=True)
    elif theirs and not ours:
        for layer in theirs:
            yield _one_sided(b, layer, followers, deleted=False)


def _on_all_parts(graph: SplitGraph, origins: Ids, findings: list[Finding], side: int) -> bool:
    """Whether there is a finding on each part of some layers."""
    named = {finding.pair[side][0] for finding in findings}
    return named == {part for part, ids in graph.origins.items() if ids == origins}


def _roles(graph: SplitGraph, origins: Ids) -> list[str]:
    """What each part is to the Attention that reads it, in the order in which they are sliced."""
    parts = [part for part, ids in graph.origins.items() if ids == origins]
    parts.sort(key=graph.spans.__getitem__)
    readers = Readers(graph)
    return [readers.name(part, number) for number, part in enumerate(parts, start=1)]


def _one_sided(graph: SplitGraph, one: str, followers: int, *, deleted: bool) -> Finding:
    """The finding that only one graph has a layer."""
    layer = next(layer for layer in graph.source.layers if layer.id == one)
    names = {entry.id: entry.name or entry.id for entry in graph.source.inputs}
    names |= {entry.id: entry.name or entry.id for entry in graph.source.layers}
    trainable = sum(parameter.elements for parameter in layer.parameters if parameter.trainable)
    return Finding(
        "deleted" if deleted else "inserted",
        "computes",
        layer.operator,
        ((one,), ()) if deleted else ((), (one,)),
        parameter_delta=-trainable if deleted else trainable,
        followers=followers,
        place=Position("behind", names[layer.inputs[0].value]),
    )
