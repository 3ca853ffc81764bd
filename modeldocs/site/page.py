"""Pages of the site: the path and content of one file, as Markdown with slots for HTML."""

from __future__ import annotations

import re

from modeldocs.struct import Struct

_SLOT = re.compile(r'<div data-late="([a-z-]+)"></div>')


class Page(Struct, frozen=True):
    """One file of the site; pages that are rendered have a title.

    A Markdown page holds prose and slots; `late` maps each slot to its HTML. The plugin fills the
    slots after Markdown was rendered, which is fast and keeps tables out of the search index. In
    a plain folder for another generator they are filled in the Markdown.
    """

    path: str
    content: bytes
    title: str = ""
    late: dict[str, str] = {}

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown, which a site generator renders."""
        return self.path.endswith(".md")

    def filled(self) -> bytes:
        """The content with every slot filled."""
        if not self.late:
            return self.content
        return fill(self.content.decode("utf-8"), self.late).encode("utf-8")


def slot(name: str) -> str:
    """The element of a Markdown page that HTML takes the place of."""
    return f'<div data-late="{name}"></div>'


def fill(text: str, late: dict[str, str]) -> str:
    """Replace each slot by its HTML; a slot that `late` does not name stays."""
    return _SLOT.sub(lambda match: _filled(match, late), text)


def _filled(match: re.Match[str], late: dict[str, str]) -> str:
    name = match.group(1)
    if name not in late:
        return match.group(0)
    return f"<div>\n{late[name]}\n</div>"
