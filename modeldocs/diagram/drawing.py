"""The drawings of one graph: its overview, the levels below it, and the whole graph."""

from __future__ import annotations

import functools
import itertools

import msgspec

from modeldocs import formatting, isolation
from modeldocs.diagram.level import DrawnLevels
from modeldocs.diagram.level_dot import LevelDot
from modeldocs.diagram.titles import group_title
from modeldocs.diagram.whole import whole_dot
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.fold import Architecture, Group, architecture, describe, fold
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.struct import Struct

LIMITS = Limits(seconds=60)
"""Limits of laying out the diagrams of one graph."""

_LAYOUT = "modeldocs.diagram.layout"
"""The module that runs Graphviz, in a process of its own."""

_WHOLE = "whole.svg"

MAX_LEVELS = 500
"""Levels that are drawn; groups below these cannot be opened."""


class LevelDrawing(Struct, frozen=True):
    """One level of a fold.

    `id` is that of its group, empty for the overview; `parent` the level that it is opened from.
    """

    id: str
    title: str
    svg: str
    parent: str = ""
    width: float = 0.0
    """Width of the SVG at its own size, in pixels."""


class Drawing(Struct, frozen=True):
    """Diagrams as DOT and SVG, with a note on what the whole one leaves out; or a failure.

    `levels` begins with the overview; it is there where the whole graph cannot be drawn, too.
    """

    dot: str = ""
    svg: str = ""
    note: str = ""
    failure: Failure | None = None
    levels: tuple[LevelDrawing, ...] = ()
    description: str = ""
    """The overview as text: see `fold.describe`."""
    architecture: Architecture | None = None
    """Stages of the network, by which it is compared with others."""


class LayoutRequest(Struct, frozen=True):
    """What the layout process draws: DOT and the title of each diagram, by name of its file."""

    dots: dict[str, tuple[str, str]]


class LayoutResult(Struct, frozen=True):
    """Widths of the drawings in pixels, by name of the file."""

    widths: dict[str, float]


def draw(graph: LayerGraph, limits: Limits = LIMITS) -> Drawing:
    """All diagrams of a graph; a failure is returned.

    Raises:
        ModeldocsError: the machine failed.
    """
    if not graph.layers:
        fix = "see the table of its layers"
        return Drawing(failure=Failure(reason="has no layer to draw", fix=fix))
    network = fold(graph)
    texts = level_dots(graph, network)
    dot, note = whole_dot(graph)
    whole = {_WHOLE: (dot, formatting.visible(f"Diagram of {graph.name}"))} if dot else {}
    levels = _requested(graph, texts)
    drawn = _lay_out(levels | whole, limits)
    if isinstance(drawn, Failure) and whole:  # each by itself, so that one may succeed
        of_levels, of_whole = _lay_out(levels, limits), _lay_out(whole, limits)
    else:
        of_levels = of_whole = drawn
    return msgspec.structs.replace(
        _whole(graph, dot, note, of_whole),
        levels=_levels(texts, of_levels),
        description=describe(graph, network),
        architecture=architecture(graph, network),
    )


def _whole(graph: LayerGraph, dot: str, note: str, drawn: LaidOut | Failure) -> Drawing:
    """The diagram of a whole graph, without levels."""
    if not dot:
        reason = f"is too large to draw ({len(graph.layers):,} layers)"
        return Drawing(failure=Failure(reason=reason, fix="see the table of its layers"))
    if isinstance(drawn, Failure):
        return Drawing(dot=dot, failure=drawn)
    return Drawing(dot=dot, svg=drawn.svgs[_WHOLE], note=note)


class LaidOut(Struct, frozen=True):
    """SVGs and their widths in pixels, by the name of the file."""

    svgs: dict[str, str]
    widths: dict[str, float]


def _lay_out(dots: dict[str, tuple[str, str]], limits: Limits) -> LaidOut | Failure:
    """The drawings of some DOT with titles, by name, in one process."""
    request, preload = LayoutRequest(dots=dots), [f"{_LAYOUT}:preload"]
    with isolation.run(_LAYOUT, request, limits, preload=preload) as outcome:
        try:
            widths = outcome.result(LayoutResult).widths
            svgs = {name: outcome.read(name).decode("utf-8") for name in dots}
        except ModeldocsError as error:
            if error.machine:  # what is drawn without it would count as all that can be
                raise
            return Failure.of(error)
        except OSError as error:
            raise isolation.unreadable(error, None) from None
        return LaidOut(svgs=svgs, widths=widths)


class LevelText(Struct, frozen=True):
    """The DOT of one level, with what is known of it: see `LevelDrawing`."""

    id: str
    title: str
    dot: str
    parent: str = ""


def level_dots(graph: LayerGraph, network: Group | None = None) -> list[LevelText]:
    """The levels of a graph that has layers, the overview first, as DOT; `network` is its fold."""
    layers = {layer.id: layer for layer in graph.layers}
    overview, *inner = itertools.islice(DrawnLevels(graph).all(network or fold(graph)), MAX_LEVELS)
    drawn = {level.group.id for level in inner}
    on_page = LevelDot(graph, functools.partial(_address, "levels/", drawn), page="")
    beside = LevelDot(graph, functools.partial(_address, "", drawn), page="../index.html")
    parents = {
        box.group.id: level.group.id if level is not overview else ""
        for level in (overview, *inner)
        for box in level.boxes()
        if box.group is not None
    }
    first = LevelText(id="", title="Overview", dot=on_page.dot(overview, with_ends=True))
    return [
        first,
        *(
            LevelText(
                id=level.group.id,
                title=group_title(level.group, layers),
                dot=beside.dot(level, with_ends=False),
                parent=parents[level.group.id],
            )
            for level in inner
        ),
    ]


def draw_levels(graph: LayerGraph, limits: Limits = LIMITS) -> tuple[LevelDrawing, ...]:
    """The drawings of a graph's levels; none where they cannot be laid out."""
    texts = level_dots(graph, fold(graph))
    return _levels(texts, _lay_out(_requested(graph, texts), limits))


def _requested(graph: LayerGraph, texts: list[LevelText]) -> dict[str, tuple[str, str]]:
    """DOT and title of each level, by the name of its file."""
    return {
        f"{index}.svg": (text.dot, formatting.visible(f"{text.title}, {graph.name}"))
        for index, text in enumerate(texts)
    }


def _levels(texts: list[LevelText], drawn: LaidOut | Failure) -> tuple[LevelDrawing, ...]:
    """The drawings of a graph's levels; none where they could not be laid out."""
    if isinstance(drawn, Failure):
        return ()
    return tuple(
        LevelDrawing(
            id=text.id,
            title=text.title,
            svg=drawn.svgs[f"{index}.svg"],
            parent=text.parent,
            width=drawn.widths[f"{index}.svg"],
        )
        for index, text in enumerate(texts)
    )


def _address(prefix: str, drawn: set[str], group: Group) -> str:
    """The file of a group's drawing, empty where it has none."""
    return f"{prefix}{group.id}.svg" if group.id in drawn else ""
