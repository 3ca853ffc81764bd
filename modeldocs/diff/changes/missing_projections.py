"""Tensors that both graphs slice alike, where only one has the projection that makes them.

Split, the projection is several layers in the place of as many Slices. In the ports, one graph has
a layer more, and the Splits correspond.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.part_orders import PARTS, Readers
from modeldocs.diff.changes.split_layers import makers_and_slicers
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Ids
from modeldocs.diff.rewriting.splitting import SplitGraph


def find_missing_projections(
    a: SplitGraph, b: SplitGraph, told: Iterable[Finding]
) -> tuple[list[Match], list[Finding]]:
    """The matches of such Splits, and all findings, with those on parts replaced."""
    kept: list[Finding] = []
    replaced: dict[tuple[Ids, Ids], list[Finding]] = defaultdict(list)
    for finding in told:
        ours, theirs = finding.pair
        of_parts = finding.kind == "operator" and len(ours) == 1 == len(theirs)
        if of_parts and ours[0] in a.origins and theirs[0] in b.origins:
            replaced[a.origins[ours[0]], b.origins[theirs[0]]].append(finding)
        else:
            kept.append(finding)
    matches: list[Match] = []
    for (ours, theirs), findings in replaced.items():
        made_a, cuts_a = makers_and_slicers(a, ours)
        made_b, cuts_b = makers_and_slicers(b, theirs)
        made, cuts = (made_a, made_b), (cuts_a, cuts_b)
        whole = _all(a, ours, findings, 0) and _all(b, theirs, findings, 1)
        read = _readers(a, ours), _readers(b, theirs)
        if whole and _are_splits(a, b, *cuts) and all(map(str.isalpha, read[0] + read[1])):
            if read[0] != read[1]:
                before, after = ", ".join(read[0]), ", ".join(read[1])
                pair = (cuts[0][0],), (cuts[1][0],)
                kept.append(Finding("rewired", "computes", "Split", pair, PARTS, before, after))
            followers = max(finding.followers for finding in findings)
            if made[0] and not made[1]:
                kept += (_one_sided(a, one, followers, gone=True) for one in made[0])
            elif made[1] and not made[0]:
                kept += (_one_sided(b, one, followers, gone=False) for one in made[1])
            reason = "cuts the same parts out of what it reads"
            matches.append(Match(a=(cuts[0][0],), b=(cuts[1][0],), reason=reason, confidence=0.8))
        else:
            kept += findings
    return matches, kept


def _all(parts: SplitGraph, whole: Ids, findings: list[Finding], place: int) -> bool:
    """Whether there is a finding on each part of some layers."""
    told = {finding.pair[place][0] for finding in findings}
    return told == {part for part, members in parts.origins.items() if members == whole}


def _readers(parts: SplitGraph, whole: Ids) -> list[str]:
    """What each part is to the Attention that reads it, in the order in which they are cut."""
    members = [part for part, ids in parts.origins.items() if ids == whole]
    members.sort(key=parts.spans.__getitem__)
    read = Readers(parts)
    return [read.name(part, place) for place, part in enumerate(members, start=1)]


def _are_splits(a: SplitGraph, b: SplitGraph, ours: Ids, theirs: Ids) -> bool:
    told = [parts.operators[one] for parts, members in ((a, ours), (b, theirs)) for one in members]
    return told == ["Split", "Split"] and len(ours) == 1


def _one_sided(parts: SplitGraph, one: str, followers: int, *, gone: bool) -> Finding:
    """The finding that only one graph has a layer."""
    layer = next(layer for layer in parts.source.layers if layer.id == one)
    names = {entry.id: entry.name or entry.id for entry in parts.source.inputs}
    names |= {entry.id: entry.name or entry.id for entry in parts.source.layers}
    learned = sum(parameter.elements for parameter in layer.parameters if parameter.trainable)
    return Finding(
        "deleted" if gone else "inserted",
        "computes",
        layer.operator,
        ((one,), ()) if gone else ((), (one,)),
        delta=-learned if gone else learned,
        followers=followers,
        where=f"after {names[layer.inputs[0].value]}",
    )
