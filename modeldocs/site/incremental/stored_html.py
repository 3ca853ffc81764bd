"""Pages as MkDocs rendered them, kept in the store until something that they show has changed.

The HTML of a kept page is the same file as the one in the built site where the file system can give
a file two names, so that it takes no more space. A file that something else has changed since is
not used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import mark
from modeldocs.mark import MarkedWriter
from modeldocs.site.incremental import whole_site
from modeldocs.site.incremental.whole_site import FileState
from modeldocs.struct import Struct
from modeldocs.tasks.store import KIND, Store

_NOTE = "rendered.msgpack"
_FOLDER = "rendered"

Sources = tuple[FileState | None, FileState | None]
"""The states of a page's Markdown and of what fills its slots; None where it has no such file."""


class RenderedPage(Struct, frozen=True):
    """A rendered page.

    `html` is the state of its file. `links` are the addresses in the site that its Markdown leads
    to, `anchors` the places on it that links of others can name, `entries` what search finds.
    """

    sources: Sources
    html: FileState = (0, 0)
    links: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    entries: tuple[dict[str, Any], ...] = ()


class Rendered(Struct, frozen=True):
    """The rendered pages by path in the site, with digests of what all of them were made with.

    `key` is that of configuration, theme and software, `navigation` that of titles and addresses in
    the navigation.
    """

    key: str
    navigation: str
    pages: dict[str, RenderedPage]


def read(store: Store, key: str) -> Rendered | None:
    """What the last build kept, None where that was made with something else."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        last = msgspec.msgpack.decode((store.folder / _NOTE).read_bytes(), type=Rendered)
        return last if last.key == key else None
    return None


def noted(store: Store) -> FileState | None:
    """The state of the file that says what is kept; None where there is none."""
    return whole_site.of_file(f"{store.folder}/{_NOTE}")


def usable(
    store: Store, last: Rendered, path: str, sources: Sources, known: Collection[str]
) -> RenderedPage | None:
    """The page of that path in the site, if it is as a build would make it now.

    `known` are the addresses of all files of the site.
    """
    page = last.pages.get(path)
    if page is None or page.sources != sources or not all(link in known for link in page.links):
        return None
    return page if _state(store, path) == page.html else None


def keep(store: Store, writer: MarkedWriter, path: str, html: str) -> FileState | None:
    """Keep the HTML of a page that was rendered now; the state of its file, None of no file.

    A page in whose place somebody put a file is not kept.
    """
    target = file(store, path)
    if not writer.is_ours(f"{_FOLDER}/{path}"):
        return None
    writer.announce(f"{_FOLDER}/{path}")
    Path(target).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        link(html, target)
    return _state(store, path)


def note(store: Store, rendered: Rendered, last: Rendered | None) -> None:
    """Note what is kept, and remove what is kept no more; `last` is what was kept before."""
    (store.folder / _NOTE).write_bytes(msgspec.msgpack.encode(rendered))
    now = {f"{_FOLDER}/{path}" for path in rendered.pages}
    if last is not None:
        before = {f"{_FOLDER}/{path}" for path in last.pages}
    else:
        before = {path for path in mark.listed(store.folder) if path.startswith(f"{_FOLDER}/")}
    if before - now:
        mark.remove(store.folder, KIND, before - now)


def file(store: Store, path: str) -> str:
    """The path of the HTML of the page of that path in the site."""
    return f"{store.folder}/{_FOLDER}/{path}"


def link(source: str, target: str) -> None:
    """Give a file a second name, if it has not that name; copy it where that cannot be done."""
    try:
        os.link(source, target)
    except OSError:  # most often the file is there, or there is no folder yet
        if _is_same(source, target):
            return
        place = Path(target)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)


def _is_same(source: str, target: str) -> bool:
    """Whether two names are those of one file."""
    try:
        return os.path.samestat(os.stat(source), os.stat(target))  # noqa: PTH116 (for thousands)
    except OSError:
        return False


def sources(state: Mapping[str, FileState], path: str) -> Sources:
    """The states of the files that a page is rendered from, out of those of all files."""
    return state.get(f"pages/{path}"), state.get(f"late/{path}.json")


def _state(store: Store, path: str) -> FileState | None:
    return whole_site.of_file(file(store, path))
