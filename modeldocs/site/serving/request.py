"""A request for a comparison: two sides, each a port of the catalog or a file of the reader."""

from __future__ import annotations

import re
from pathlib import PurePath

import msgspec

from modeldocs import loaders, sources
from modeldocs.errors import ModeldocsError
from modeldocs.site.serving import consent
from modeldocs.struct import Struct

MAX_UPLOAD = 2 * 2**30
"""Bytes of a file: protocol buffers such as ONNX end at 2 GiB."""

_MAX_NAME = 80
_UNSAFE = re.compile(r"[^\w.-]+")
_ENTRY = re.compile(r"[A-Za-z_][\w.]*")


class ComparisonSide(Struct, frozen=True, forbid_unknown_fields=True):
    """One side: a `port` (`lenet/caffe`), or else a `file` of so many `bytes`.

    The other fields belong to a file: `trusted` says that it may run its code, `callable`, `args`
    (JSON) and `inputs` (`NAME=1,3,224,224`) are those of the command line.
    """

    port: str = ""
    file: str = ""
    bytes: int = 0
    trusted: bool = False
    framework: str = ""
    callable: str = ""
    args: str = ""
    inputs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name without folders, and with letters, digits, `.`, `_` and `-` alone."""
        name = _UNSAFE.sub("-", self.file.replace("\\", "/").rpartition("/")[2]).lstrip(".-")
        suffix = PurePath(name).suffix[:_MAX_NAME]
        return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - len(suffix)] + suffix

    @property
    def shown(self) -> str:
        """The side's name in reports: `lenet/caffe`, `net.py:build`."""
        return self.port or (f"{self.name}:{self.callable}" if self.callable else self.name)


class ComparisonRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Two sides to compare, and whether both are also run with the same weights."""

    a: ComparisonSide
    b: ComparisonSide
    parity: bool = False

    @property
    def sides(self) -> dict[str, ComparisonSide]:
        """The sides by their letter."""
        return {"a": self.a, "b": self.b}

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B in the report, told apart where they are equal."""
        a, b = self.a.shown, self.b.shown
        return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def read(data: bytes) -> ComparisonRequest:
    """The comparison in a request's body.

    Raises:
        ModeldocsError: it is not valid, or asks for what is refused; with the fix.
    """
    try:
        comparison = msgspec.json.decode(data, type=ComparisonRequest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ModeldocsError(
            f"the request cannot be read: {error}", fix="reload the page"
        ) from None
    for letter, side in comparison.sides.items():
        if not side.port:
            _check_file(letter, side)
    return comparison


def _check_file(letter: str, side: ComparisonSide) -> None:
    if not side.name:
        raise ModeldocsError(
            f"nothing is chosen for {letter.upper()}", fix="choose a port or a file on each side"
        )
    if side.bytes > MAX_UPLOAD:
        raise too_large(side.name)
    if side.framework and side.framework not in loaders.frameworks():
        raise ModeldocsError(
            f"no loader for the framework {side.framework!r}",
            file=side.name,
            fix=f"use one of {', '.join(loaders.frameworks())}",
        )
    if side.callable and not _ENTRY.fullmatch(side.callable):
        raise ModeldocsError(
            f"{side.callable!r} is no name of a callable",
            file=side.name,
            fix="write the name of a function or class of the file, such as build_model",
        )
    sources.parse_args(side.args)
    sources.parse_inputs(side.inputs)
    consent.check(side.name, side.framework, trusted=side.trusted)


def too_large(name: str) -> ModeldocsError:
    """The error for a file above the limit."""
    return ModeldocsError(
        f"has more than {MAX_UPLOAD // 2**30} GiB, the largest file that is taken",
        file=name,
        fix="give the definition without its weights, or use modeldocs diff",
    )
