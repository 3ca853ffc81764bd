"""The pages that the store holds for MkDocs: only those whose content may have changed are made.

Pages of a model depend on its part of the catalog and on the results of its tasks, chapter by
chapter; pages of the whole catalog depend on all. What was written is noted in a file beside the
pages.
"""

from __future__ import annotations

import contextlib
import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from posixpath import dirname
from typing import Any

import msgspec

from modeldocs import digest, environments, loaders, mark
from modeldocs.catalog import Model
from modeldocs.site import page_writer, pages
from modeldocs.site.build import Built
from modeldocs.site.catalog import trend
from modeldocs.site.catalog.summary import ModelSummary, summarise
from modeldocs.site.catalog.trend import Standing
from modeldocs.site.incremental import page_groups, whole_site
from modeldocs.site.incremental.page_groups import StoredPageGroup
from modeldocs.site.incremental.whole_site import FileState, State
from modeldocs.site.model import compared_ports
from modeldocs.site.progress import shown_progress
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.pool import Pool, PooledTask
from modeldocs.tasks.store import Store

_NOTE = "written.msgpack"

_MANY = 20
"""Models whose pages are made in processes; with fewer, starting these takes longer."""


class WrittenModel(Struct, frozen=True):
    """The pages of a model: the key of all that they depend on, their chapters, its summary."""

    key: str
    chapters: dict[str, StoredPageGroup]
    summary: ModelSummary

    @property
    def files(self) -> list[str]:
        """Their files, relative to the folder of the store."""
        return [file for chapter in self.chapters.values() for file in chapter.files]

    @property
    def paths(self) -> list[str]:
        """Their paths in the site."""
        return [path for chapter in self.chapters.values() for path in chapter.paths]


class Written(Struct, frozen=True):
    """What a build wrote: its key, the paths of all pages, and its models by id.

    `state` has the size and the time of change, in nanoseconds, of each file.
    """

    key: str
    paths: tuple[str, ...]
    state: State
    models: dict[str, WrittenModel]


class WrittenCache:
    """What this process wrote last, with the state of the note that it left.

    While that note is there no other process has written pages, and those that were written need
    not be looked at.
    """

    def __init__(self) -> None:
        self.last: Written | None = None
        self.note: FileState | None = None
        self._keys: dict[str, tuple[tuple[Any, ...], str]] = {}

    def key(self, model: str, *parts: Any) -> str:
        """The key of what a model's pages depend on; comparing is faster than a digest."""
        known = self._keys.get(model)
        if known is None or known[0] != parts:
            known = self._keys[model] = parts, store.key(*parts)
        return known[1]

    def keep(self, place: Store, last: Written) -> Written:
        """Remember what was written, and return it."""
        self.last, self.note = last, _note(place)
        return last


def write(built: Built, home: str, memory: WrittenCache) -> Written:
    """Write the pages with open slots to the store (see `page_writer.write`).

    `home` is the path of the catalog's page. What is there as an earlier build wrote it, and would
    be the same, is left as it is.
    """
    place = built.place
    common = _common(built, home)
    models = _keys(built, common, memory)
    whole, (last, state) = _whole(built, models), _found(place, memory)
    if last is not None and (last.key, last.state) == (whole, state):
        return memory.keep(place, last)
    (place.folder / _NOTE).unlink(missing_ok=True)  # an interrupted build is written anew
    kept, before = {}, {}
    for model in built.catalog.models:
        part = last.models.get(model.id) if last is not None else None
        if part is None or last is None:
            continue
        changed = {file for file in part.files if last.state.get(file) != state.get(file)}
        if part.key == models[model.id] and not changed:
            kept[model.id] = part
        else:
            before[model.id] = page_groups.present(part.chapters, changed)
    wanted = {
        id_: Wanted(key=key, common=common, home=home, before=before.get(id_, {}))
        for id_, key in models.items()
        if id_ not in kept
    }
    made = _write_models(built, wanted)
    parts = {model.id: (kept | made)[model.id] for model in built.catalog.models}
    paths, files = _write_others(built, [part.summary for part in parts.values()], home)
    paths += [path for part in parts.values() for path in part.paths]
    files += [file for part in parts.values() for file in part.files]
    _remove_others(place, state, files)
    same = {file: state[file] for part in kept.values() for file in part.files}
    now = same | whole_site.of(place.folder, set(files) - same.keys())
    written = Written(key=whole, paths=tuple(paths), state=now, models=parts)
    (place.folder / _NOTE).write_bytes(msgspec.msgpack.encode(written))
    return memory.keep(place, written)


def _remove_others(place: Store, state: State, files: Sequence[str]) -> None:
    """Remove the files of those states that are not among the pages any more, if they are ours."""
    outdated = state.keys() - files
    if outdated:
        mark.remove(place.folder, store.KIND, outdated)


def key(built: Built, home: str) -> str:
    """Digest of everything that the pages depend on."""
    return _whole(built, _keys(built, _common(built, home), WrittenCache()))


def is_there(place: Store, key: str) -> bool:
    """Whether the store holds the pages of that key, as they were written."""
    last = _last(place)
    return last is not None and (last.key, last.state) == (key, _state(place, last))


def _whole(built: Built, models: Mapping[str, str]) -> str:
    results, names = built.results, [model.id for model in built.catalog.models]
    common = [names, results.failures, results.digests_of_all(), built.more]
    return store.key(models, *common)


def _write_others(
    built: Built, summaries: Sequence[ModelSummary], home: str
) -> tuple[list[str], list[str]]:
    """Write the pages of the whole catalog; their paths, and those of their files."""
    standings = _past(built, summaries)
    made = pages.of_catalog(
        built.catalog, built.results, summaries, built.templates, home, standings
    )
    return page_writer.write(
        chain(made, built.more, page_writer.asset_pages()), built.place.pages, built.place.late
    )


def _past(built: Built, summaries: Sequence[ModelSummary]) -> Sequence[Standing]:
    """The catalog's past, with this build unless pairs are still to be run."""
    root = built.catalog.root
    if built.results.postponed:
        return trend.past(built.place, root)
    ports = trend.ports(summary.listed for summary in summaries)
    return trend.note(built.place, root, ports, datetime.date.today().isoformat())


def _state(place: Store, last: Written | None) -> State:
    """The states of the pages' files, without files that somebody else put beside them."""
    known = last.state if last is not None else mark.listed(place.folder)
    found = whole_site.state(place.folder, place.pages, place.late)
    return {path: state for path, state in found.items() if path in known}


class Wanted(Struct, frozen=True):
    """Pages of a model that are to be written: their key, and what they are made with.

    `common` is the digest of what all pages depend on, `home` the path of the catalog's page;
    `before` has the chapters that are there, some of which may be the same.
    """

    key: str
    common: str
    home: str
    before: dict[str, StoredPageGroup]


def _write_models(built: Built, wanted: Mapping[str, Wanted]) -> dict[str, WrittenModel]:
    """Write the pages of models by id, in processes where they are many."""
    done: dict[str, WrittenModel] = {}
    if len(wanted) >= _MANY and built.jobs != 1:
        tasks = [
            PooledTask(kind="pages", name=model.id, inputs=(part, model, wanted[model.id]))
            for model, part in built.by_model()
            if model.id in wanted
        ]
        with shown_progress() as progress, Pool(None, built.jobs, progress) as pool:
            for ended in pool.run(_write_in_process, tasks):
                if ended.result is not None:
                    done[ended.task.name] = ended.result
    # What failed in a process fails here, too, and tells why.
    rest = [m for m in built.catalog.models if m.id in wanted and m.id not in done]
    return done | {model.id: _write_model(built, model, wanted[model.id]) for model in rest}


def _write_in_process(task: PooledTask) -> WrittenModel:
    return _write_model(*task.inputs)


def _write_model(built: Built, model: Model, wanted: Wanted) -> WrittenModel:
    """Write the pages of a model that would be others now."""
    compared = compared_ports.compare_ports(model, built.results)
    return WrittenModel(
        key=wanted.key,
        chapters=dict(page_groups.write(built, model, compared, wanted.common, wanted.before)),
        summary=summarise(model, built.results, compared, dirname(wanted.home)),
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
        [digest.of(page.content) for page in page_writer.asset_pages()],
        closure.digest_of(*code.files),
        closure.versions(code.packages),
    )


def _keys(built: Built, common: str, memory: WrittenCache) -> dict[str, str]:
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
        model.id: memory.key(
            model.id,
            common,
            model,
            [around[number], around[number + 2]],
            results[model.id],
            failures[model.id],
            built.results.records.get(model.id),
            built.results.histories.get(model.id),
            built.results.targets.get(model.id),
            [(a.name, b.name) for a, b in built.results.pairs(model)],
        )
        for number, model in enumerate(models)
    }


def _found(place: Store, memory: WrittenCache) -> tuple[Written | None, State]:
    """What was written last, and the present states of all files."""
    if memory.last is not None and memory.note == _note(place):
        return memory.last, memory.last.state
    last = _last(place)
    return last, _state(place, last)


def _note(place: Store) -> FileState | None:
    return whole_site.of_file(f"{place.folder}/{_NOTE}")


def _last(place: Store) -> Written | None:
    """What the last build wrote; None where that is not known."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.msgpack.decode((place.folder / _NOTE).read_bytes(), type=Written)
    return None
