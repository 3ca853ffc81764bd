"""The files of Material's search in a built site: its index, and the script that reads it."""

from __future__ import annotations

import json
from pathlib import Path

from modeldocs import shipped

INDEX, INLINE = "search/search_index.json", "search/search_index.js"
WORKERS = "assets/javascripts/workers/search.*.js"


def link_files(site: Path) -> None:
    """Let search results lead to files, and write the index also as a script.

    A page that was opened as a file may load a script, but no JSON. Nothing is done where the site
    has no search index.
    """
    try:
        index = json.loads((site / INDEX).read_text("utf-8"))
    except FileNotFoundError:
        return
    for entry in index["docs"]:
        entry["location"] = _file(entry["location"])
    data = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
    (site / INDEX).write_text(data, "utf-8")
    (site / INLINE).write_text(f"var __index = {data}", "utf-8")


def adapt_worker(site: Path) -> None:
    """Let the script of the search build its index when it is asked, and bear names with digits."""
    before, after = shipped.search_script("deferred"), shipped.search_script("tokens")
    for file in sorted(site.glob(WORKERS)):
        text = file.read_text("utf-8")
        if "lunr" in text and not text.endswith(after):
            file.write_text(before + text + after, "utf-8")


def _file(location: str) -> str:
    """`models/lenet/#layers` as `models/lenet/index.html#layers`."""
    path, hash_, anchor = location.partition("#")
    if not path or path.endswith("/"):
        path += "index.html"
    return path + hash_ + anchor
