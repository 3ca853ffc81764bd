"""Who changed the ports of a catalog, and when, as git and CODEOWNERS tell it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from modeldocs import history
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.history import Changes, History, Owners, VersionLog
from modeldocs.tasks.results import Results

MOST = 50
"""Versions of a port that are kept; pages list fewer."""


def add(catalog: Catalog, results: Results) -> None:
    """Add the histories of all ports to the results; none where the catalog is in no repository."""
    log = history.read(Path(catalog.root))
    owners = Owners.read(log.root)
    known = Changes.of(results.store.folder)
    for model in catalog.models:
        found = {
            port.name: _of_port(model, port, results, log, owners, known) for port in model.ports
        }
        results.histories[model.id] = {name: one for name, one in found.items() if one is not None}


def _of_port(
    model: Model, port: Port, results: Results, log: VersionLog, owners: Owners, known: Changes
) -> History | None:
    versions = log.of(_files(model, port, results))[:MOST]
    place = port.source or Path(model.folder)
    owner = owner_of(place, model, log, owners)
    if not versions and not owner:
        return None
    found = (known.known(old, new) for new, old in pairwise(log.of([place])[:MOST]))
    changes = {one.version.commit: one for one in found if one is not None}
    return History(versions=versions, owner=owner, changes=changes, cut=log.cut)


def owner_of(place: Path, model: Model | None, log: VersionLog, owners: Owners) -> str:
    """Who looks after the files at a place: whom their model names, else whom CODEOWNERS does.

    Empty where nobody is named.
    """
    if model is not None and model.manifest.owner:
        return model.manifest.owner
    named = Path(os.path.realpath(place))  # which bears links that lead nowhere
    is_inside = named.is_relative_to(log.root)
    return owners.of(named.relative_to(log.root).as_posix()) if is_inside else ""


def _files(model: Model, port: Port, results: Results) -> Iterator[Path]:
    """The port's own file or folder, and what loading it read of the model's folder."""
    if port.source is not None:
        yield port.source
    folder = Path(model.folder)
    for name in results.loaded(model, port).read:
        if name.startswith(f"{folder.name}/"):
            yield folder.parent / name
