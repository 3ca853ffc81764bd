"""The drawing process: DOT in, SVG out, run by `modeldocs.isolation`.

Graphviz is C that a Python timeout cannot stop, so it runs where it can be killed.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import msgspec
import pygraphviz

from modeldocs.diagram import DrawRequest


def main(folder: Path) -> None:
    """Lay out the DOT of `request.json` with Graphviz's `dot`; leave `diagram.svg`."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=DrawRequest)
    drawn = pygraphviz.AGraph(string=request.dot).draw(format="svg", prog="dot")
    (folder / "diagram.svg").write_text(tidy(drawn.decode("utf-8"), request.title), "utf-8")
    (folder / "result.json").write_text("{}")


def tidy(svg: str, title: str) -> str:
    """The SVG element alone, named for screen readers, without Graphviz's tooltips and notes."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
    body = re.sub(r"<title>.*?</title>\n?", "", body, flags=re.S)
    body = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', body, count=2)
    name = html.escape(title, quote=True)
    return body.replace("<svg", f'<svg class="mr-diagram" role="img" aria-label="{name}"', 1)
