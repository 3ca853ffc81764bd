"""Repeats told once, the most consequential line first, and the verdict over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modeldocs.diff import text
from modeldocs.diff.diff import CONSEQUENCES, Change
from modeldocs.diff.finding import Finding

Places = tuple[dict[str, int], dict[str, int]]
"""Where each id of A, and of B, stands in its graph."""


def compressed(findings: Iterable[Finding], places: Places) -> tuple[Change, ...]:
    """One change for all findings that are told alike, each with its pairs in order of place."""
    lines: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: _place(finding, places)):
        lines.setdefault(finding.line, []).append(finding)
    changes = [_change(group) for group in lines.values()]
    return tuple(sorted(changes, key=_rank))


def _place(finding: Finding, places: Places) -> tuple[int, int]:
    ours, theirs = places
    a, b = finding.pair
    return (
        min((ours[one] for one in a), default=len(ours)),
        min((theirs[one] for one in b), default=len(theirs)),
    )


def verdict(changes: Iterable[Change]) -> str:
    """`identical`, `equivalent` where all is spelling, else `different`."""
    meanings = {change.consequence for change in changes}
    if not meanings:
        return "identical"
    return "equivalent" if meanings == {"spelling"} else "different"


def _change(group: list[Finding]) -> Change:
    first = group[0]
    return Change(
        kind=first.kind,
        consequence=first.consequence,
        title=text.title(group),
        text=text.sentence(group),
        pairs=tuple(dict.fromkeys(finding.pair for finding in group)),
        operator=first.operator,
        attribute=first.attribute,
        before=_plain(first.before),
        after=_plain(first.after),
        followers=sum(finding.followers for finding in group),
    )


def _rank(change: Change) -> tuple[int, int, str, str]:
    place = CONSEQUENCES.index(change.consequence)
    return place, -len(change.pairs), change.title, change.text


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
