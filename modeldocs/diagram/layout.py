"""The process that lays out DOT as SVG, run by `modeldocs.isolation`.

Graphviz is C code, which no timeout in Python can stop; a process can be killed.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import msgspec
import pygraphviz

from modeldocs.diagram.drawing import LayoutRequest


def main(folder: Path) -> None:
    """Lay out each DOT in `request.json` with Graphviz's `dot`, and write its SVG."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=LayoutRequest)
    for name, (dot, title) in request.dots.items():
        svg = pygraphviz.AGraph(string=dot).draw(format="svg", prog="dot")
        (folder / name).write_text(tidy(svg.decode("utf-8"), title), "utf-8")
    (folder / "result.json").write_text("{}")


def tidy(svg: str, title: str) -> str:
    """The SVG element with a label for screen readers, without Graphviz's titles, comments and
    numbered ids: several diagrams may stand on one page.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
    body = re.sub(r"<title>.*?</title>\n?", "", body, flags=re.S)
    body = re.sub(r' id="(graph|node|edge|clust|a_)\d+[^"]*"', "", body)
    body = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', body, count=2)
    name = html.escape(title, quote=True)
    return body.replace("<svg", f'<svg class="mr-diagram" role="img" aria-label="{name}"', 1)
