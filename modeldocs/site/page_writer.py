"""Pages as folders: with slots for the MkDocs plugin, filled for other generators."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec

from modeldocs import mark, package_data
from modeldocs.mark import MarkedWriter
from modeldocs.site.page import Page
from modeldocs.site.templating import escape_markdown

FOLDER = "folder of pages"
_FIX = "choose an empty folder with --out DIR, or empty it yourself"

_STAGED = ".modeldocs-new"
"""The folder of pages that are not in their places yet."""

SUMMARY = "SUMMARY.md"
STYLE, SCRIPT = "assets/modeldocs.css", "assets/modeldocs.js"
HEAD_SCRIPT = "assets/modeldocs-search.js"
LATE = (
    "architectures.js",
    "catalog-layers.js",
    "compare-files.js",
    "edit-form.js",
    "edit-parts.js",
    "edit-table.js",
    "edit.js",
    "heat.js",
    "layer-query.js",
    "parquet.js",
    "roofline.js",
    "server.js",
)
"""Files that a page loads when a reader asks for what they do."""


def write(pages: Iterable[Page], folder: Path, late: Path) -> tuple[list[str], list[str]]:
    """Write pages with open slots below `folder`, and the HTML of the slots below `late`.

    Both are in one marked folder. Only one page at a time is held in memory. Returns the paths of
    the pages, and those of all files relative to the folder around both.

    Raises:
        ModeldocsError: a file of somebody else's is in the way.
    """
    writer = MarkedWriter(folder.parent)
    paths: list[str] = []
    files: list[str] = []
    for page in pages:
        written = {f"{folder.name}/{page.path}": page.content}
        if page.late:
            written[f"{late.name}/{page.path}.json"] = msgspec.json.encode(page.late)
        for path, data in written.items():
            writer.write(path, data)
        paths.append(page.path)
        files += written
    return paths, files


def read_late(late: Path, path: str) -> dict[str, str]:
    """The HTML of the slots of a page that `write` wrote; empty where it has none."""
    try:
        return msgspec.json.decode(_filling(late, path).read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}


def _filling(late: Path, path: str) -> Path:
    return late / f"{path}.json"


def write_tree(pages: Iterable[Page], folder: Path) -> None:
    """Write pages, styles, scripts and `SUMMARY.md` for a generator without the plugin.

    What an earlier call wrote and this one does not is deleted; files of others stay.

    Raises:
        ModeldocsError: the folder, or a file that would be written over, is somebody else's;
            nothing is written then.
    """
    check_folder(folder)
    mark.claim(folder, FOLDER, _FIX)
    writer = MarkedWriter(folder)
    try:
        paths, changed = _stage(writer, pages)
    except BaseException:
        _remove_staged(folder)
        raise
    for path in changed:
        writer.announce(path)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / _STAGED / path).replace(folder / path)
    mark.remove(folder, FOLDER, mark.listed(folder).difference(paths))


def check_folder(folder: Path) -> None:
    """Check that a plain folder may be written.

    Raises:
        ModeldocsError: it is somebody else's.
    """
    mark.check(folder, FOLDER, _FIX)


def _stage(writer: MarkedWriter, pages: Iterable[Page]) -> tuple[list[str], list[str]]:
    """Write those pages that are not in the folder as they would be beside their places.

    Returns the paths of all, and of those that were written.
    """
    paths: list[str] = []
    changed: list[str] = []
    summary = ""

    def stage(path: str, data: bytes) -> None:
        paths.append(path)
        with contextlib.suppress(OSError):
            if (writer.folder / path).read_bytes() == data:
                return
        writer.check(path)
        writer.write(f"{_STAGED}/{path}", data)
        changed.append(path)

    for page in chain(pages, asset_pages()):
        stage(page.path, page.filled())
        if page.is_markdown:
            summary += f"- [{escape_markdown(page.title or page.path)}]({page.path})\n"
    stage(SUMMARY, summary.encode())
    return paths, changed


def _remove_staged(folder: Path) -> None:
    staged = (path for path in mark.listed(folder) if path.startswith(f"{_STAGED}/"))
    mark.remove(folder, FOLDER, staged)


def asset_pages() -> list[Page]:
    """The style sheet and the scripts of every page."""
    return [
        Page(path=STYLE, content=package_data.style().encode("utf-8")),
        Page(path=SCRIPT, content=package_data.script().encode("utf-8")),
        Page(path=HEAD_SCRIPT, content=package_data.search_script("frame").encode("utf-8")),
        *(
            Page(path=f"assets/modeldocs-{name}", content=package_data.late(name).encode("utf-8"))
            for name in LATE
        ),
    ]
