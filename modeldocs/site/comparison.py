"""What a comparison shows, wherever it is shown: verdict, changes, numbers, both side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from modeldocs.diagram import Drawing
from modeldocs.diff import CONSEQUENCES, Change, Diff, Pair, Parity, Uncompared
from modeldocs.site import alignment, causes, conversions, verdict
from modeldocs.site.alignment import Row
from modeldocs.site.marked_drawing import marked
from modeldocs.site.templating import Templates
from modeldocs.site.verdict import Graphs

MAX_ROWS = 1000
"""Rows that a page holds; of larger networks it shows those that differ, and of those the worst."""


@dataclass(frozen=True)
class Setting:
    """Where a comparison is shown: what A and B are called, and where its links lead.

    `links` are the addresses of the two ports' pages, `json` that of the diff's file; each empty
    where there is none.
    """

    names: tuple[str, str]
    links: tuple[str, str] = ("", "")
    json: str = ""


def with_parity(diff: Diff, parity: Parity | None) -> Diff:
    """The diff with its parity, without the time that it took: pages are the same every time."""
    told = msgspec.structs.replace(parity, seconds=0.0) if parity is not None else None
    return msgspec.structs.replace(diff, parity=told)


def parts(
    diff: Diff,
    graphs: Graphs,
    setting: Setting,
    templates: Templates,
    drawings: Sequence[Drawing] = (),
) -> dict[str, str]:
    """HTML of each part, by name; empty where there is nothing to show."""
    rows = alignment.rows(diff, graphs)
    shown = _shown(rows)
    names = graphs[0].names(), graphs[1].names()
    context = {
        "diff": diff,
        "setting": setting,
        "names": names,
        "anchors": {told for row in shown for told in row.anchors()},
        "anchor": verdict.anchor,
        "causes": causes.causes(diff.parity) if diff.parity is not None else [],
    }
    return {
        "verdict": templates.html("verdict", verdict=verdict.verdict(diff, names), **context),
        "changes": templates.html("changes", groups=_groups(diff), **context),
        "parity": _parity(diff, templates, context),
        "alignment": templates.html(
            "alignment",
            rows=shown,
            total=len(rows),
            differing=sum(row.differs for row in rows),
            **context,
        ),
        "diagrams": _diagrams(drawings, shown, templates, context),
    }


def _diagrams(
    drawings: Sequence[Drawing], rows: list[Row], templates: Templates, context: dict[str, object]
) -> str:
    if not drawings:
        return ""
    marks = {told: row.consequence for row in rows for told in row.anchors()}
    told = [(one, marked(one.svg, side, marks)) for side, one in enumerate(drawings)]
    return templates.html("diagrams", drawings=told, **context)


def _shown(rows: list[Row]) -> list[Row]:
    """All rows, or those that differ, the most consequential of them, in their order."""
    if len(rows) <= MAX_ROWS:
        return rows
    differing = [number for number, row in enumerate(rows) if row.differs]
    worst = sorted(differing, key=lambda number: _rank(rows[number]))
    return [rows[number] for number in sorted(worst[:MAX_ROWS])]


def _rank(row: Row) -> int:
    """Numbers that no change explains are as grave as one that computes something else."""
    ranks = (*CONSEQUENCES, "")
    return 0 if row.error else ranks.index(row.consequence)


def _groups(diff: Diff) -> list[tuple[str, list[tuple[int, Change]]]]:
    """Changes with their numbers, the most consequential first."""
    numbered = list(enumerate(diff.changes, start=1))
    held = [(one, [n for n in numbered if n[1].consequence == one]) for one in CONSEQUENCES]
    return [(consequence, changes) for consequence, changes in held if changes]


def _parity(diff: Diff, templates: Templates, context: dict[str, object]) -> str:
    parity = diff.parity
    if parity is None:
        return ""
    return templates.html(
        "parity",
        parity=parity,
        uncompared=_by_reason(parity.uncompared),
        carried=[
            (both, one, conversions.conversions(one.weights))
            for both, one in zip(("AB", "BA"), parity.directions, strict=True)
        ],
        **context,
    )


def _by_reason(uncompared: Iterable[Uncompared]) -> dict[str, list[Pair]]:
    held: dict[str, list[Pair]] = {}
    for left in uncompared:
        held.setdefault(left.reason, []).append(left.pair)
    return held
