"""The files of Material's search in a built site: its index, and the script that reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import package_data

INDEX, INLINE = "search/search_index.json", "search/search_index.js"
ENTRIES = "search/search_entries.json"
WRITTEN = (INDEX, ENTRIES, INLINE)
WORKERS = "assets/javascripts/workers/search.*.js"


Entry = dict[str, Any]
"""What search finds: a page or a section of one, with its location in the site."""

_NOTHING: Mapping[str, Sequence[Entry]] = {}


def link_files(
    site: Path, kept: Mapping[str, Sequence[Entry]] = _NOTHING, order: Iterable[str] = ()
) -> dict[str, list[Entry]]:
    """Let search results lead to files, and write the entries apart and the index as a script.

    Each page loads the index, so that it has no entries: the search fetches them when it is used.
    A page that was opened as a file may load a script, but no JSON. `kept` has the entries of pages
    that were not rendered now, by their paths in the site, and `order` the paths of all pages as
    they would have been rendered. Returns the entries of all pages. Nothing is done where the site
    has no search index.
    """
    try:
        index = msgspec.json.decode((site / INDEX).read_bytes())
    except FileNotFoundError:
        return {}
    found: dict[str, list[Entry]] = {path: list(kept.get(path, ())) for path in order}
    for entry in index["docs"]:
        entry["location"] = path_of(entry["location"])
        found.setdefault(entry["location"].partition("#")[0], []).append(entry)
    entries = [entry for some in found.values() for entry in some]
    whole, empty = (msgspec.json.encode(index | {"docs": docs}) for docs in (entries, []))
    (site / INDEX).write_bytes(empty)
    (site / ENTRIES).write_bytes(msgspec.json.encode(entries))
    (site / INLINE).write_bytes(b"var __index = " + whole)
    return found


def adapt_worker(site: Path) -> None:
    """Let the script of the search ask for all words, fetch its entries late, bear digits."""
    scripts = [package_data.search_script(name) for name in ("query", "deferred", "tokens")]
    before, after = "".join(scripts[:2]), scripts[2]
    for file in sorted(site.glob(WORKERS)):
        text = file.read_text("utf-8")
        if "lunr" in text and not text.endswith(after):
            file.write_text(before + text + after, "utf-8")


def path_of(location: str) -> str:
    """A location with the file of its page: `models/a/#b` as `models/a/index.html#b`."""
    path, hash_, anchor = location.partition("#")
    if not path or path.endswith("/"):
        path += "index.html"
    return path + hash_ + anchor
