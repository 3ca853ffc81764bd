"""Parts of DOT that all diagrams are made of: colours, labels as tables, text that is only text."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from modeldocs import formatting
from modeldocs.diagram import metrics
from modeldocs.ir import Operand, Reshape, Step

COLOURS: Final = {
    "convolution": "#a8c8f0",
    "linear": "#b9b4f0",
    "normalization": "#f4dca0",
    "activation": "#f5b8b0",
    "pooling": "#b4dfb8",
    "elementwise": "#d8d3cb",
    "arrangement": "#cfe3e6",
    "attention": "#e6b8e0",
    "recurrent": "#e0c8a8",
    "other": "#dfe3e8",
    "input": "#ffffff",
}
"""Fill colours by operator family: light enough for black text, on light and dark pages."""

GROUP_COLOUR: Final = "#eef2f7"
INK, FAINT, LINE = "#1b1f24", "#4a525c", "#8a929c"
FONT = "Helvetica,Arial,Liberation Sans,Arimo,Nimbus Sans,sans-serif"
"""Fonts of equal widths, see `metrics`, before whatever else the reader's machine has."""

LINE_HEIGHT = 1.1
"""Height of a line of text by the size of its font, as Graphviz puts lines below one another."""

SLACK = 1.02
"""Room in a box by the width of its text: browsers round the widths of letters."""

_END = "<I> </I>"
"""A text that nobody sees, which the SVG is made without: Graphviz puts a line of several texts
where their size says, and a single text where the measures of its font say.
"""

GAP = "  "
"""What stands between two texts of one line."""


class Text(NamedTuple):
    """Text of one look; `size` in points. If it is not faint, it has the label's colour."""

    value: str
    size: int
    faint: bool = False
    bold: bool = False
    italic: bool = False

    def width(self) -> float:
        """Its width in points."""
        return metrics.width(self.value, self.size, bold=self.bold)

    def html(self) -> str:
        """It as a part of an HTML-like label."""
        inner = text(self.value)
        inner = f"<B>{inner}</B>" if self.bold else inner
        inner = f"<I>{inner}</I>" if self.italic else inner
        if not self.faint:
            return inner
        return f'<FONT COLOR="{FAINT}" POINT-SIZE="{self.size}">{inner}</FONT>'


Line = Sequence[Text]
"""A line of a label: texts from left to right, of which empty ones are left out."""


def node_name(identity: str) -> str:
    """The name of a node in DOT, without hyphens and colons, which some tools read as syntax."""
    return re.sub(r"\W", "_", identity)


def text(value: str) -> str:
    """Text escaped for an HTML-like label, in which Graphviz interprets backslashes."""
    return html.escape(formatting.visible(value), quote=True).replace("\\", "\\\\")


def row(
    lines: Sequence[Line], *, colour: str, link: str, title: str, anchor: str = "", padding: int = 5
) -> str:
    """One row of a table; `link` is where a click on it leads."""
    identity = f' ID="r-{text(anchor)}"' if anchor else ""
    href = f' HREF="{text(link)}"' if link else ""
    look = f'{href}{identity} TITLE="{text(formatting.cut(title, 200))}" BGCOLOR="{colour}"'
    return f"<TR>{_cell(lines, look, padding + 1)}</TR>"


def table(rows: Sequence[str], *, padding: int = 5, border: int = 0) -> str:
    """An HTML-like label of rows. A border around them marks a node that can be opened."""
    spacing = 2 if border > 2 else 0
    return (
        f'<<TABLE BORDER="{border}" CELLBORDER="1" CELLSPACING="{spacing}" '
        f'CELLPADDING="{padding}" COLOR="{LINE}">{"".join(rows)}</TABLE>>'
    )


def plain(*lines: Line) -> str:
    """The label of an edge or a frame, without a box; empty without lines.

    Each line is a row: below one another in a cell their places would depend on Graphviz's font.
    """
    if not lines:
        return ""
    rows = "".join(f"<TR>{_cell([line], '', 0, '&#160;')}</TR>" for line in lines)
    look = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'
    return f"<<TABLE {look}>{rows}</TABLE>>"


def edge_label(operand: Operand, size: int, *, shape: bool) -> str:
    """The shape of a tensor, if asked for or changed on the way, and the steps on its edge."""
    names = [_step_name(step).lower() for step in operand.steps]
    shapes = [formatting.shape(operand.type)] if shape or names else []
    return plain(*([Text(formatting.cut(one, 60), size)] for one in (*shapes, *names)))


def _cell(lines: Sequence[Line], look: str, around: int, indent: str = "") -> str:
    """A cell of a table, with so many points around its lines, which begin with `indent`.

    Its size is fixed, and its lines begin at the left: whatever Graphviz takes the text to measure,
    on any machine, has no effect.
    """
    shown = [[one for one in line if one.value] for line in lines]
    width = max(sum(one.width() for one in line) + _gaps(line) for line in shown)
    height = sum(max((one.size for one in line), default=0) * LINE_HEIGHT for line in shown)
    wide, high = (math.ceil(one) + 2 * around for one in (width * SLACK, height))
    content = "".join(
        f'{indent}{GAP.join(one.html() for one in line)}{_END}<BR ALIGN="LEFT"/>' for line in shown
    )
    place = f'FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{high}" ALIGN="LEFT" VALIGN="TOP"'
    return f"<TD{look} {place}>{content}</TD>"


def _gaps(line: Line) -> float:
    """The width of what stands between the texts of a line, or before a single one."""
    return sum(metrics.width(GAP, one.size) for one in line[1:] or line)


def _step_name(step: Step) -> str:
    return step.operator if isinstance(step, Reshape) else type(step).__name__
