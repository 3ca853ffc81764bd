"""Layers that were split to be compared: their matches and findings as the ports have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modeldocs.diff.changes import part_orders
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.part_orders import Readers
from modeldocs.diff.changes.partition import Partition
from modeldocs.diff.composition import Composition
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Ids, Pair
from modeldocs.diff.rewriting.slices import SLICING
from modeldocs.diff.rewriting.splitting import SplitGraph

_OF_MAKERS = frozenset({"parameters", "attribute", "operator", "shape"})
"""Kinds of findings on the layer that makes the parts, not on those that slice it."""


def on_source_layers(a: SplitGraph, b: SplitGraph, finding: Finding) -> Finding:
    """A finding on parts as one on the layers that they belong to."""
    if a.origins or b.origins:
        made = finding.kind in _OF_MAKERS
        finding.pair = _pair(a, b, finding.pair, made=made)
        also = (_pair(a, b, pair, made=made) for pair in finding.also)
        finding.also = tuple(dict.fromkeys(also))
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
    found: list[Match] = []
    apart: list[Match] = []
    for match in matches:
        divided = any(
            one in held.origins for held, ids in ((a, match.a), (b, match.b)) for one in ids
        )
        (apart if divided else found).append(match)
    told: list[Finding] = []
    groups = _groups(a, b, apart)
    read = Readers(a), Readers(b)
    for group in groups:
        united = _united(a, b, group)
        found += united
        told += _findings(*read, group, united)
    told += part_orders.unusual(*read, groups)
    return found, told


def is_covered(united: Iterable[Finding], finding: Finding) -> bool:
    """Whether another finding covers one that parts have another operator for the same function."""
    if finding.kind != "operator" or finding.consequence != "spelling":
        return False
    ours, theirs = map(set, finding.pair)
    whole = ((set(x), set(y)) for one in united for x, y in (one.pair,) if one.kind == "regrouped")
    return any(ours <= x and theirs <= y for x, y in whole)


def _pair(a: SplitGraph, b: SplitGraph, pair: Pair, *, made: bool) -> Pair:
    """The layers that a pair belongs to; with `made` only those that make the parts."""
    whole = _ids(a, pair[0]), _ids(b, pair[1])
    products = makers(a, whole[0]), makers(b, whole[1])
    return products if made and all(products) else whole


def makers(parts: SplitGraph, ids: Ids) -> Ids:
    """Those of some layers that do not only slice what they read."""
    return tuple(one for one in ids if parts.operators.get(one) not in SLICING)


def makers_and_slicers(parts: SplitGraph, ids: Ids) -> tuple[Ids, Ids]:
    """The layers that make parts, and those that only slice."""
    made = makers(parts, ids)
    return made, tuple(one for one in ids if one not in made)


def _ids(parts: SplitGraph, ids: Iterable[str]) -> Ids:
    return tuple(dict.fromkeys(whole for one in ids for whole in parts.ids(one)))


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


def _united(a: SplitGraph, b: SplitGraph, group: Sequence[Match]) -> list[Match]:
    """One match of all, or one for each layer where both graphs have the same operators.

    Where both slice by one Split, the Splits are a match of their own.
    """
    ours = _in_order(a, (one for match in group for one in match.a))
    theirs = _in_order(b, (one for match in group for one in match.b))
    confidence = min(match.confidence for match in group)
    reason = group[0].reason
    if _operators(a, ours) == _operators(b, theirs) and len(set(_operators(a, ours))) == len(ours):
        pairs = zip(ours, theirs, strict=True)
        return [Match(a=(x,), b=(y,), reason=reason, confidence=confidence) for x, y in pairs]
    told = "the same parts, in other layers"
    (made_a, cuts_a), (made_b, cuts_b) = makers_and_slicers(a, ours), makers_and_slicers(b, theirs)
    made, cuts = (made_a, made_b), (cuts_a, cuts_b)
    if all(made) and [_operators(a, cuts[0]), _operators(b, cuts[1])] == [["Split"], ["Split"]]:
        cut = Match(a=cuts[0], b=cuts[1], reason=reason, confidence=confidence)
        return [Match(a=made[0], b=made[1], reason=told, confidence=confidence), cut]
    return [Match(a=ours, b=theirs, reason=told, confidence=confidence)]


def _in_order(parts: SplitGraph, ids: Iterable[str]) -> Ids:
    """The layers that parts belong to, in the order of the graph."""
    whole = set(_ids(parts, ids))
    return tuple(one for one in parts.operators if one in whole)


def _operators(parts: SplitGraph, ids: Iterable[str]) -> list[str]:
    return [parts.operators.get(one, "") for one in ids]


def _findings(
    read_a: Readers, read_b: Readers, group: Sequence[Match], united: Sequence[Match]
) -> Iterable[Finding]:
    a, b, match = read_a.parts, read_b.parts, united[0]
    whole = len(match.a) != 1 or len(match.b) != 1
    told = _composition(a, match.a), _composition(b, match.b)
    if whole and told[0].text != told[1].text:
        yield Finding("regrouped", "spelling", "", (match.a, match.b), None, *told)
    elif _is_reordered(a, b, group):
        ordered = sorted(group, key=lambda one: a.spans[one.a[0]])
        yield part_orders.reordered(read_a, read_b, match, ordered)


def _is_reordered(a: SplitGraph, b: SplitGraph, group: Sequence[Match]) -> bool:
    """Whether both graphs slice one layer, and have its parts in different orders."""
    if not all(one.a[0] in a.spans and one.b[0] in b.spans for one in group):
        return False
    ours = [a.spans[one.a[0]] for one in group]
    theirs = [b.spans[one.b[0]] for one in sorted(group, key=lambda one: a.spans[one.a[0]])]
    return len(set(ours)) == len(ours) and theirs != sorted(theirs)


def _composition(parts: SplitGraph, ids: Ids) -> Composition:
    """`3 Gemm`, `Gemm + Split`: the layers, those of one operator counted."""
    return Composition(operators=tuple(_operators(parts, ids)), relation="counted")
