"""The parts of a comparison as HTML: verdict, changes, parity, alignment, diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from modeldocs import package_data
from modeldocs.diagram import Drawing
from modeldocs.diff import CONSEQUENCES, Change, Diff, Pair, Parity, Uncompared, settle
from modeldocs.site.pair import (
    alignment,
    causes,
    conversions,
    error_colours,
    runs,
    side_by_side_diagrams,
)
from modeldocs.site.pair.alignment import AlignmentRow
from modeldocs.site.pair.runs import Segment
from modeldocs.site.pair.side_by_side_diagrams import Twin
from modeldocs.site.templating import Templates
from modeldocs.verdict import sentences
from modeldocs.verdict.sentences import Graphs

INLINE_ROWS = 100
"""Rows of the largest comparison that a page of a site holds whole.

Of others it holds the rows that differ; the rest are in a script, which is a tenth as large.
"""

MAX_ROWS = 600
"""Rows that a page holds at most, the gravest of those that differ."""

MAX_WHOLE = 20_000
"""Rows of the largest comparison of which the site has all rows."""


@dataclass(frozen=True)
class Setting:
    """Names of A and B, and the targets of a comparison's links.

    `sources` are what commands call them, empty where the comparison has files of its own;
    `links` are the addresses of the two ports' pages, `json` that of the diff's file, `rows` that
    of the script with all rows of a large comparison; each is empty where there is none.
    `most_rows` is the number of rows that the page may hold.
    """

    names: tuple[str, str]
    sources: tuple[str, str] = ("", "")
    links: tuple[str, str] = ("", "")
    json: str = ""
    rows: str = ""
    most_rows: int = MAX_ROWS


def with_parity(diff: Diff, parity: Parity | None) -> Diff:
    """The diff settled by its parity, whose run time is set to 0 so that equal runs give equal
    pages.
    """
    timeless = msgspec.structs.replace(parity, seconds=0.0) if parity is not None else None
    return settle(diff, timeless)


def parts(
    diff: Diff,
    graphs: Graphs,
    setting: Setting,
    templates: Templates,
    drawings: Sequence[Drawing] = (),
) -> dict[str, str]:
    """HTML of each part, by name; empty where there is nothing to show."""
    rows = alignment.rows(diff, graphs)
    if not _has_script(rows):
        setting = replace(setting, rows="")
    segments = _segments(rows, setting)
    on_page = [row for segment in segments if segment.on_page for row in segment.rows]
    anchors = {anchor for row in on_page for anchor in row.anchors()}
    context = _context(diff, graphs, setting) | {"anchors": anchors}
    return {
        "verdict": templates.html(
            "verdict", verdict=sentences.pair_verdict(diff, graphs), **context
        ),
        "changes": templates.html("changes", groups=_groups(diff), **context),
        "parity": _parity(diff, templates, context),
        "alignment": _alignment(rows, segments, templates, context),
        "diagrams": _diagrams(
            side_by_side_diagrams.twins(rows, graphs, drawings, setting.links, diff.parity),
            diff,
            templates,
            context,
        ),
    }


def changes(diff: Diff, graphs: Graphs, setting: Setting, templates: Templates) -> str:
    """HTML of the changes alone, for a page that has no rows of layers to link to."""
    context = _context(diff, graphs, setting) | {"anchors": set()}
    return templates.html("changes", groups=_groups(diff), **context)


def all_rows(diff: Diff, graphs: Graphs, setting: Setting, templates: Templates) -> str:
    """The HTML of all rows of a large comparison; empty where its page holds them, or too many."""
    rows = alignment.rows(diff, graphs)
    if not _has_script(rows):
        return ""
    segments = runs.segments(rows)
    return templates.html(
        "alignment_rows", segments=segments, signs=alignment.SIGNS, diff=diff, setting=setting
    )


def _context(diff: Diff, graphs: Graphs, setting: Setting) -> dict[str, Any]:
    """What all parts are rendered with."""
    return {
        "diff": diff,
        "setting": setting,
        "names": (graphs[0].names(), graphs[1].names()),
        "anchor": sentences.anchor,
        "causes": causes.causes(diff.parity) if diff.parity is not None else [],
    }


def _has_script(rows: list[AlignmentRow]) -> bool:
    """Whether the rows of a site's comparison are in a script beside its page."""
    return INLINE_ROWS < len(rows) <= MAX_WHOLE


def _segments(rows: list[AlignmentRow], setting: Setting) -> list[Segment]:
    """All rows where they fit a page; else those that differ, with the number of the others."""
    if len(rows) <= (INLINE_ROWS if setting.rows else setting.most_rows):
        return runs.segments(rows)
    return runs.abridged(rows, setting.most_rows)


def _alignment(
    rows: list[AlignmentRow], segments: list[Segment], templates: Templates, context: dict[str, Any]
) -> str:
    return templates.html(
        "alignment",
        rows=rows,
        segments=segments,
        differing=sum(row.differs for row in rows),
        signs=alignment.SIGNS,
        groups=_groups(context["diff"]),
        **context,
    )


def _diagrams(both: list[Twin], diff: Diff, templates: Templates, context: dict[str, Any]) -> str:
    if not both:
        return ""
    return templates.html(
        "diagrams",
        twins=both,
        data=side_by_side_diagrams.data(both),
        signs=alignment.SIGNS,
        bounds=error_colours.BOUNDS,
        parity_ran=diff.parity is not None and diff.parity.verdict != "not run",
        **context,
    )


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
        converter=package_data.snippet("converted.py"),
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
