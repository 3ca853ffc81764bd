"""Links to the sections of a page, where it has no table of contents beside it."""

from __future__ import annotations

import html
import re
from typing import Final

from markdown.extensions.toc import slugify

SLOT: Final = "contents"
"""The slot of a page that takes the links."""

LEAST: Final = 3
"""Sections from which a page has links to them."""

_HEADING = re.compile(r"^## (.+?)(?: \{ #([\w-]+) \})?$", re.MULTILINE)


def of(text: str) -> str:
    """The links to the sections of a Markdown page, as HTML; empty where these are few."""
    sections = [
        (heading, anchor or slugify(heading, "-"))
        for heading, anchor in _HEADING.findall(html.unescape(text))
    ]
    if len(sections) < LEAST:
        return ""
    links = "".join(
        f'<li><a href="#{anchor}">{html.escape(heading)}</a></li>' for heading, anchor in sections
    )
    return f'<nav class="mr-contents" aria-label="On this page"><ul>{links}</ul></nav>'
