"""A parser of protobuf's text format that keeps any field, with its line and column.

Protobuf's own parser refuses fields that its schema lacks, as forks of Caffe have, and keeps no
lines, which errors and layers need.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.tokens import Token, TokenPosition, Tokens, scalar

MAX_DEPTH = 64
"""Messages nested deeper than this are refused; Caffe's own definitions nest five deep."""

_CLOSE = {"{": "}", "<": ">", "[": "]"}


@dataclass(slots=True)
class Message:
    """The fields between two braces, in the order of the text.

    `former` is the message in the source, where this is its translation from an older dialect.
    `span` are the offsets of the first brace, and behind the last.
    """

    place: TokenPosition
    fields: list[PrototxtField] = field(default_factory=list)
    former: Message | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class PrototxtField:
    """One `name: value` or `name { … }`."""

    name: str
    value: Message | str | int | float
    place: TokenPosition


@dataclass(slots=True)
class _OpenBrace:
    """An open brace, or a `[` that lists values of the field `repeated`."""

    target: Message
    close: str = ""
    offset: int = 0
    repeated: str = ""


def parse(text: str, file: str) -> Message:
    """The fields of a text. `file` is its name in errors.

    Raises:
        ModeldocsError: the text is cut short or not in text format, with line and column.
    """
    tokens = Tokens(text, file)
    root = Message(TokenPosition(1, 1))
    frames = [_OpenBrace(root)]
    while (token := tokens.next()).kind != "end":
        frame = frames[-1]
        if token.kind == "mark" and token.text == frame.close:
            if not frame.repeated:
                frame.target.span = (frame.offset, token.offset + 1)
            frames.pop()
        elif token.kind == "mark" and token.text in ",;":
            continue
        elif frame.repeated:
            _take(tokens, frames, frame.repeated, token)
        elif token.kind == "word":
            _take_field(tokens, frames, token)
        else:
            raise _unexpected(tokens, frames, token)
    if len(frames) > 1:
        raise _unclosed(tokens, frames[-1])
    return root


def _take_field(tokens: Tokens, frames: list[_OpenBrace], name: Token) -> None:
    token = tokens.next()
    colon = token.kind == "mark" and token.text == ":"
    if colon:
        token = tokens.next()
    if token.kind == "mark" and token.text == "[" and colon:
        _open(tokens, frames, _OpenBrace(frames[-1].target, "]", token.offset, name.text))
    elif colon or (token.kind == "mark" and token.text in "{<"):
        _take(tokens, frames, name.text, token, name.offset)
    else:
        raise tokens.error(
            f"the field {name.text!r} has no value",
            name.offset,
            f"write {name.text}: and a value, or {name.text} {{ … }}",
        )


def _take(
    tokens: Tokens, frames: list[_OpenBrace], name: str, token: Token, offset: int | None = None
) -> None:
    """Add a value, which begins with `token`, of the field `name` to the open message."""
    place = tokens.place(token.offset if offset is None else offset)
    target = frames[-1].target
    if token.kind == "mark" and token.text in "{<":
        message = Message(place)
        target.fields.append(PrototxtField(name, message, place))
        _open(tokens, frames, _OpenBrace(message, _CLOSE[token.text], token.offset))
    else:
        target.fields.append(PrototxtField(name, scalar(tokens, name, token), place))


def _open(tokens: Tokens, frames: list[_OpenBrace], frame: _OpenBrace) -> None:
    if len(frames) > MAX_DEPTH:
        raise tokens.error(
            f"messages are nested deeper than {MAX_DEPTH}",
            frame.offset,
            "flatten the definition; a Caffe network nests five deep",
        )
    frames.append(frame)


def _unexpected(tokens: Tokens, frames: list[_OpenBrace], token: Token) -> ModeldocsError:
    frame = frames[-1]
    if token.kind == "mark" and token.text in "}>]":
        opened = f"line {tokens.place(frame.offset).line}" if frame.close else ""
        reason = (
            f"{token.text!r} does not close what {opened} opened, that takes {frame.close!r}"
            if opened
            else f"{token.text!r} closes nothing"
        )
        return tokens.error(reason, token.offset, "balance the braces")
    return tokens.error(
        f"a field name must stand here, not {token.text!r}",
        token.offset,
        "write name: value, or name { … }; comments start with #",
    )


def _unclosed(tokens: Tokens, frame: _OpenBrace) -> ModeldocsError:
    opened = tokens.place(frame.offset)
    return tokens.error(
        f"the file ends inside what line {opened.line}, column {opened.column} opened",
        len(tokens.text),
        f"close it with {frame.close!r}; the file may be cut short",
    )
