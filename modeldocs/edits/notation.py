"""The text of edits: an option of `modeldocs edit` and its value, the query of an address, JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NoReturn
from urllib.parse import parse_qsl, urlencode

import msgspec

from modeldocs.edits.edit import (
    Edit,
    InsertLayer,
    RemoveLayer,
    RepeatBlock,
    ResizeInput,
    SetAttribute,
)
from modeldocs.errors import ModeldocsError

_SET: Final = re.compile(r"(?P<layer>.+)\.(?P<attribute>\w+)=(?P<value>[^=]*)")
_INSERT: Final = re.compile(
    r"after=(?P<after>.+?):(?P<operator>[A-Z]\w*)(?P<settings>(?::\w+=[^:]*)*)"
)
_REPEAT: Final = re.compile(r"(?P<block>.+)=(?P<count>[0-9]{1,6})")
_INPUT: Final = re.compile(r"(?:(?P<name>.+)=)?(?P<shape>[0-9]{1,9}(?:,[0-9]{1,9})*)")

_EXAMPLES: Final = {
    "set": "conv-3.strides=2,2",
    "remove": "relu-2",
    "insert": "after=conv-3:Relu, or with settings after=conv-3:Conv:channels=64:kernel_shape=3,3",
    "repeat": "layer3=8",
    "input": "data=1,3,256,256",
}

OPTIONS: Final = tuple(_EXAMPLES)
"""The names of the options: of each edit, its tag."""


def parse(option: str, text: str) -> Edit:
    """The edit of an option and its value.

    Raises:
        ModeldocsError: there is no such option, or its value is not of its form.
    """
    if option not in _READERS:
        raise ModeldocsError(
            f"there is no edit {option[:100]!r}", fix=f"use one of {', '.join(OPTIONS)}"
        )
    return _READERS[option](text)


def written(edit: Edit) -> tuple[str, str]:
    """The option of an edit, and its value."""
    if isinstance(edit, SetAttribute):
        return "set", f"{edit.layer}.{edit.attribute}={edit.value}"
    if isinstance(edit, RemoveLayer):
        return "remove", edit.layer
    if isinstance(edit, InsertLayer):
        named = {"name": edit.name} if edit.name else {}
        given = "".join(f":{key}={value}" for key, value in (edit.settings | named).items())
        return "insert", f"after={edit.after}:{edit.operator}{given}"
    if isinstance(edit, RepeatBlock):
        return "repeat", f"{edit.block}={edit.count}"
    sizes = ",".join(map(str, edit.shape))
    return "input", f"{edit.name}={sizes}" if edit.name else sizes


def query(edits: Iterable[Edit]) -> str:
    """Edits in order, as the query of an address: `set=conv-3.strides%3D2%2C2&remove=relu-2`."""
    return urlencode([written(one) for one in edits])


def of_query(text: str) -> list[Edit]:
    """The edits of such a query.

    Raises:
        ModeldocsError: a part of it is no edit.
    """
    return [parse(*pair) for pair in parse_qsl(text, keep_blank_values=True)]


def encode(edits: Sequence[Edit]) -> bytes:
    """Edits as JSON."""
    return msgspec.json.encode(list(edits))


def decode(data: bytes) -> list[Edit]:
    """The edits of JSON.

    Raises:
        ModeldocsError: it is no list of edits.
    """
    try:
        return msgspec.json.decode(data, type=list[Edit])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModeldocsError(
            f"it is no list of edits: {error}", fix="write it with modeldocs.edits.encode"
        ) from None


def _set(text: str) -> Edit:
    found = _SET.fullmatch(text) or _refuse("set", text)
    return SetAttribute(**found.groupdict())


def _remove(text: str) -> Edit:
    return RemoveLayer(layer=text) if text else _refuse("remove", text)


def _insert(text: str) -> Edit:
    found = _INSERT.fullmatch(text) or _refuse("insert", text)
    pairs = [one.partition("=") for one in found["settings"].split(":")[1:]]
    settings = {key: value for key, _, value in pairs}
    name = settings.pop("name", "")
    return InsertLayer(
        after=found["after"], operator=found["operator"], settings=settings, name=name
    )


def _repeat(text: str) -> Edit:
    found = _REPEAT.fullmatch(text) or _refuse("repeat", text)
    return RepeatBlock(block=found["block"], count=int(found["count"]))


def _input(text: str) -> Edit:
    found = _INPUT.fullmatch(text) or _refuse("input", text)
    shape = tuple(int(size) for size in found["shape"].split(","))
    if 0 in shape:
        _refuse("input", text)
    return ResizeInput(name=found["name"] or "", shape=shape)


def _refuse(option: str, text: str) -> NoReturn:
    raise ModeldocsError(
        f"--{option} {text[:100]!r} is no edit", fix=f"write --{option} {_EXAMPLES[option]}"
    )


_READERS: Final[dict[str, Callable[[str], Edit]]] = {
    "set": _set,
    "remove": _remove,
    "insert": _insert,
    "repeat": _repeat,
    "input": _input,
}
