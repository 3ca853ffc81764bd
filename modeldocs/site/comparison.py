"""The parts of a comparison as HTML: verdict, changes, parity, alignment, diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from modeldocs.diagram import Drawing
from modeldocs.diff import CONSEQUENCES, Change, Diff, Pair, Parity, Uncompared
from modeldocs.site import alignment, causes, conversions, verdict
from modeldocs.site.alignment import Row
from modeldocs.site.marked_drawing import mark
from modeldocs.site.templating import Templates
from modeldocs.site.verdict import Graphs

MAX_ROWS = 1000
"""Rows of a page; of larger networks it shows those that differ, the gravest of them first."""


@dataclass(frozen=True)
class Setting:
    """Names of A and B, and the targets of a comparison's links.

    `links` are the addresses of the two ports' pages, `json` that of the diff's file; each is empty
    where there is none.
    """

    names: tuple[str, str]
    links: tuple[str, str] = ("", "")
    json: str = ""


def with_parity(diff: Diff, parity: Parity | None) -> Diff:
    """The diff with its parity, whose run time is set to 0 so that equal runs give equal pages."""
    timeless = msgspec.structs.replace(parity, seconds=0.0) if parity is not None else None
    return msgspec.structs.replace(diff, parity=timeless)


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
        "anchors": {identity for row in shown for identity in row.anchors()},
        "anchor": verdict.anchor,
        "causes": causes.causes(diff.parity) if diff.parity is not None else [],
    }
    return {
        "verdict": templates.html("verdict", verdict=verdict.verdict(diff, graphs), **context),
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
    consequences = {identity: row.consequence for row in rows for identity in row.anchors()}
    pairs = [(one, mark(one.svg, side, consequences)) for side, one in enumerate(drawings)]
    return templates.html("diagrams", drawings=pairs, **context)


def _shown(rows: list[Row]) -> list[Row]:
    """All rows where they fit; else those that differ, at most `MAX_ROWS` of the gravest."""
    if len(rows) <= MAX_ROWS:
        return rows
    differing = [number for number, row in enumerate(rows) if row.differs]
    worst = sorted(differing, key=lambda number: _rank(rows[number]))
    return [rows[number] for number in sorted(worst[:MAX_ROWS])]


def _rank(row: Row) -> int:
    """Order of gravity, 0 the gravest: a numeric error counts as computing something else."""
    ranks = (*CONSEQUENCES, "")
    return 0 if row.error else ranks.index(row.consequence)


def _groups(diff: Diff) -> list[tuple[str, list[tuple[int, Change]]]]:
    """Changes with their numbers by consequence, the gravest first."""
    numbered = list(enumerate(diff.changes, start=1))
    groups = [(one, [n for n in numbered if n[1].consequence == one]) for one in CONSEQUENCES]
    return [(consequence, changes) for consequence, changes in groups if changes]


def _parity(diff: Diff, templates: Templates, context: dict[str, object]) -> str:
    parity = diff.parity
    if parity is None:
        return ""
    return templates.html(
        "parity",
        parity=parity,
        uncompared=by_reason(parity.uncompared),
        directions=[
            (names, run, conversions.conversions(run.weights))
            for names, run in zip(("AB", "BA"), parity.directions, strict=True)
        ],
        **context,
    )


def by_reason(uncompared: Iterable[Uncompared]) -> dict[str, list[Pair]]:
    """Pairs of layers that parity could not compare, by the reason."""
    pairs: dict[str, list[Pair]] = {}
    for one in uncompared:
        pairs.setdefault(one.reason, []).append(one.pair)
    return pairs
