"""The overview of a network on a page, with a list of the drawings that it opens."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import join

from modeldocs.diagram import Drawing, LevelDrawing
from modeldocs.site.templating import Templates

NARROW = 360
"""Width of an overview in pixels up to which a wide window shows the table of layers beside it."""


def html(
    levels: Sequence[LevelDrawing],
    templates: Templates,
    folder: str = "",
    drawing: Drawing | None = None,
) -> str:
    """The overview of a port's levels; empty where there are none.

    `folder` leads from the page to the port's own, whose files the overview links to; it is empty
    on the port's own page. `drawing` is that of the whole graph, which is linked.
    """
    if not levels:
        return templates.html("undrawn", drawing=drawing) if drawing else ""
    svg = levels[0].svg
    if folder:
        svg = svg.replace('xlink:href="levels/', f'xlink:href="{join(folder, "levels/")}')
        svg = svg.replace('xlink:href="#', f'xlink:href="{join(folder, "index.html")}#')
    places = [(level, join(folder, "levels", f"{level.id}.svg")) for level in levels[1:]]
    is_narrow = levels[0].width <= NARROW
    return templates.html("overview", svg=svg, places=places, whole=drawing, is_narrow=is_narrow)


def closed(svg: str, title: str, templates: Templates) -> str:
    """One drawing in a frame of its own, from which no other opens."""
    return templates.html("embedded_drawing", svg=svg, title=title)
