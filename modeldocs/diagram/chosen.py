"""The level of a network's diagram that a name means."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.diagram.drawing import LevelDrawing
from modeldocs.errors import ModeldocsError
from modeldocs.fold import fold
from modeldocs.ir import LayerGraph

_SHOWN = 12
"""Groups that an error lists."""


def chosen(
    levels: Sequence[LevelDrawing], graph: LayerGraph, opened: str | None, source: str
) -> LevelDrawing:
    """The overview, or the level of a group by its id, its module or its title; of equal ones the
    first. `source` names the port in errors.

    Raises:
        ModeldocsError: there is no such group, and the groups are listed; or nothing is drawn.
    """
    if not levels:
        raise ModeldocsError(
            "could not be drawn", file=source, fix="see `modeldocs load` for its layers"
        )
    if not opened:
        return levels[0]
    groups = {group.id: group for group in fold(graph).groups()}
    for level in levels[1:]:
        idiom = level.title.rpartition("× ")[2]
        names = (level.id, groups[level.id].name, level.title, idiom)
        if opened.casefold() in map(str.casefold, names):
            return level
    listed = [f"{groups[level.id].name or level.id} ({level.title})" for level in levels[1:]]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    raise ModeldocsError(
        f"has no group “{opened}” that opens",
        file=source,
        fix=f"choose one of {', '.join(listed[:_SHOWN])}{more}"
        if listed
        else "leave out the group",
    )
