"""The process that lays out DOT as SVG, run by `modeldocs.isolation`.

Graphviz is C code, which no timeout in Python can stop; a process can be killed.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import msgspec
import pygraphviz

from modeldocs import isolation
from modeldocs.diagram import labels
from modeldocs.diagram.drawing import LayoutRequest, LayoutResult
from modeldocs.diagram.short_svg import shorter

_SMALLEST = f'digraph {{ node [fontname="{labels.FONT}"] a [label=<<B>a</B><I>a</I>>] }}'


def preload() -> None:
    """Let Graphviz find its plugins and fonts: once for all graphs."""
    tidy(_svg(_SMALLEST), "")


def main(folder: Path) -> None:
    """Lay out each DOT in `request.json` with Graphviz's `dot`; write its SVG, and all widths."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=LayoutRequest)
    widths = {}
    for name, (dot, title) in request.dots.items():
        svg = _svg(dot)
        widths[name] = _width(svg)
        (folder / name).write_text(tidy(svg, title), "utf-8")
    isolation.write_result(folder, LayoutResult(widths=widths))


def _svg(dot: str) -> str:
    svg: bytes = pygraphviz.AGraph(string=dot).draw(format="svg", prog="dot")
    return svg.decode("utf-8")


def _width(svg: str) -> float:
    """Width of an SVG by Graphviz, in points."""
    found = re.search(r'<svg width="([\d.]+)pt"', svg)
    return float(found.group(1)) if found else 0.0


def tidy(svg: str, title: str) -> str:
    """The SVG element with a label for screen readers, without Graphviz's titles, comments and
    numbered ids: several diagrams may stand on one page. It is also two thirds as long.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
    body = re.sub(r"<title>.*?</title>\n?", "", body, flags=re.S)
    body = re.sub(r' id="(graph|node|edge|clust|a_)\d+[^"]*"', "", body)
    body = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', body, count=2)
    name = html.escape(title, quote=True)
    body = body.replace("<svg", f'<svg class="mr-diagram" role="img" aria-label="{name}"', 1)
    return shorter(body.replace("&#45;", "-"))
