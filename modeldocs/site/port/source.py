"""Source files as highlighted HTML, line by line."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text
from pygments.util import ClassNotFound

MAX_BYTES = 60_000
"""Bytes of HTML of the files that a port's page shows; it loads longer ones when they are opened.
"""

FOLDER = "source"
"""Folder of those files, beneath the port's."""


class _TextFormatLexer(RegexLexer):
    """Lexer of protobuf's text format, the format of Caffe's prototxt."""

    name = "Protobuf text format"
    tokens: ClassVar[dict[str, list[tuple[str, Any]]]] = {
        "root": [  # what is found most often first, and few tokens: each takes time
            (r"\s+", Text),
            (r"[{}\[\]:,;<>][\s{}\[\]:,;<>]*", Punctuation),
            (r"\b(true|false)\b", Keyword.Constant),
            (r"[A-Za-z_]\w*(?=\s*:)", Name.Attribute),
            (r"[A-Za-z_]\w*(?=\s*\{)", Name.Class),
            (r'"(\\.|[^"\\\n])*"', String.Double),
            (r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", Number),
            (r"[A-Z][A-Z0-9_]*\b", Name.Constant),
            (r"'(\\.|[^'\\\n])*'", String.Single),
            (r"#.*$", Comment.Single),
            (r".", Text),
        ]
    }


def lines(file: str, text: str) -> list[str]:
    """Each line of a source as highlighted HTML; the file's name decides the language."""
    if file.endswith((".prototxt", ".pbtxt")):
        lexer: Any = _TextFormatLexer(stripnl=False)
    else:
        try:
            lexer = get_lexer_for_filename(file, stripnl=False)
        except ClassNotFound:
            return [html.escape(line) for line in text.split("\n")]
    lines: list[str] = highlight(text, lexer, HtmlFormatter(nowrap=True)).split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def anchor(file: int, line: int) -> str:
    """HTML id of a line of a port's page: `source-1-24` is line 24 of its first file."""
    return f"source-{file}-{line}"


@dataclass(frozen=True)
class SourceFile:
    """One file: its number on the page from 1, its name, its text, its lines as HTML.

    The lines of a file that is not `inline` are in a file beside the page.
    """

    number: int
    name: str
    text: str
    lines: list[str]
    inline: bool


@dataclass(frozen=True)
class Sources:
    """The files of a port's source, in the order of the page."""

    files: tuple[SourceFile, ...]

    def href(self, name: str, line: int | None) -> str:
        """Link from the port's page to a line of a file; empty where the page does not show it."""
        for file in self.files:
            if file.name == name and line is not None:
                return f"#{anchor(file.number, line)}"
        return ""

    @property
    def long(self) -> list[SourceFile]:
        """The files whose lines are not on the port's page."""
        return [file for file in self.files if not file.inline]


def sources(texts: dict[str, str]) -> Sources:
    """Highlighted files, by name; the first ones are on the page while they fit."""
    files, room = [], MAX_BYTES
    for number, (name, text) in enumerate(texts.items(), start=1):
        highlighted = lines(name, text)
        size = sum(map(len, highlighted)) + 110 * len(highlighted)
        files.append(SourceFile(number, name, text, highlighted, inline=size <= room))
        room -= size if size <= room else 0
    return Sources(tuple(files))
