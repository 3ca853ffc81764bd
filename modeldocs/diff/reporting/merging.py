"""Findings merged into changes, the gravest consequence first, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import CONSEQUENCES, Change
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.reporting.kinds import KINDS
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.ir import LayerGraph

_CONSEQUENCES: Final = {
    "computes": "The layers compute different functions, whatever the weights.",
    "shape": "Tensors have different shapes from here on.",
    "parameters": "The numbers of trainable parameters differ: the weights do not fit one to one.",
    "order": "The same layer at another place: the layers in between read different values.",
    "spelling": "The same function, written differently: the weights fit.",
}


def compressed(
    findings: Iterable[Finding], graphs: tuple[LayerGraph, LayerGraph]
) -> tuple[Change, ...]:
    """One change for all findings with the same key, with their pairs in order of place."""
    places = LayerPositions(*graphs)
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: places.rank(finding.pair)):
        groups.setdefault(finding.key, []).append(finding)
    changes = [_change(group, places) for group in groups.values()]
    return ranked(changes)


def ranked(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes, the gravest first."""
    return tuple(sorted(changes, key=rank))


def verdict(changes: Iterable[Change]) -> str:
    """`identical`, `equivalent` where all is spelling, else `different`."""
    consequences = {change.consequence for change in changes}
    if not consequences:
        return "identical"
    return "equivalent" if consequences == {"spelling"} else "different"


def counts(found: Iterable[str], order: Iterable[str]) -> dict[str, int]:
    """How often each of some words is found, in their order; those that are not are left out."""
    times = Counter(found)
    return {name: times[name] for name in order if times[name]}


def _change(group: list[Finding], places: LayerPositions) -> Change:
    first = group[0]
    words = KINDS[first.kind]
    pairs = {pair: places.rank(pair) for finding in group for pair in finding.pairs}
    return Change(
        kind=first.kind,
        consequence=first.consequence,
        title=words.title(group, places),
        text=words.meaning(first) or _CONSEQUENCES[first.consequence],
        pairs=tuple(sorted(pairs, key=pairs.__getitem__)),
        operator=first.operator,
        operator_b=first.operator_b,
        attribute=first.attribute,
        before=_plain(first.before),
        after=_plain(first.after),
        followers=sum(finding.followers for finding in group),
        parameter_delta=sum(finding.parameter_delta for finding in group),
        joint=any(finding.other_pairs for finding in group),
    )


def rank(change: Change) -> tuple[int, int, int, str, str]:
    """The place of a change: the gravest first, then that of most layers, then that which says
    most: a setting before another operator, and that before layers of one network alone.
    """
    place, kind = CONSEQUENCES.index(change.consequence), [*KINDS].index(change.kind)
    return place, -len(change.pairs), kind, change.title, change.text


def _plain(value: Any) -> Any:
    """A value as plain data for the JSON."""
    return value.text if isinstance(value, FusedGroup) else msgspec.to_builtins(value)
