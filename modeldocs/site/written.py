"""The pages that the store holds for MkDocs: only those whose content may have changed are made.

Pages of a model depend on its part of the catalog and on the results of its tasks; pages of the
whole catalog depend on all. What was written is noted in a file beside the pages.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from posixpath import dirname
from typing import Any

import msgspec

from modeldocs import digest, environments, loaders
from modeldocs.site import pages, tree
from modeldocs.site.build import Built
from modeldocs.site.catalog.summary import ModelSummary, summarise
from modeldocs.site.model import compared_ports
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.store import Store

_NOTE = "written.msgpack"


class Part(Struct, frozen=True):
    """The pages of a model: the key of all that they depend on, their files, its summary."""

    key: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    summary: ModelSummary


class Written(Struct, frozen=True):
    """What a build wrote: its key, the paths of all pages, and its models by id.

    `state` has the size and the time of change, in nanoseconds, of each file.
    """

    key: str
    paths: tuple[str, ...]
    state: dict[str, tuple[int, int]]
    models: dict[str, Part]


def write(built: Built, home: str) -> list[str]:
    """Write the pages with open slots to the store (see `tree.write`); return their paths.

    `home` is the path of the catalog's page. What is there as an earlier build wrote it, and would
    be the same, is left as it is.
    """
    place = built.place
    note = place.folder / _NOTE
    common = _common(built, home)
    keys = _keys(built, common)
    key = store.key(
        common, built.results.failures, built.more, built.results.digests_of_all(), keys
    )
    last, state = _last(place), _state(place)
    if last is not None and (last.key, last.state) == (key, state):
        return list(last.paths)
    note.unlink(missing_ok=True)  # an interrupted build is written anew
    models = {}
    for model in built.catalog.models:
        kept = last.models.get(model.id) if last is not None else None
        if (
            kept is None
            or last is None
            or kept.key != keys[model.id]
            or any(last.state.get(file) != state.get(file) for file in kept.files)
        ):
            kept = _write_model(built, model.id, keys[model.id], home)
        models[model.id] = kept
    summaries = [part.summary for part in models.values()]
    others = [
        *pages.of_catalog(built.catalog, built.results, summaries, built.templates, home),
        *built.more,
        *tree.asset_pages(),
    ]
    paths, files = tree.write(others, place.pages, place.late)
    paths = [*paths, *(path for part in models.values() for path in part.paths)]
    files = [*files, *(file for part in models.values() for file in part.files)]
    tree.remove_others(place.folder, (place.pages, place.late), files)
    written = Written(key=key, paths=tuple(paths), state=_state(place), models=models)
    note.write_bytes(msgspec.msgpack.encode(written))
    return paths


def _write_model(built: Built, name: str, key: str, home: str) -> Part:
    """Write the pages of a model."""
    model = next(one for one in built.catalog.models if one.id == name)
    compared = compared_ports.compare_ports(model, built.results)
    made = pages.of_model(built.catalog, model, built.results, compared, built.templates)
    paths, files = tree.write(made, built.place.pages, built.place.late)
    return Part(
        key=key,
        files=tuple(files),
        paths=tuple(paths),
        summary=summarise(model, built.results, compared, dirname(home)),
    )


def _common(built: Built, home: str) -> str:
    """Digest of what all pages depend on: templates, scripts, code and software."""
    modules = [loaders.entry_point(name).module for name in loaders.frameworks()]
    code = closure.closure(pages.__name__, *modules)
    return store.key(
        home,
        built.catalog.root,
        [environments.locked(name).ready for name in environments.names()],
        built.templates.digest(),
        [digest.of(page.content) for page in tree.asset_pages()],
        closure.digest_of(*code.files),
        closure.versions(code.packages),
    )


def _keys(built: Built, common: str) -> dict[str, str]:
    """Digest by model of what its pages depend on, with the models before and after it."""
    results: dict[str, list[Any]] = defaultdict(list)
    for kind, name, found in built.results.digests_of_all():
        results[name.partition("/")[0]].append((kind, name, found))
    failures: dict[str, list[Any]] = defaultdict(list)
    for name, failure in built.results.failures:
        failures[name.partition("/")[0]].append((name, failure))
    models = built.catalog.models
    around = [("", "")] + [(model.id, model.title) for model in models] + [("", "")]
    return {
        model.id: store.key(
            common,
            model,
            [around[number], around[number + 2]],
            results[model.id],
            failures[model.id],
            built.results.records.get(model.id),
            [(a.name, b.name) for a, b in built.results.pairs(model)],
        )
        for number, model in enumerate(models)
    }


def _last(place: Store) -> Written | None:
    """What the last build wrote; None where that is not known."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.msgpack.decode((place.folder / _NOTE).read_bytes(), type=Written)
    return None


def _state(place: Store) -> dict[str, tuple[int, int]]:
    """Size and time of change of the files of pages in a store, by path."""
    files: Iterable[Any] = (
        path for folder in (place.pages, place.late) for path in folder.rglob("*")
    )
    found = ((path, path.stat()) for path in files)
    return {
        path.relative_to(place.folder).as_posix(): (stat.st_size, stat.st_mtime_ns)
        for path, stat in found
        if path.is_file()
    }
