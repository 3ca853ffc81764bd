"""Pages as a plain folder: what any generator of static sites can build, and what MkDocs reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from modeldocs import shipped
from modeldocs.site.page import Page

SUMMARY = "SUMMARY.md"


def write_pages(pages: Iterable[Page], folder: Path, *, filled: bool) -> list[Page]:
    """Write pages below `folder`, only those that changed, and remove what no page is any more.

    With `filled`, late HTML stands in the Markdown; without, its slots stay for the plugin.
    Returns the pages written or found as they were, without their content.
    """
    held: list[Page] = []
    for page in pages:
        data = page.filled() if filled else page.content
        _write_changed(folder / page.path, data)
        held.append(Page(path=page.path, content=b"", late={} if filled else page.late))
    _remove_others(folder, {folder / page.path for page in held})
    return held


def write_tree(pages: Iterable[Page], folder: Path) -> list[Page]:
    """The site's source for a generator without our plugin: pages, styles, scripts, navigation."""
    written = [*pages, *asset_pages()]
    summary = "".join(f"- [{_title(page)}]({page.path})\n" for page in written if page.is_markdown)
    return write_pages(
        [*written, Page(path=SUMMARY, content=summary.encode())], folder, filled=True
    )


def asset_pages() -> list[Page]:
    """Styles and scripts as pages of the site, below `assets/`."""
    root = shipped.assets()
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [
        Page(path=f"assets/{path.relative_to(root).as_posix()}", content=path.read_bytes())
        for path in files
    ]


def _title(page: Page) -> str:
    first = page.content.decode("utf-8").split("title:", 1)
    return first[1].splitlines()[0].strip().strip('"') if len(first) > 1 else page.path


def _write_changed(path: Path, data: bytes) -> None:
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _remove_others(folder: Path, kept: set[Path]) -> None:
    """Only files below folders that pages lie in: a folder shared with others is theirs too."""
    for top in {path.relative_to(folder).parts[0] for path in kept if path.parent != folder}:
        for path in sorted((folder / top).rglob("*"), reverse=True):
            if path.is_file() and path not in kept:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
