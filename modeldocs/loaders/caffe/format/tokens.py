"""The tokens of protobuf's text format, and their values."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from typing import NamedTuple

from modeldocs.errors import ModeldocsError

MAX_NUMBER = 400
"""Characters of the longest number that is read."""

MAX_REASON = 300
"""Characters of an error's reason; names and texts in it may be of any length."""


class TokenPosition(NamedTuple):
    """Line and column in a file, both from 1."""

    line: int
    column: int


class Word(str):
    """A bare identifier: an enum's value, `true`, `inf`; quoted text is a plain `str`."""

    __slots__ = ()


class Token(NamedTuple):
    """`kind` is string, number, word, mark, bad or end; `offset` counts characters."""

    kind: str
    text: str
    offset: int


_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_TOKEN = re.compile(
    r"""(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')
    |(?P<number>[-+]?(?:\d|\.\d)[\w.]*(?:(?<=[eE])[-+]\d+)?|-\s*(?:inf(?:inity)?|nan)\b)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark>[{}<>\[\]:;,])
    |(?P<bad>.)""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_LETTERS = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}


class Tokens:
    """The tokens of a text, one at a time."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.offset = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def next(self) -> Token:
        """The next token; of kind `end` from the end on."""
        start = _SPACE.match(self.text, self.offset).end()  # type: ignore[union-attr]
        match = _TOKEN.match(self.text, start)
        if match is None:
            self.offset = len(self.text)
            return Token("end", "", len(self.text))
        self.offset = match.end()
        return Token(match.lastgroup or "bad", match.group(), start)

    def place(self, offset: int) -> TokenPosition:
        """Line and column of a character."""
        line = bisect_left(self._newlines, offset)
        before = self._newlines[line - 1] if line else -1
        return TokenPosition(line + 1, offset - before)

    def error(self, reason: str, offset: int, fix: str) -> ModeldocsError:
        """The error to raise for the text at `offset`."""
        line, column = self.place(offset)
        short = reason if len(reason) <= MAX_REASON else reason[:MAX_REASON] + " …"
        return ModeldocsError(short, file=self.file, line=line, column=column, fix=fix)


def scalar(tokens: Tokens, name: str, token: Token) -> str | int | float:
    """The value that begins with a token: a text, a Word or a number.

    Raises:
        ModeldocsError: no value begins there, or a number that is invalid or too large.
    """
    if token.kind == "string":
        return _string(tokens, token)
    if token.kind == "word":
        return Word(token.text)
    if token.kind == "number":
        return _number(tokens, token)
    if token.text in ("'", '"'):
        raise tokens.error(
            "a quoted text does not end", token.offset, f"close it with {token.text}"
        )
    actual = repr(token.text) if token.text else "the end of the file"
    raise tokens.error(
        f"{name!r} wants a value, not {actual}",
        token.offset,
        "write a number, a name, a quoted text, or { … }",
    )


def _string(tokens: Tokens, token: Token) -> str:
    """A quoted text, joined with those that directly follow it."""
    parts = [_unescape(token.text[1:-1])]
    while True:
        offset = tokens.offset
        following = tokens.next()
        if following.kind != "string":
            tokens.offset = offset
            return b"".join(parts).decode("utf-8", "replace")
        parts.append(_unescape(following.text[1:-1]))


def _unescape(text: str) -> bytes:
    data, end = bytearray(), 0
    for match in _ESCAPE.finditer(text):
        data += text[end : match.start()].encode("utf-8", "replace")
        data += _escaped(match.group()[1:])
        end = match.end()
    return bytes(data + text[end:].encode("utf-8", "replace"))


def _escaped(code: str) -> bytes:
    if code[0] == "x" and len(code) > 1:
        return bytes([int(code[1:], 16)])
    if code.isdigit() and code.isascii():
        return bytes([int(code, 8) & 255]) if code[0] in "01234567" else code.encode()
    letter = _LETTERS.get(code)
    return bytes([letter]) if letter is not None else code.encode("utf-8", "replace")


def _number(tokens: Tokens, token: Token) -> int | float:
    text = "".join(token.text.split())
    try:
        value = _value(text) if len(text) <= MAX_NUMBER else math.inf
    except ValueError:
        raise tokens.error(
            f"{text!r} is not a number", token.offset, "write a number such as 3 or 0.5"
        ) from None
    too_large = math.isinf(value) and "inf" not in text
    if too_large or (isinstance(value, int) and not -(2**63) <= value < 2**64):
        shown = text if len(text) < 40 else text[:36] + " …"
        raise tokens.error(
            f"the number {shown} is too large", token.offset, "use a number that 64 bits can hold"
        )
    return value


def _value(text: str) -> int | float:
    if "_" in text:
        raise ValueError
    if re.fullmatch(r"[-+]?0[xX][0-9a-fA-F]+", text):
        return int(text, 16)
    if re.fullmatch(r"[-+]?0[0-7]+", text):
        return int(text, 8)
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    return float(text.removesuffix("f").removesuffix("F") if "inf" not in text else text)
