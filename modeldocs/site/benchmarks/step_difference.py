"""Explained differences: why one framework takes longer than another on the same device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modeldocs.benchmarks import comparability, groups, metrics, step_breakdown
from modeldocs.benchmarks.labels import precision
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.step_breakdown import Explanation
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct


class ExplainedDifference(Struct, frozen=True):
    """Two runs, A the faster, and the difference of their steps in rows that add up to it."""

    a: PageLink
    b: PageLink
    explanation: Explanation
    different: tuple[str, ...]
    unknown: tuple[str, ...]
    """What else differs, and what is unknown of one of them or of both."""


def html(runs: Sequence[ListedRun], templates: Templates) -> str:
    """Each framework against the fastest on the same device; empty where nothing explains it."""
    found = list(_explained(runs))
    return templates.html("explained", explained=found) if found else ""


def _explained(runs: Sequence[ListedRun]) -> Iterator[ExplainedDifference]:
    anchors = {id(run.record): f"#{run.id}" for run in runs}
    for group in groups.of_one_device([run.record for run in runs]):
        ordered = _by_framework(group)
        for place, slower in enumerate(ordered):
            faster = next((one for one in ordered[:place] if _comparable(one, slower)), None)
            if faster is None:
                continue
            conditions = comparability.differing(faster, slower)
            for explanation in step_breakdown.explain(faster, slower):
                yield ExplainedDifference(
                    a=PageLink(text=_name(faster), href=anchors[id(faster)]),
                    b=PageLink(text=_name(slower), href=anchors[id(slower)]),
                    explanation=explanation,
                    different=tuple(one.name for one in conditions if one.differs),
                    unknown=tuple(one.name for one in conditions if one.unknown),
                )


def _comparable(a: Record, b: Record) -> bool:
    return comparability.comparable(comparability.conditions(a, b)) != "no"


def _by_framework(group: Sequence[Record]) -> list[Record]:
    """The fastest record of each framework and precision whose step is in parts, in order."""
    timed = sorted(
        (one for one in group if one.phases or one.blocks or one.gpu),
        key=lambda one: metrics.step_ms(one) or 0.0,
    )
    first: dict[tuple[str | None, str | None], Record] = {}
    for one in timed:
        first.setdefault((one.software.framework, precision(one.numerics)), one)
    return list(first.values())


def _name(record: Record) -> str:
    words = (record.software.framework, precision(record.numerics))
    return " ".join(word for word in words if word)
