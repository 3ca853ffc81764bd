"""Where a browser may break a line: not in a number, and in a long name between its words.

By itself it breaks `1e-6` and `ResNet-50` at the hyphen, and a long name wherever the line is full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

_HYPHEN = re.compile(r"-\d")
"""What a number with a hyphen is found by: other patterns take ten times as long on a page."""

_BEFORE, _AFTER = re.compile(r"[\w.]*\Z"), re.compile(r"[\w.-]*\w")

_LONGEST = 24
"""Characters of the longest word that is kept whole: a longer one would not fit a narrow column."""

_BEGIN, _END = '<span class="mr-digits">', "</span>"

_SEPARATOR = re.compile(r"(?<=\w[._/])(?!(?<=\d\.)\d)(?=\w)")
"""Between two words of a layer's or a module's name; `2.1` is one."""

_LONG = 12
"""Characters from which a name may not fit a column of a narrow window."""

_OTHER = re.compile(r"<(svg|script|style)\b.*?</\1>", re.S)
"""Drawings and programs: what looks like text in them is none."""

_PLAIN = re.compile(r"</?(?:option|title|textarea|template)\b")
"""Elements that hold text and no elements."""


def keep_whole(html: str) -> str:
    """HTML in which numbers with a hyphen are `span.mr-digits`, which is kept on one line.

    A hyphen that Markdown wrote as a reference becomes one. What is copied from the page stays as
    it is, unlike with hyphens that do not break.
    """
    html = html.replace("&#45;", "-")
    parts: list[str] = []
    start = 0
    for begin, end in _numbers(html):
        parts += html[start:begin], _BEGIN, html[begin:end], _END
        start = end
    return "".join((*parts, html[start:])) if parts else html


def _numbers(html: str) -> Iterator[tuple[int, int]]:
    """Where the text of the HTML has words with a digit behind a hyphen."""
    start = 0
    for other in _OTHER.finditer(html):
        yield from _between(html, start, other.start())
        start = other.end()
    yield from _between(html, start, len(html))


def _between(html: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    last = start
    for hyphen in _HYPHEN.finditer(html, start, end):
        place = hyphen.start()
        if (
            place < max(last, start + 1)
            or not html[place - 1].isalnum()
            or not _is_text(html, place)
        ):
            continue
        before = _BEFORE.search(html, max(last, place - _LONGEST), place)
        after = _AFTER.match(html, place, end)
        assert before is not None and after is not None  # both match a digit and a word's end
        last = after.end()
        begin = before.start()
        if last - begin <= _LONGEST and not html.endswith(_BEGIN, 0, begin):
            yield begin, last


def _is_text(html: str, place: int) -> bool:
    """Whether a place of the HTML is in text that may hold elements."""
    tag = html.rfind("<", 0, place)
    if tag < 0:
        return True
    return html.rfind(">", tag, place) > tag and _PLAIN.match(html, tag) is None


def breakable(name: str) -> Markup:
    """The name of a layer as HTML that may be broken behind its dots, underscores and slashes."""
    shown = escape(name)
    return shown if len(name) < _LONG else Markup(_SEPARATOR.sub("<wbr>", shown))
