"""SVG in fewer bytes: the drawing of Graphviz in two thirds of the length, of fewer elements."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict

_BOX = re.compile(
    r'<polygon fill="([^"]*)" stroke="none" (points="[^"]*")/>\n'
    r'<polygon fill="none" stroke="([^"]*)" \2/>'
)
"""A box as Graphviz draws it: filled, and again as an outline."""

_EDGES = re.compile(r'(?:<g class="edge">\n(?:<(?:path|polygon|text) [^\n]*\n)+</g>\n)+')
"""Edges that follow one another, of lines, arrowheads and labels without links."""

_LINE = re.compile(r'<path([^>]*) d="M([^"]*)C([^"]*)"/>')
_ARROWHEAD = re.compile(r'<polygon([^>]*) points="(\S+) ([^"]*)"/>')
_LABEL = re.compile(r'<text([^>]*?) (x="[^"]*" y="[^"]*")([^>]*)>(.*)</text>')
_NEXT_IN_LINE = re.compile(
    r'(<text x="[^"]*" (y="[^"]*")[^>]*>[^\n]*)</text>\n<text x="[^"]*" \2([^>]*)>([^<\n]*)</text>'
)
"""Two texts of one line of a label: Graphviz draws a text for each font."""

_LOOK = re.compile(r' font-size="[^"]*" fill="[^"]*"(?=>)')
_GRAPH = '<g class="graph"'


def shorter(svg: str) -> str:
    """The same drawing: a font named once, tenths of a point, one outline a box, what is common to
    texts once, and edges together.
    """
    svg = re.sub(r' (xml:space="preserve"|text-anchor="start")', "", svg)
    svg = svg.replace(" &#160;</text>", "</text>")
    svg = re.sub(r"<text [^>]*>\s*</text>\n", "", svg)
    fonts = set(re.findall(r' font-family="[^"]*"', svg))
    if len(fonts) == 1:
        font = fonts.pop()
        svg = svg.replace(font, "").replace("<svg", f"<svg{font}", 1)
    svg = _lines_whole(svg)
    svg = re.sub(r' (d|points|x|y|font-size)="[^"]*"', _rounded, svg)
    svg = re.sub(r'(points="(\S+) [^"]*) \2"', r'\1"', svg)  # a polygon closes itself
    svg = _BOX.sub(r'<polygon fill="\1" stroke="\3" \2/>', svg)
    return _EDGES.sub(_together, _common_look_once(svg))


def _lines_whole(svg: str) -> str:
    """Each line as one text: where its parts begin is then left to the font that draws it."""
    count = 1
    while count:
        svg, count = _NEXT_IN_LINE.subn(r"\1 &#160;<tspan\3>\4</tspan></text>", svg)
    return svg


def _together(edges: re.Match[str]) -> str:
    """Edges as one path for all lines of one look, one for all arrowheads, and the labels.

    Labels stay elements of their own, which can be found and selected.
    """
    paths: dict[str, list[str]] = defaultdict(list)
    labels: dict[str, list[str]] = defaultdict(list)
    for element in edges[0].splitlines():
        if line := _LINE.fullmatch(element):
            look, start, points = line.groups()
            paths[look].append(f"M{start}c{_relative(start, points, 3)}")
        elif arrowhead := _ARROWHEAD.fullmatch(element):
            look, start, points = arrowhead.groups()
            paths[look].append(f"M{start}l{_relative(start, points, 1)}z")
        elif label := _LABEL.fullmatch(element):
            before, place, after, text = label.groups()
            labels[before + after].append(f"<text {place}>{text}</text>\n")
        elif not element.startswith(("<g", "</g")):
            return edges[0]
    drawn = (f'<path{look} d="{"".join(parts)}"/>\n' for look, parts in paths.items())
    written = (f"<g{look}>\n{''.join(texts)}</g>\n" for look, texts in labels.items())
    return "".join((*drawn, *written))


def _relative(start: str, points: str, step: int) -> str:
    """Points as distances, in tenths, from the one that so many points end at: few digits each."""
    x, y = _in_tenths(start)
    written = []
    for number, point in enumerate(map(_in_tenths, points.split()), start=1):
        written.append(f"{_text(point[0] - x)},{_text(point[1] - y)}")
        if number % step == 0:
            x, y = point
    return " ".join(written)


def _in_tenths(point: str) -> tuple[int, int]:
    x, y = point.split(",")
    return round(float(x) * 10), round(float(y) * 10)


def _text(tenths: int) -> str:
    whole, rest = divmod(abs(tenths), 10)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _common_look_once(svg: str) -> str:
    """The look of most texts as that of the graph; where a text has none, nothing is changed."""
    texts = re.findall(r"<text [^>]*>", svg)
    looks = Counter(match[0] for match in map(_LOOK.search, texts) if match is not None)
    if not texts or looks.total() < len(texts):
        return svg
    look = looks.most_common(1)[0][0]
    return svg.replace(f"{look}>", ">").replace(_GRAPH, f"{_GRAPH}{look}", 1)


def _rounded(attribute: re.Match[str]) -> str:
    return _rounded_text(attribute[0])


@functools.lru_cache(4096)
def _rounded_text(attribute: str) -> str:
    """An attribute with its numbers in tenths; boxes of equal places share most of them."""
    return re.sub(r"-?\d+\.\d+", _tenths, attribute).replace(".0", "")


def _tenths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}"
