"""Pages that can be opened from a folder, since their links name files.

Published addresses stay as they are: pages are `FOLDER/index.html` in any case.
"""

from __future__ import annotations

import re

_LINK = re.compile(r'(?<=\bhref=")(\.{1,2}|(?:[^":/?#\s]+/)+)(?=["#?])')
"""The path of a relative link to a folder: `..`, `./`, `../guide/`."""


def link_files(html: str) -> str:
    """A page whose relative links to folders lead to the `index.html` in them."""
    return _LINK.sub(lambda match: f"{match.group(1).rstrip('/')}/index.html", html)
