"""Two folded diagrams side by side: links to the rows of a comparison, marks on what differs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from posixpath import dirname, join
from typing import Any

from modeldocs.diagram import COLOURS, Drawing
from modeldocs.diff import Parity
from modeldocs.site.pair import covered_rows, error_colours
from modeldocs.site.pair.alignment import SIGNS, AlignmentRow
from modeldocs.site.pair.error_colours import Colour
from modeldocs.struct import Struct
from modeldocs.verdict.sentences import Graphs, anchor

SECTION = "#twins"
"""Where a group leads whose drawing is in the page, not in a file of its own: a script opens it."""

_ANCHOR = re.compile(r'<a xlink:href="([^"]*)"([^>]*)>(.*?)</a>', re.S)
_POINTS = re.compile(r'<polygon fill="([^"]*)"[^>]* points="([^"]*)"')
_ID = re.compile(r' id="[^"]*"')


class Mark(Struct, frozen=True):
    """The gravest difference of the rows that a node stands for, and how many of these differ."""

    sign: str
    consequence: str
    count: int

    @property
    def text(self) -> str:
        """`≠`, or `≠ 3` for several rows."""
        return f"{SIGNS[self.sign][0]} {self.count:,}" if self.count > 1 else SIGNS[self.sign][0]


class Twin(Struct, frozen=True):
    """The drawings of one side of a comparison.

    `folder` leads to that of the port's page, whose files are the drawings of the levels; it is
    empty where the page itself has them. `rows` are the numbers of the rows that each node stands
    for, `marks` the nodes among them that differ, `errors` their colours by error.
    """

    side: int
    drawing: Drawing
    folder: str
    rows: Mapping[str, tuple[int, ...]]
    marks: Mapping[str, Mark]
    errors: Mapping[str, Colour]

    def overview(self) -> str:
        """The marked overview."""
        return self._marked(self.drawing.levels[0].svg) if self.drawing.levels else ""

    def inner(self) -> list[tuple[str, str]]:
        """The other levels with their ids, marked, for a page that has no files beside it."""
        if self.folder:
            return []
        return [(level.id, self._marked(level.svg)) for level in self.drawing.levels[1:]]

    def groups(self) -> dict[str, tuple[int, ...]]:
        """The rows of each group that has a drawing."""
        levels = [level.id for level in self.drawing.levels[1:]]
        return {level: self.rows[level] for level in levels if level in self.rows}

    def data(self) -> dict[str, Any]:
        """What the page's script needs to open levels, to mark them and to find rows in them."""
        groups = self.groups()
        return {
            "folder": self.folder and join(self.folder, "levels/"),
            "levels": {level.id: [level.title, level.parent] for level in self.drawing.levels[1:]},
            "marks": {node: [mark.text, mark.consequence] for node, mark in self.marks.items()},
            "errors": self.errors,
            "rows": {
                node: covered_rows.progressions(rows)
                for node, rows in self.rows.items()
                if node in groups or len(rows) > 1
            },
        }

    def _marked(self, svg: str) -> str:
        """The drawing with its links and marks; signs come last, so that nothing covers them."""
        signs: list[str] = []
        drawn = _ANCHOR.sub(lambda match: self._node(match, signs), _ID.sub("", svg))
        body, _, end = drawn.rpartition("</g>")
        return f"{body}{''.join(signs)}</g>{end}"

    def _node(self, match: re.Match[str], signs: list[str]) -> str:
        address, rest, inside = match.groups()
        node = _node_of(html.unescape(address))
        if ".svg" in address:
            target = join(self.folder, "levels", f"{node}.svg") if self.folder else SECTION
        elif node in self.rows:
            target = f"#{anchor(self.side, node)}"
        else:  # an output of the network, which has no row
            return inside
        shown = _POINTS.search(inside)
        is_stub = shown is not None and shown.group(1) == COLOURS["input"]
        mark = self.marks.get(node) if not is_stub or node.startswith("input-") else None
        classes = ""
        if mark is not None and shown is not None:
            classes = f' class="mr-marked mr-consequence-{mark.consequence or "none"}"'
            signs.append(_sign(mark, shown.group(2)))
        data = f' data-node="{html.escape(node)}"' + (' data-stub=""' if is_stub else "")
        return f'<a xlink:href="{html.escape(target)}"{rest}{data}{classes}>{inside}</a>'


def twins(
    rows: Sequence[AlignmentRow],
    graphs: Graphs,
    drawings: Sequence[Drawing],
    links: tuple[str, str],
    parity: Parity | None = None,
) -> list[Twin]:
    """Both sides of a comparison whose ports' pages are at `links`, empty where there is none."""
    return [
        _twin(side, rows, graphs, drawing, dirname(links[side]), parity)
        for side, drawing in enumerate(drawings)
    ]


def data(both: Sequence[Twin]) -> dict[str, Any]:
    """The data of both sides, and which groups of A are opened together with which of B."""
    groups = [
        {
            level.id: twin.rows[level.id]
            for level in twin.drawing.levels[1:]
            if level.id in twin.rows
        }
        for twin in both
    ]
    return {
        "sides": [twin.data() for twin in both],
        "pairs": covered_rows.counterparts(*groups),
    }


def _twin(
    side: int,
    rows: Sequence[AlignmentRow],
    graphs: Graphs,
    drawing: Drawing,
    folder: str,
    parity: Parity | None,
) -> Twin:
    row_of = {cell.id: number for number, row in enumerate(rows) for cell in (row.a, row.b)[side]}
    covered = covered_rows.covered_layers(graphs[side])
    covered |= {source.id: (source.id,) for source in graphs[side].inputs}
    covers = covered_rows.covered_rows(covered, row_of)
    marks = {node: _mark(rows[number] for number in numbers) for node, numbers in covers.items()}
    return Twin(
        side=side,
        drawing=drawing,
        folder=folder,
        rows=covers,
        marks={node: mark for node, mark in marks.items() if mark is not None},
        errors=error_colours.colours(rows, parity, covers),
    )


def _mark(rows: Iterable[AlignmentRow]) -> Mark | None:
    differing = [row for row in rows if row.differs]
    if not differing:
        return None
    gravest = min(differing, key=lambda row: row.gravity)
    return Mark(sign=gravest.sign, consequence=gravest.consequence, count=len(differing))


def _node_of(address: str) -> str:
    """The layer or the group that a link in a drawing leads to."""
    if "#" in address:
        return address.rpartition("#")[2]
    return address.rpartition("/")[2].removesuffix(".svg")


def _sign(mark: Mark, points: str) -> str:
    """The sign of a mark at the upper right corner of a node; the page's script does the same."""
    places = [tuple(map(float, point.split(","))) for point in points.split()]
    right, top = max(x for x, _ in places), min(y for _, y in places)
    width = 8 + 7 * len(mark.text)
    return (
        f'<g class="mr-sign mr-consequence-{mark.consequence or "none"}"><rect '
        f'x="{right - width + 6:.2f}" y="{top - 9:.2f}" width="{width}" height="15" rx="4"/>'
        f'<text text-anchor="middle" x="{right + 6 - width / 2:.2f}" y="{top + 2.5:.2f}">'
        f"{mark.text}</text></g>"
    )
