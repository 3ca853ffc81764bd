"""The chapters of a model's pages in the store: only those that would be others now are written."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from modeldocs.catalog import Model
from modeldocs.site import page_writer, pages
from modeldocs.site.build import Built
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.struct import Struct
from modeldocs.tasks import store


class StoredPageGroup(Struct, frozen=True):
    """Pages that were written together: their files and paths, and what they were made from.

    `key` is the digest of what they depend on besides the results that they show; `read` has these
    by kind and name, with their digests, None where there was none.
    """

    key: str
    read: tuple[tuple[str, str, str | None], ...]
    files: tuple[str, ...]
    paths: tuple[str, ...]


def write(
    built: Built,
    model: Model,
    compared: ComparedPorts,
    common: str,
    before: Mapping[str, StoredPageGroup],
) -> Iterator[tuple[str, StoredPageGroup]]:
    """Write the pages of a model to the store; its chapters by name.

    `common` is the digest of what all pages depend on. `before` has chapters that an earlier build
    wrote and that are there: those that would be the same are left as they are.
    """
    place, results = built.place, built.results
    for made in pages.chapters(built.catalog, model, results, compared, built.templates):
        key = store.key(common, made.depends) if made.depends is not None else ""
        known = before.get(made.name)
        if known is not None and known.key == key != "" and _is_valid(known, built):
            yield made.name, known
            continue
        read: dict[tuple[str, str], str | None] = {}
        paths, files = page_writer.write(made.make(results.noting(read)), place.pages, place.late)
        yield (
            made.name,
            StoredPageGroup(
                key=key,
                read=tuple((kind, name, digest) for (kind, name), digest in read.items()),
                files=tuple(files),
                paths=tuple(paths),
            ),
        )


def _is_valid(chapter: StoredPageGroup, built: Built) -> bool:
    """Whether the results that it shows are those of this build."""
    digests = built.results.digests
    return all(digests.get((kind, name)) == digest for kind, name, digest in chapter.read)


def present(
    chapters: Mapping[str, StoredPageGroup], changed: Container[str]
) -> dict[str, StoredPageGroup]:
    """Those of some chapters of which no file is among those that have changed since."""
    return {
        name: chapter
        for name, chapter in chapters.items()
        if not any(file in changed for file in chapter.files)
    }
