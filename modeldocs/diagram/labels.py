"""Parts of DOT that all diagrams are made of: colours, labels as tables, text that is only text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final

import graphviz

from modeldocs import spelling
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
FONT = "Helvetica,Arial,sans-serif"


def node_name(identity: str) -> str:
    """The name of a node in DOT, without hyphens and colons, which some tools read as syntax."""
    return re.sub(r"\W", "_", identity)


def text(value: str) -> str:
    """Text escaped for an HTML-like label, in which Graphviz interprets backslashes."""
    return html.escape(spelling.visible(value), quote=True).replace("\\", "\\\\")


def cut(value: str, length: int = 40) -> str:
    """Text of at most so many characters."""
    return value if len(value) <= length else value[: length - 1] + "…"


def faint(value: str, size: int) -> str:
    """Small text in a label; `size` in points."""
    return f'<FONT COLOR="{FAINT}" POINT-SIZE="{size}">{text(value)}</FONT>' if value else ""


def row(cell: str, *, colour: str, link: str, title: str, anchor: str = "") -> str:
    """One row of a table; `cell` is escaped, `link` where a click on it leads."""
    identity = f' ID="r-{text(anchor)}"' if anchor else ""
    href = f' HREF="{text(link)}"' if link else ""
    return (
        f'<TR><TD{href}{identity} TITLE="{text(cut(title, 200))}" BGCOLOR="{colour}" '
        f'ALIGN="LEFT">{cell}</TD></TR>'
    )


def table(rows: Sequence[str], *, padding: int = 5, border: int = 0) -> str:
    """An HTML-like label of rows. A border around them marks a node that can be opened."""
    spacing = 2 if border > 2 else 0
    return (
        f'<<TABLE BORDER="{border}" CELLBORDER="1" CELLSPACING="{spacing}" '
        f'CELLPADDING="{padding}" COLOR="{LINE}">{"".join(rows)}</TABLE>>'
    )


def edge_label(operand: Operand, *, shape: bool) -> str:
    """The shape of a tensor, if asked for or changed on the way, and the steps on its edge."""
    names = [_step_name(step).lower() for step in operand.steps]
    shapes = [spelling.shape(operand.type)] if shape or names else []
    return lines([*shapes, *names])


def lines(values: Sequence[str]) -> str:
    """Lines of a plain label."""
    label: str = graphviz.escape("\n".join(cut(spelling.visible(value), 60) for value in values))
    return label


def _step_name(step: Step) -> str:
    return step.operator if isinstance(step, Reshape) else type(step).__name__
