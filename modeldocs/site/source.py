"""Source files as highlighted HTML, line by line."""

from __future__ import annotations

import html
from typing import Any, ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text
from pygments.util import ClassNotFound


class _TextFormatLexer(RegexLexer):
    """Lexer of protobuf's text format, the format of Caffe's prototxt."""

    name = "Protobuf text format"
    tokens: ClassVar[dict[str, list[tuple[str, Any]]]] = {
        "root": [
            (r"#.*$", Comment.Single),
            (r'"(\\.|[^"\\\n])*"', String.Double),
            (r"'(\\.|[^'\\\n])*'", String.Single),
            (r"\b(true|false)\b", Keyword.Constant),
            (r"[A-Za-z_]\w*(?=\s*\{)", Name.Class),
            (r"[A-Za-z_]\w*(?=\s*:)", Name.Attribute),
            (r"[A-Z][A-Z0-9_]*\b", Name.Constant),
            (r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", Number),
            (r"[{}\[\]:,;<>]", Punctuation),
            (r"\s+", Text),
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
