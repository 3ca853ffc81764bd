"""Nested joins that were flattened to be compared: their matches and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.parity import Ids
from modeldocs.diff.rewriting.joins import FlattenedJoins
from modeldocs.ir import operators


def unfold(
    a: FlattenedJoins, b: FlattenedJoins, matches: Sequence[Match]
) -> tuple[list[Match], list[Finding]]:
    """The matches of two flat graphs with nested layers added, and findings where these differ.

    Nested layers that join the same values are matched one by one; joins that are nested
    differently make one match with all their parts.
    """
    if not (a.inner or a.nested or b.inner or b.nested):
        return list(matches), []
    counterpart = {match.a[0]: match.b[0] for match in matches if _single(match)}
    matched = frozenset(counterpart.values())
    unfolded: list[Match] = []
    findings: list[Finding] = []
    for match in matches:
        if _single(match) and (match.a[0] in a.nested or match.b[0] in b.nested):
            unfolded += _inner((a, b), match, counterpart, matched)
            if _written(a, match.a[0]) != _written(b, match.b[0]):
                findings.append(_finding(a, b, match))
        elif a.inner.keys().isdisjoint(match.a) and b.inner.keys().isdisjoint(match.b):
            unfolded.append(match)
        else:
            ids = {"a": source_ids(a, match.a), "b": source_ids(b, match.b)}
            unfolded.append(msgspec.structs.replace(match, **ids))
    return unfolded, findings


def source_ids(flat: FlattenedJoins, ids: Ids) -> Ids:
    """Layers of a flat graph, with the nested layers that were merged into them."""
    return tuple(inner for one in ids for inner in flat.ids(one))


def without_covered(findings: Iterable[Finding], nested: Iterable[Finding]) -> list[Finding]:
    """The findings without those on the operators of joins that `nested` covers."""
    joins = {finding.pair[0][-1] for finding in nested}

    def is_covered(finding: Finding) -> bool:
        spelled = (finding.kind, finding.consequence) == ("operator", "spelling")
        return spelled and not joins.isdisjoint(finding.pair[0])

    return [finding for finding in findings if not is_covered(finding)]


def _match(a: Ids, b: Ids, reason: str, like: Match) -> Match:
    return Match(a=a, b=b, reason=reason, confidence=like.confidence)


def _single(match: Match) -> bool:
    return len(match.a) == 1 == len(match.b)


def _inner(
    sides: tuple[FlattenedJoins, FlattenedJoins],
    match: Match,
    counterpart: dict[str, str],
    matched: frozenset[str],
) -> list[Match]:
    """The match of two joins, one by one where their nested layers join the same.

    `counterpart` are B's values by A's, `matched` all of B's that are one.
    """
    (x,), (y,) = match.a, match.b
    a, b = sides
    reason = f"joins the same values as a part of {x} → {y}"
    left = list(b.inner.get(y, ()))
    inner = []
    for one in a.inner.get(x, ()):
        ours = [counterpart.get(value) for value in a.leaves[one]]
        ordered = not operators.of(a.operators[one]).commutative
        candidates = (
            other for other in left if _joins_the_same(ours, b.leaves[other], matched, ordered)
        )
        there = next(candidates, None)
        if there is None:
            return [_match(a.ids(x), b.ids(y), match.reason, match)]
        left.remove(there)
        inner.append(_match((one,), (there,), reason, match))
    return [_match(a.ids(x), b.ids(y), match.reason, match)] if left else [*inner, match]


def _joins_the_same(
    ours: Sequence[str | None], theirs: Sequence[str], matched: frozenset[str], ordered: bool
) -> bool:
    """Whether two nested layers join counterparts, apart from unmatched operands."""
    if len(ours) != len(theirs):
        return False
    if not ordered:
        same = (Counter(ours) & Counter(theirs)).total()
        unmatched = ours.count(None) + sum(value not in matched for value in theirs)
        return same > 0 and len(ours) - same <= unmatched
    pairs = list(zip(ours, theirs, strict=True))
    unequal = [(x, y) for x, y in pairs if x != y]
    return len(unequal) < len(pairs) and all(x is None or y not in matched for x, y in unequal)


def _written(flat: FlattenedJoins, one: str) -> tuple[int | None, int]:
    """How a join is written: the numbers of its operands and of its layers."""
    return flat.widths.get(one), len(flat.ids(one))


def _finding(a: FlattenedJoins, b: FlattenedJoins, match: Match) -> Finding:
    (x,), (y,) = match.a, match.b
    operator = a.operators[x]
    compositions = _composition(a, x, operator), _composition(b, y, b.operators[y])
    merge_key = ("nested", operator, x in a.nested, y in b.nested)
    return Finding(
        "regrouped", "spelling", "", (a.ids(x), b.ids(y)), None, *compositions, merge_key=merge_key
    )


def _composition(flat: FlattenedJoins, one: str, operator: str) -> FusedGroup:
    if one not in flat.nested:
        return FusedGroup(operators=(operator,), relation="one")
    return FusedGroup(operators=(operator,), relation="nested", count=len(flat.ids(one)))
