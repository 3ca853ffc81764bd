"""A built site that can be opened from a folder: links name files, and search needs no server.

Published addresses stay as they are: pages are `FOLDER/index.html` in any case.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

INDEX, INLINE = "search/search_index.json", "search/search_index.js"

_LINK = re.compile(r'(?<=\bhref=")(\.{1,2}|(?:[^":/?#\s]+/)+)(?=["#?])')
"""The path of a relative link to a folder: `..`, `./`, `../guide/`."""


def link_files(html: str) -> str:
    """A page whose relative links to folders lead to the `index.html` in them."""
    return _LINK.sub(lambda match: f"{match.group(1).rstrip('/')}/index.html", html)


def link_found(site: Path) -> None:
    """Let search results lead to files, and write the index also as a script.

    A page that was opened as a file may load a script, but no JSON. Nothing is done where the site
    has no search index.
    """
    file = site / INDEX
    try:
        index = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return
    for entry in index["docs"]:
        entry["location"] = _file(entry["location"])
    data = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
    file.write_text(data, "utf-8")
    (site / INLINE).write_text(f"var __index = {data}", "utf-8")


def _file(location: Any) -> str:
    """`models/lenet/#layers` as `models/lenet/index.html#layers`."""
    path, hash_, anchor = str(location).partition("#")
    if not path or path.endswith("/"):
        path += "index.html"
    return path + hash_ + anchor
