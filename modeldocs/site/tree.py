"""Pages as folders: with slots for the MkDocs plugin, filled for other generators."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec

from modeldocs import shipped
from modeldocs.site import addresses
from modeldocs.site.page import Page
from modeldocs.site.templating import escape_markdown

SUMMARY = "SUMMARY.md"
STYLE, SCRIPT = "assets/modeldocs.css", "assets/modeldocs.js"
HEAD_SCRIPT = "assets/modeldocs-search.js"
LATE = ("compare-files.js", "heat.css", "heat.js")
"""Files that a page loads when a reader asks for what they do."""


def write(pages: Iterable[Page], folder: Path, late: Path) -> tuple[list[str], list[str]]:
    """Write pages with open slots below `folder`, and the HTML of the slots below `late`.

    Only one page at a time is held in memory. Returns the paths of the pages, and those of all
    files relative to the folder around both.
    """
    paths, files = [], []
    for page in pages:
        _write_changed(folder / page.path, page.content)
        paths.append(page.path)
        files.append(f"{folder.name}/{page.path}")
        if page.late:
            _write_changed(_filling(late, page.path), msgspec.json.encode(page.late))
            files.append(f"{late.name}/{page.path}.json")
    return paths, files


def remove(around: Path, files: Iterable[str]) -> None:
    """Remove files by their paths relative to `around`, and folders that are empty then."""
    for file in files:
        path = around / file
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for folder in path.relative_to(around).parents:
                (around / folder).rmdir()


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

    `folder` may hold other pages: outdated files are removed only below `models/`.
    """
    paths, summary = [], ""
    for page in chain(pages, asset_pages()):
        _write_changed(folder / page.path, page.filled())
        paths.append(page.path)
        if page.is_markdown:
            summary += f"- [{escape_markdown(page.title or page.path)}]({page.path})\n"
    _write_changed(folder / SUMMARY, summary.encode())
    _remove_others(folder / addresses.MODELS, {folder / path for path in paths})


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


def _write_changed(path: Path, data: bytes) -> None:
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # a built site may hold the same file
    path.write_bytes(data)


def _remove_others(folder: Path, kept: set[Path]) -> None:
    """Remove all files but those in `kept`, and folders that are empty then."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in kept:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
