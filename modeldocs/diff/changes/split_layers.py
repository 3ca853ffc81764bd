"""Matches and findings on the parts of split layers, as ones on the layers of the ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modeldocs.diff.changes import part_orders
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.part_orders import Readers
from modeldocs.diff.changes.partition import Partition
from modeldocs.diff.diff import Match
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.parity import Ids, Pair
from modeldocs.diff.rewriting.slices import SLICING
from modeldocs.diff.rewriting.splitting import SplitGraph

_OF_MAKERS = frozenset({"parameters", "attribute", "operator", "shape"})
"""Kinds of findings on the layer that computes the parts, not on those that slice it."""


def on_source_layers(a: SplitGraph, b: SplitGraph, finding: Finding) -> Finding:
    """A finding on parts as one on the layers that they belong to."""
    if a.origins or b.origins:
        of_makers = finding.kind in _OF_MAKERS
        finding.pair = _pair(a, b, finding.pair, of_makers=of_makers)
        others = (_pair(a, b, pair, of_makers=of_makers) for pair in finding.other_pairs)
        finding.other_pairs = tuple(dict.fromkeys(others))
        if finding.kind == "rewired" and finding.attribute is None:
            finding.before = _source_ids(a, finding.before)
            finding.after = _source_ids(b, finding.after)
    return finding


def merge_parts(
    a: SplitGraph, b: SplitGraph, matches: Iterable[Match]
) -> tuple[list[Match], list[Finding]]:
    """The matches of the ports' layers, and a finding where these are split differently.

    All parts of a layer that have counterparts make one match.
    """
    merged: list[Match] = []
    of_parts: list[Match] = []
    for match in matches:
        divided = any(
            one in parts.origins for parts, ids in ((a, match.a), (b, match.b)) for one in ids
        )
        (of_parts if divided else merged).append(match)
    findings: list[Finding] = []
    groups = _groups(a, b, of_parts)
    readers = Readers(a), Readers(b)
    for group in groups:
        of_layers = _merged(a, b, group)
        merged += of_layers
        findings += _findings(*readers, group, of_layers)
    findings += part_orders.unusual(*readers, groups)
    return merged, findings


def is_covered(others: Iterable[Finding], finding: Finding) -> bool:
    """Whether one of `others` regroups the layers that a finding of equal function is on."""
    if finding.kind != "operator" or finding.consequence != "spelling":
        return False
    ours, theirs = map(set, finding.pair)
    regrouped = (other.pair for other in others if other.kind == "regrouped")
    return any(ours <= set(pair[0]) and theirs <= set(pair[1]) for pair in regrouped)


def _pair(a: SplitGraph, b: SplitGraph, pair: Pair, *, of_makers: bool) -> Pair:
    """The layers that a pair belongs to; with `of_makers` only those that compute the parts."""
    layers = _ids(a, pair[0]), _ids(b, pair[1])
    products = makers(a, layers[0]), makers(b, layers[1])
    return products if of_makers and all(products) else layers


def makers(parts: SplitGraph, ids: Ids) -> Ids:
    """Those of some layers that compute, and do not only slice their input."""
    return tuple(one for one in ids if parts.operators.get(one) not in SLICING)


def makers_and_slicers(parts: SplitGraph, ids: Ids) -> tuple[Ids, Ids]:
    """The layers that compute parts, and those that only slice."""
    computing = makers(parts, ids)
    return computing, tuple(one for one in ids if one not in computing)


def _ids(parts: SplitGraph, ids: Iterable[str]) -> Ids:
    return tuple(dict.fromkeys(layer for part in ids for layer in parts.ids(part)))


def _source_ids(parts: SplitGraph, value: object) -> object:
    return _ids(parts, value) if isinstance(value, tuple) else value


def _groups(a: SplitGraph, b: SplitGraph, matches: Sequence[Match]) -> list[list[Match]]:
    """Matches in sets that have no layer in common."""
    sets = Partition(len(matches))
    owner: dict[tuple[int, str], int] = {}
    for place, match in enumerate(matches):
        ids = [(0, one) for one in _ids(a, match.a)] + [(1, one) for one in _ids(b, match.b)]
        for one in ids:
            sets.join(owner.setdefault(one, place), place)
    return [[matches[place] for place in members] for members in sets.members().values()]


def _merged(a: SplitGraph, b: SplitGraph, group: Sequence[Match]) -> list[Match]:
    """One match of all the layers of a group, or one a layer if the graphs have equal operators.

    Where both slice by one Split, the Splits are a match by themselves.
    """
    ours = _in_order(a, (one for match in group for one in match.a))
    theirs = _in_order(b, (one for match in group for one in match.b))
    confidence = min(match.confidence for match in group)
    reason = group[0].reason
    if _operators(a, ours) == _operators(b, theirs) and len(set(_operators(a, ours))) == len(ours):
        pairs = zip(ours, theirs, strict=True)
        return [Match(a=(x,), b=(y,), reason=reason, confidence=confidence) for x, y in pairs]
    same_parts = "the same parts, in other layers"
    computing_a, slicing_a = makers_and_slicers(a, ours)
    computing_b, slicing_b = makers_and_slicers(b, theirs)
    splits = _operators(a, slicing_a) == ["Split"] == _operators(b, slicing_b)
    if computing_a and computing_b and splits:
        return [
            Match(a=computing_a, b=computing_b, reason=same_parts, confidence=confidence),
            Match(a=slicing_a, b=slicing_b, reason=reason, confidence=confidence),
        ]
    return [Match(a=ours, b=theirs, reason=same_parts, confidence=confidence)]


def _in_order(parts: SplitGraph, ids: Iterable[str]) -> Ids:
    """The layers that parts belong to, in the order of the graph."""
    layers = set(_ids(parts, ids))
    return tuple(layer for layer in parts.operators if layer in layers)


def _operators(parts: SplitGraph, ids: Iterable[str]) -> list[str]:
    return [parts.operators.get(one, "") for one in ids]


def _findings(
    readers_a: Readers, readers_b: Readers, group: Sequence[Match], of_layers: Sequence[Match]
) -> Iterable[Finding]:
    """A finding if the graphs have other operators, or the parts in another order."""
    a, b, match = readers_a.parts, readers_b.parts, of_layers[0]
    several = len(match.a) != 1 or len(match.b) != 1
    compositions = _composition(a, match.a), _composition(b, match.b)
    if several and compositions[0].text != compositions[1].text:
        yield Finding("regrouped", "spelling", "", (match.a, match.b), None, *compositions)
    elif _is_reordered(a, b, group):
        ordered = sorted(group, key=lambda one: a.spans[one.a[0]])
        yield part_orders.reordered(readers_a, readers_b, match, ordered)


def _is_reordered(a: SplitGraph, b: SplitGraph, group: Sequence[Match]) -> bool:
    """Whether both graphs slice one layer, and have its parts in different orders."""
    if not all(one.a[0] in a.spans and one.b[0] in b.spans for one in group):
        return False
    ours = [a.spans[one.a[0]] for one in group]
    theirs = [b.spans[one.b[0]] for one in sorted(group, key=lambda one: a.spans[one.a[0]])]
    return len(set(ours)) == len(ours) and theirs != sorted(theirs)


def _composition(parts: SplitGraph, ids: Ids) -> FusedGroup:
    """`3 Gemm`, `Gemm + Split`: the layers, those of one operator counted."""
    return FusedGroup(operators=tuple(_operators(parts, ids)), relation="counted")
