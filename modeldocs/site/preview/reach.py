"""The ports that a change reaches: those that may load otherwise than before.

A port that the store holds is reached by the files that it was seen to read. Of any other, every
file counts that its code could read, so that no port is missed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from modeldocs.catalog import RECORDS, Catalog, Model, Port
from modeldocs.catalog.manifest import NAME
from modeldocs.loaders import loading
from modeldocs.tasks import load
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import LOAD, Load
from modeldocs.tasks.names import port_name
from modeldocs.tasks.store import Store, is_seen


@dataclass(frozen=True)
class Tree:
    """The files of one side of a change: their folder, and the catalog in it."""

    folder: Path
    catalog: Catalog

    def ports(self) -> dict[str, tuple[Model, Port]]:
        """All ports by name."""
        return {port_name(m, p): (m, p) for m in self.catalog.models for p in m.ports}


def reached(before: Tree, after: Tree, changed: Collection[str], store: Store) -> set[str]:
    """Names of the ports that a change reaches; `changed` are paths relative to the two folders."""
    sides = before.ports(), after.ports()
    paths = [list(_paths(tree.folder, changed)) for tree in (before, after)]
    found = set(sides[0]) ^ set(sides[1])
    for name in sorted(set(sides[0]) & set(sides[1])):
        if _settings(before, *sides[0][name]) != _settings(after, *sides[1][name]) or any(
            _touched(tree, other, *side[name], own, store)
            for tree, other, side, own in zip(
                (before, after), (after, before), sides, paths, strict=True
            )
        ):
            found.add(name)
    return found


def _paths(folder: Path, changed: Collection[str]) -> Iterator[str]:
    """What changed below a folder; of a submodule, which is told by its folder, all files."""
    for path in changed:
        place = folder / path
        yield os.path.normpath(place)
        if place.is_dir() and Path(os.path.realpath(place)) == place:  # by no link
            yield from (str(inner) for inner in place.rglob("*"))


def models(before: Tree, after: Tree, ports: Collection[str], changed: Collection[str]) -> set[str]:
    """Ids of the models with a reached port, another manifest, or other records or mistakes."""
    found = {name.partition("/")[0] for name in ports}
    sides = [{model.id: model for model in tree.catalog.models} for tree in (before, after)]
    found |= set(sides[0]) ^ set(sides[1])
    for name in set(sides[0]) & set(sides[1]):
        a, b = (side[name] for side in sides)
        records = os.path.relpath(_records(b), after.folder) + os.sep
        described = (a.manifest, a.failures) == (b.manifest, b.failures)
        if not described or any(path.startswith(records) for path in changed):
            found.add(name)
    return found


def _settings(tree: Tree, model: Model, port: Port) -> object:
    """What decides a port's load beside the content of files; paths are relative."""
    if port.failure is not None:
        return port.failure
    return LOAD.decisive(load.task(tree.catalog, model, port).inputs)


def _touched(
    tree: Tree, other: Tree, model: Model, port: Port, paths: Collection[str], store: Store
) -> bool:
    """Whether a file that the port reads, or might read, is among the `paths` that changed.

    Such a file may also be one that the `other` side has where the port looked for one in vain.
    """
    held = _held(tree, model, port, store)
    if held is not None and held.failure is None:
        root = os.path.realpath(tree.catalog.root)
        read = {os.path.normpath(Path(root, path)) for path in held.read}
        root = other.catalog.root
        looked = held.sought.items()
        return any(path in read for path in paths) or not all(
            is_seen(Path(root), path, what) for path, what in looked
        )
    own = os.path.realpath(port.source) if port.source is not None else ""
    apart = {os.path.realpath(one.source) for one in model.ports if one.source is not None}
    apart = {path for path in apart if not path.endswith(".py")}  # which no port imports
    apart |= {path for path in paths if path.startswith(_records(model))}
    if not own.endswith(".py"):
        apart.add(os.path.realpath(Path(model.folder, NAME)))  # `_settings` compares it
    places = tuple(_places(port))
    return any(path == own or (path not in apart and path.startswith(places)) for path in paths)


def _records(model: Model) -> str:
    return os.path.realpath(Path(model.folder, RECORDS)) + os.sep


def _held(tree: Tree, model: Model, port: Port, store: Store) -> Load | None:
    """The stored load of a port; None where there is none."""
    if port.failure is not None:
        return None
    place = TaskFolders(root=tree.catalog.root, store=str(store.folder))
    answer = LOAD.stored(load.task(tree.catalog, model, port).inputs, place)
    return place.result(answer.dependencies.result, Load) if answer is not None else None


def _places(port: Port) -> Iterator[str]:
    """Files and folders that the code of a port may read; folders end in a separator."""
    for place in loading.readable(port.request):
        real = os.path.realpath(place)
        yield real + os.sep if Path(real).is_dir() else real
