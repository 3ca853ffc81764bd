"""The process that lays out DOT as SVG, run by `modeldocs.isolation`.

Graphviz is C code, which no timeout in Python can stop; a process can be killed.
"""

from __future__ import annotations

import functools
import html
import re
from pathlib import Path

import msgspec
import pygraphviz

from modeldocs import isolation
from modeldocs.diagram import labels
from modeldocs.diagram.drawing import LayoutRequest, LayoutResult

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
    return _shorter(body.replace("&#45;", "-"))


def _shorter(svg: str) -> str:
    """The same drawing in fewer bytes: a font named once, tenths of a point, one outline a box."""
    svg = re.sub(r' (xml:space="preserve"|text-anchor="start")', "", svg)
    svg = svg.replace(" &#160;</text>", "</text>")
    svg = re.sub(r"<text [^>]*>\s*</text>\n", "", svg)
    fonts = set(re.findall(r' font-family="[^"]*"', svg))
    if len(fonts) == 1:
        font = fonts.pop()
        svg = svg.replace(font, "").replace("<svg", f"<svg{font}", 1)
    svg = re.sub(r' (d|points|x|y|font-size)="[^"]*"', _rounded, svg)
    svg = re.sub(r'(points="(\S+) [^"]*) \2"', r'\1"', svg)  # a polygon closes itself
    return _BOX.sub(r'<polygon fill="\1" stroke="\3" \2/>', svg)


_BOX = re.compile(
    r'<polygon fill="([^"]*)" stroke="none" (points="[^"]*")/>\n'
    r'<polygon fill="none" stroke="([^"]*)" \2/>'
)
"""A box as Graphviz draws it: filled, and again as an outline."""


def _rounded(attribute: re.Match[str]) -> str:
    return _rounded_text(attribute[0])


@functools.lru_cache(4096)
def _rounded_text(attribute: str) -> str:
    """An attribute with its numbers in tenths; boxes of equal places share most of them."""
    return re.sub(r"-?\d+\.\d+", _tenths, attribute).replace(".0", "")


def _tenths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}"
