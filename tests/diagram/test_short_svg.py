"""Shortened SVG: the drawing that Graphviz made, in fewer bytes and elements."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

import pygraphviz
import pytest

from modeldocs.diagram.level import DrawnLevels
from modeldocs.diagram.level_dot import LevelDot
from modeldocs.diagram.short_svg import shorter
from modeldocs.diagram.whole import whole_dot
from modeldocs.fold import fold

from .test_diagram import RESIDUAL, chain

SVG = "{http://www.w3.org/2000/svg}"
INHERITED = ("fill", "stroke", "font-size", "font-family", "text-anchor", "stroke-dasharray")
MIXED = """digraph {
    node [shape=plain fontsize=11 fontcolor="#1b1f24"]
    edge [color="#8a929c" fontsize=9 fontcolor="#8a929c"]
    a [label=<<TABLE BORDER="0"><TR><TD BGCOLOR="#ffffff">a &amp; b</TD></TR></TABLE>>]
    a -> b [label="1×3\\n2×4"] b -> c [style=dashed] c -> a [label=back color=red]
    a -> c [label="a link" URL="#c"] c -> d [arrowhead=diamond]
}"""
NO_LOOK = 'digraph { a [label="black"] a -> b [label=grey fontcolor="#8a929c"] }'

Point = tuple[float, float]


def whole() -> str:
    dot, _ = whole_dot(RESIDUAL)
    return dot


def overview() -> str:
    level = next(iter(DrawnLevels(RESIDUAL).all(fold(RESIDUAL))))
    return LevelDot(RESIDUAL, lambda group: f"{group.id}.svg", page="").dot(level, with_ends=True)


def long() -> str:
    dot, _ = whole_dot(chain(120, per_module=6))
    return dot


@pytest.fixture(params=[whole, overview, long, lambda: MIXED, lambda: NO_LOOK])
def svg(request) -> str:
    drawn = pygraphviz.AGraph(string=request.param()).draw(format="svg", prog="dot").decode()
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", drawn, flags=re.S)
    return re.sub(r' id="(graph|node|edge|clust|a_)\d+[^"]*"', "", drawn)


def styled(element: ElementTree.Element, style: dict[str, str]) -> Iterator[tuple]:
    """Each element that is drawn, with the attributes that it has or inherits."""
    style = style | {name: element.attrib[name] for name in INHERITED if name in element.attrib}
    if element.tag in (f"{SVG}path", f"{SVG}polygon", f"{SVG}text", f"{SVG}tspan"):
        yield element, style
    for child in element:
        yield from styled(child, style)


def look(style: dict[str, str], *names: str) -> tuple:
    return tuple(style.get(name) for name in names)


def texts(svg: str) -> Counter:
    """Each text of one look with its height and look; several may stand in one line."""
    names = ("fill", "text-anchor", "font-family")
    default = {"text-anchor": "start"}
    found: Counter = Counter()
    y = 0.0
    for element, style in styled(ElementTree.fromstring(svg), {}):
        if element.tag not in (f"{SVG}text", f"{SVG}tspan") or not (element.text or "").strip():
            continue
        y = float(element.get("y", y))
        size = float(style["font-size"])
        found[(element.text.strip("\xa0 "), round(y, 1), size, *look(default | style, *names))] += 1
    return found


def lines(svg: str) -> set[tuple[float, float]]:
    """Where each line of text begins: texts that follow one another at one height are a line."""
    found, last = set(), None
    for element, _ in styled(ElementTree.fromstring(svg), {}):
        if element.tag != f"{SVG}text":
            last = None
        elif "".join(element.itertext()).strip():
            x, y = (round(float(element.attrib[name]), 1) for name in "xy")
            if y != last:
                found.add((x, y))
            last = y
    return found


def parts(d: str) -> Iterator[list[Point]]:
    """The points of each part of a path, absolute, with a repeated first point where it closes."""
    for part in re.findall(r"M[^M]*", d):
        start, command, rest = re.fullmatch(r"M([^a-zC]+)([Ccl])([^z]*)z?", part).groups()
        points, origin = [point(start)], point(start)
        for number, (x, y) in enumerate(map(point, rest.split()), start=1):
            absolute = (x, y) if command == "C" else (origin[0] + x, origin[1] + y)
            points.append(absolute)
            if command != "c" or number % 3 == 0:
                origin = absolute
        yield points


def point(text: str) -> Point:
    x, y = text.split(",")
    return float(x), float(y)


def outlines(svg: str) -> list[tuple]:
    """Each line and each filled shape with its look and its points, sorted."""
    found = []
    for element, style in styled(ElementTree.fromstring(svg), {}):
        of = look(style, "fill", "stroke", "stroke-dasharray")
        if element.tag == f"{SVG}path":
            found += [(of, one) for one in parts(element.attrib["d"])]
        elif element.tag == f"{SVG}polygon":
            every = [point(one) for one in element.attrib["points"].split()]
            found.append((of, every[:-1] if every[0] == every[-1] else every))
    return sorted(found, key=lambda one: (str(one[0]), [tuple(map(round, p)) for p in one[1]]))


def as_one_box(found: list[tuple]) -> list[tuple]:
    """Outlines without those that are the edge of a filled box, which then has their colour."""
    filled = {tuple(points): fill for (fill, stroke, _), points in found if stroke == "none"}
    boxes = [
        ((filled[tuple(points)], stroke, dashes), points)
        for (fill, stroke, dashes), points in found
        if fill == "none" and tuple(points) in filled
    ]
    joined = {tuple(points) for _, points in boxes}
    return boxes + [one for one in found if tuple(one[1]) not in joined]


class TestTheSameDrawing:
    def test_has_the_same_texts_in_the_same_places_and_look(self, svg):
        assert texts(shorter(svg)) == texts(svg)

    def test_has_its_lines_of_text_at_the_same_places(self, svg):
        assert lines(shorter(svg)) == lines(svg)

    def test_has_the_same_lines_and_shapes(self, svg):
        before, after = as_one_box(outlines(svg)), outlines(shorter(svg))
        places = [Counter(str(of) for of, _ in drawn) for drawn in (before, after)]
        assert places[0] == places[1]
        for of, points in after:
            assert any(of == other and same(points, theirs) for other, theirs in before), (
                of,
                points,
            )

    def test_takes_two_thirds_of_the_bytes(self):
        drawn = pygraphviz.AGraph(string=long()).draw(format="svg", prog="dot").decode()
        assert len(shorter(drawn)) < len(drawn) * 2 / 3


def same(ours: list[Point], theirs: list[Point]) -> bool:
    """Whether points are equal but for the rounding to tenths."""
    return len(ours) == len(theirs) and all(
        math.dist(*both) < 0.075 for both in zip(ours, theirs, strict=True)
    )
