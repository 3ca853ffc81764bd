"""What a server and the process that computes edits exchange, each message with its length."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import IO

from modeldocs.errors import Failure
from modeldocs.generators.docstring import ProgramFacts
from modeldocs.struct import Struct

_LENGTH = struct.Struct(">I")


class EditWork(Struct, frozen=True):
    """What is wanted of a port and its edits: `show`, `report`, `program`.

    `graph` and `normal` are what the store holds of the port.
    """

    kind: str
    port: str
    graph: bytes
    normal: bytes
    edits: tuple[tuple[str, str], ...] = ()
    target: str = ""
    facts: ProgramFacts | None = None


class WorkDone(Struct, frozen=True):
    """What came of it: an answer as JSON or HTML, or the failure."""

    content: bytes = b""
    failure: Failure | None = None


Compute = Callable[[EditWork], bytes]


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message."""
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None where the stream has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    message = stream.read(size)
    return message if len(message) == size else None
