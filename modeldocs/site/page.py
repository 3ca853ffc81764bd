"""Pages of the site: the path and content of one file, as Markdown with slots for HTML."""

from __future__ import annotations

import re

from modeldocs.struct import Struct

_SLOT = re.compile(r'<div data-late="([a-z-]+)">(.*?)</div>', re.DOTALL)
_HEADING = re.compile(r"^# .*$", re.MULTILINE)
_BAR_BEGIN = '<nav class="mr-where'
_BAR = re.compile(
    r'(<h1\b.*?</h1>|^# [^\n]*$)\s*<div>\s*(<nav class="mr-where.*?</nav>)\s*</div>',
    re.DOTALL | re.MULTILINE,
)

TERMS = "terms"
"""The slot of a page's search terms: words that search finds the page by, and nobody sees."""


class Page(Struct, frozen=True):
    """One file of the site; pages that are rendered have a title.

    A Markdown page holds prose and slots; `late` maps each slot to its HTML. The plugin fills the
    slots after Markdown was rendered, which is fast and keeps tables out of the search index. The
    slot `TERMS` has words for the index, which are gone when it is filled. In a plain folder for
    another generator slots are filled in the Markdown.
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
        if not self.is_markdown:
            return self.content
        return lift_bar(fill(self.content.decode("utf-8"), self.late)).encode("utf-8")


def slot(name: str) -> str:
    """The element of a Markdown page that HTML takes the place of."""
    return f'<div data-late="{name}"></div>'


def with_terms(text: str, terms: str) -> str:
    """A Markdown page with search terms, which are HTML without a `div`, below its heading."""
    place = f'<div data-late="{TERMS}">{terms}</div>'
    return _HEADING.sub(lambda match: f"{match.group(0)}\n\n{place}", text, count=1)


def fill(text: str, late: dict[str, str]) -> str:
    """Replace each slot by its HTML; a slot that `late` does not name stays."""
    return _SLOT.sub(lambda match: _filled(match, late), text)


def lift_bar(text: str) -> str:
    """Put the navigation bar of a page above its heading, in HTML or in Markdown.

    In templates it is below it, so that search takes the heading for the beginning of the page.
    """
    bar = text.find(_BAR_BEGIN)
    if bar < 0:
        return text
    # From the heading on: over a whole page the pattern takes a millisecond.
    heading = max(text.rfind("<h1", 0, bar), text.rfind("\n# ", 0, bar) + 1)
    return text[:heading] + _BAR.sub(r"\2\n\n\1", text[heading:], count=1)


def _filled(match: re.Match[str], late: dict[str, str]) -> str:
    name = match.group(1)
    if name == TERMS:
        return ""
    if name not in late:
        return match.group(0)
    return f"<div>\n{late[name]}\n</div>"
