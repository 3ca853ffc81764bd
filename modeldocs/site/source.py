"""Source text as HTML: highlighted, each line with an address of its own."""

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
    """Protobuf's text format, as Caffe's prototxt is written."""

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
    """Each line of a source as highlighted HTML, by the kind of file that its name tells."""
    if file.endswith((".prototxt", ".pbtxt")):
        lexer: Any = _TextFormatLexer(stripnl=False)
    else:
        try:
            lexer = get_lexer_for_filename(file, stripnl=False)
        except ClassNotFound:
            return [html.escape(line) for line in text.split("\n")]
    made: list[str] = highlight(text, lexer, HtmlFormatter(nowrap=True)).split("\n")
    return made[:-1] if made and not made[-1] else made


def anchor(file: int, line: int) -> str:
    """Id of a line in a port's page: `source-1-24`, its first file's 24th line."""
    return f"source-{file}-{line}"
