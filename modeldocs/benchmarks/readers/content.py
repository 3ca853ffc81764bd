"""A file of recorded figures: its bytes, decompressed, and what they hold."""

from __future__ import annotations

import csv
import gzip
import zlib
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import digest
from modeldocs.errors import ModeldocsError

MAX_BYTES = 4 * 2**30
"""Bytes of a file after decompression; more are refused."""

_HEAD = 64 * 1024
_PIECE = 16 * 2**20
_GZIP, _SQLITE = b"\x1f\x8b", b"SQLite format 3\0"


class Content:
    """A file that some format may fit. What is expensive is read when it is first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name

    @cached_property
    def raw(self) -> bytes:
        """The bytes of the file.

        Raises:
            ModeldocsError: it cannot be read.
        """
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise ModeldocsError(f"cannot be read: {error.strerror}", file=self.path) from None

    @property
    def hash(self) -> str:
        """`blake2b:<hex>` of the bytes of the file."""
        return f"blake2b:{digest.of(self.raw)}"

    @cached_property
    def data(self) -> bytes:
        """The bytes, decompressed where the file is gzip.

        Raises:
            ModeldocsError: the file is cut off, damaged or too large.
        """
        if not self.raw.startswith(_GZIP):
            return self.raw
        pieces, size = [], 0
        try:
            with gzip.open(self.path) as stream:
                while piece := stream.read(_PIECE):
                    pieces.append(piece)
                    size += len(piece)
                    if size > MAX_BYTES:
                        raise ModeldocsError(
                            f"holds more than {MAX_BYTES // 2**30} GiB", file=self.path
                        )
        except (OSError, EOFError, zlib.error) as error:
            raise ModeldocsError(
                f"is damaged or cut off: {error}", file=self.path, fix="copy the file again"
            ) from None
        return b"".join(pieces)

    @cached_property
    def head(self) -> bytes:
        """The beginning of the data, as far as it can be read."""
        if not self.raw.startswith(_GZIP):
            return self.raw[:_HEAD]
        try:
            return zlib.decompressobj(wbits=31).decompress(self.raw, _HEAD)
        except zlib.error:
            return b""

    @cached_property
    def text(self) -> str:
        """The data as text; bytes that are not UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")

    @property
    def is_sqlite(self) -> bool:
        """Whether it is an SQLite database."""
        return self.raw.startswith(_SQLITE)

    @property
    def may_be_json(self) -> bool:
        """Whether it begins as a JSON object or list."""
        return self.head.lstrip()[:1] in (b"{", b"[")

    @cached_property
    def json(self) -> Any:
        """The data as JSON; None where it does not begin as JSON.

        Raises:
            ModeldocsError: it is broken.
        """
        if not self.may_be_json:
            return None
        try:
            return msgspec.json.decode(self.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ModeldocsError(
                f"is no readable JSON: {error}", file=self.path, fix="record or copy it again"
            ) from None

    @cached_property
    def columns(self) -> list[str]:
        """The columns of a CSV file; empty where it is none."""
        first = self.head.decode("utf-8", "replace").partition("\n")[0]
        try:
            return [] if "\0" in first else next(csv.reader([first]), [])
        except csv.Error:
            return []

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows of a CSV file by column, without empty cells."""
        if b"\0" in self.head:
            return []
        reader = csv.DictReader(StringIO(self.text))
        try:
            return [
                {key: value for key, value in row.items() if isinstance(key, str) and value}
                for row in reader
            ]
        except csv.Error:
            return []
