"""Ports that are at another place, or under another name, with the same content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from modeldocs.site.preview.document import ModelChange, PortChange
from modeldocs.site.preview.sides import PreviewSide, Sides


def joined(changes: Iterable[PortChange], sides: Sides) -> tuple[PortChange, ...]:
    """The changes, where a port that was removed and one that was added are the same as one.

    They are the same if loading them read the same content; where several did, they are taken in
    the order of names, those of one name first.
    """
    every = list(changes)
    gone = [one for one in every if one.kind == "removed"]
    fresh: dict[str, list[PortChange]] = defaultdict(list)
    for one in every:
        if one.kind == "added":
            fresh[_content(one, sides.after)].append(one)
    former: dict[str, PortChange] = {}
    for old in gone:
        content = _content(old, sides.before)
        found = fresh.get(content, []) if content else []
        if found:
            new = next((one for one in found if one.port == old.port), found[0])
            found.remove(new)
            former[new.name] = old
    dropped = {one.name for one in former.values()}
    return tuple(
        _renamed(one, former[one.name]) if one.name in former and one.kind == "added" else one
        for one in every
        if not (one.kind == "removed" and one.name in dropped)
    )


def _renamed(new: PortChange, old: PortChange) -> PortChange:
    return msgspec.structs.replace(new, kind="renamed", was=old.name, before=old.before)


def _content(change: PortChange, side: PreviewSide) -> str:
    """The digests of what loading a port read, whatever its name; empty where it read nothing."""
    found = side.port(change.name)
    files = sorted(side.results.loaded(*found).read.values()) if found is not None else []
    return f"{change.framework} {' '.join(files)}" if files else ""


def models(changes: Iterable[ModelChange], ports: Sequence[PortChange]) -> Iterator[ModelChange]:
    """The models that came and went, those as one whose ports are all in the other now."""
    every, former = list(changes), defaultdict[str, set[str]](set)
    removed = {one.model for one in ports if one.kind == "removed"}
    for port in ports:
        if port.was:
            former[port.was.partition("/")[0]].add(port.model)
    gone = {one.model for one in every if one.kind == "removed"} - removed
    fresh = {one.model for one in every if one.kind == "added"}
    moved = {new: old for old in gone for new in former[old] & fresh if len(former[old]) == 1}
    for one in every:
        if one.model in moved:
            yield msgspec.structs.replace(one, kind="renamed", was=moved[one.model])
        elif one.model not in moved.values():
            yield one
