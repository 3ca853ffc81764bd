"""A page: path and content of one file of the site, before MkDocs sees it."""

from __future__ import annotations

import re

from modeldocs.struct import Struct

_SLOT = re.compile(r'<div data-late="([a-z-]+)"></div>')


class Page(Struct, frozen=True):
    """One file of the site; a page that a reader opens has a title.

    A Markdown page holds prose and slots; `late` gives the HTML of each slot. The plugin fills
    the slots after Markdown has run, which is fast and keeps tables out of the search index;
    a folder for another generator has them filled in place.
    """

    path: str
    content: bytes
    title: str = ""
    late: dict[str, str] = {}

    @property
    def is_markdown(self) -> bool:
        """Whether a site generator renders it."""
        return self.path.endswith(".md")

    def filled(self) -> bytes:
        """The content with every slot filled."""
        if not self.late:
            return self.content
        return fill(self.content.decode("utf-8"), self.late).encode("utf-8")


def slot(name: str) -> str:
    """The mark in a Markdown page where late HTML goes."""
    return f'<div data-late="{name}"></div>'


def fill(text: str, late: dict[str, str]) -> str:
    """Put the HTML of each slot in its place; a slot that is not ours stays."""
    return _SLOT.sub(lambda found: _framed(found, late), text)


def _framed(found: re.Match[str], late: dict[str, str]) -> str:
    name = found.group(1)
    if name not in late:
        return found.group(0)
    return f'<div class="mr-late" data-slot="{name}">\n{late[name]}\n</div>'
