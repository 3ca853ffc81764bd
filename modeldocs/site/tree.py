"""Pages as folders: with slots for the MkDocs plugin, filled for other generators."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec

from modeldocs import mark, shipped
from modeldocs.mark import Writer
from modeldocs.site.page import Page
from modeldocs.site.templating import escape_markdown

FOLDER = "folder of pages"
_FIX = "choose an empty folder with --out DIR, or empty it yourself"

SUMMARY = "SUMMARY.md"
STYLE, SCRIPT = "assets/modeldocs.css", "assets/modeldocs.js"
HEAD_SCRIPT = "assets/modeldocs-search.js"
LATE = ("compare-files.js", "heat.css", "heat.js")
"""Files that a page loads when a reader asks for what they do."""


def write(pages: Iterable[Page], folder: Path, late: Path) -> tuple[list[str], list[str]]:
    """Write pages with open slots below `folder`, and the HTML of the slots below `late`.

    Both are in one marked folder. Only one page at a time is held in memory. Returns the paths of
    the pages, and those of all files relative to the folder around both.

    Raises:
        ModeldocsError: a file of somebody else's is in the way.
    """
    writer = Writer(folder.parent)
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
    writer, paths = Writer(folder), []
    with tempfile.TemporaryDirectory(prefix=f"{mark.NAME}-", dir=folder) as place:
        made, summary = Path(place), ""
        for page in chain(pages, asset_pages()):
            _stage(writer, made, page.path, page.filled())
            paths.append(page.path)
            if page.is_markdown:
                summary += f"- [{escape_markdown(page.title or page.path)}]({page.path})\n"
        _stage(writer, made, SUMMARY, summary.encode())
        for path in mark.files(made):
            writer.announce(path)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).replace(folder / path)
    mark.remove(folder, FOLDER, mark.listed(folder) - {*paths, SUMMARY})


def check_folder(folder: Path) -> None:
    """Check that a plain folder may be written.

    Raises:
        ModeldocsError: it is somebody else's.
    """
    mark.check(folder, FOLDER, _FIX)


def _stage(writer: Writer, made: Path, path: str, data: bytes) -> None:
    """Write a file to its place for the time being, unless it is in the folder as it would be."""
    with contextlib.suppress(OSError):
        if (writer.folder / path).read_bytes() == data:
            return
    writer.check(path)
    (made / path).parent.mkdir(parents=True, exist_ok=True)
    (made / path).write_bytes(data)


def asset_pages() -> list[Page]:
    """The style sheet and the scripts of every page."""
    return [
        Page(path=STYLE, content=shipped.style().encode("utf-8")),
        Page(path=SCRIPT, content=shipped.script().encode("utf-8")),
        Page(path=HEAD_SCRIPT, content=shipped.search_script("frame").encode("utf-8")),
        *(
            Page(path=f"assets/modeldocs-{name}", content=shipped.late(name).encode("utf-8"))
            for name in LATE
        ),
    ]
