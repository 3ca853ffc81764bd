"""A file of recorded figures: its bytes, decompressed, and what they hold."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import digest
from modeldocs.errors import ModeldocsError

MAX_BYTES = 4 * 2**30
"""Bytes of a file after decompression; more are refused."""

MAX_TREE_BYTES = 2**28
"""Bytes of a JSON file that may be held as a tree of Python's objects."""

UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a part of a JSON file may raise."""

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

    @cached_property
    def start(self) -> bytes:
        """The beginning of the file.

        Raises:
            ModeldocsError: it cannot be read.
        """
        try:
            with self.path.open("rb") as stream:
                return stream.read(_HEAD)
        except OSError as error:
            raise ModeldocsError(f"cannot be read: {error.strerror}", file=self.path) from None

    @property
    def hash(self) -> str:
        """`blake2b:<hex>` of the bytes of the file."""
        return f"blake2b:{digest.of_file(self.path)}"

    @cached_property
    def data(self) -> bytes:
        """The bytes, decompressed where the file is gzip.

        Raises:
            ModeldocsError: the file is cut off, damaged or too large.
        """
        if not self.start.startswith(_GZIP):
            return self.raw
        whole = BytesIO()
        try:
            with gzip.open(self.path) as stream:
                while piece := stream.read(_PIECE):
                    whole.write(piece)
                    if whole.tell() > MAX_BYTES:
                        raise ModeldocsError(
                            f"holds more than {MAX_BYTES // 2**30} GiB", file=self.path
                        )
        except (OSError, EOFError, zlib.error) as error:
            raise ModeldocsError(
                f"is damaged or cut off: {error}", file=self.path, fix="copy the file again"
            ) from None
        return whole.getvalue()

    @cached_property
    def head(self) -> bytes:
        """The beginning of the data, as far as it can be read."""
        if not self.start.startswith(_GZIP):
            return self.start
        try:
            return zlib.decompressobj(wbits=31).decompress(self.start, _HEAD)
        except zlib.error:
            return b""

    @cached_property
    def text(self) -> str:
        """The data as text; bytes that are not UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")

    @property
    def is_sqlite(self) -> bool:
        """Whether it is an SQLite database."""
        return self.start.startswith(_SQLITE)

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
        return self._decoded(Any) if self.may_be_json else None

    @cached_property
    def fields(self) -> dict[str, msgspec.Raw]:
        """The undecoded values of a JSON object by key; empty where it is none.

        Raises:
            ModeldocsError: it is broken.
        """
        if not self.head.lstrip().startswith(b"{"):
            return {}
        fields: dict[str, msgspec.Raw] = self._decoded(dict[str, msgspec.Raw])
        return fields

    @cached_property
    def items(self) -> list[msgspec.Raw]:
        """The undecoded items of a JSON list; empty where it is none.

        Raises:
            ModeldocsError: it is broken.
        """
        if not self.head.lstrip().startswith(b"["):
            return []
        items: list[msgspec.Raw] = self._decoded(list[msgspec.Raw])
        return items

    def _decoded(self, kind: Any) -> Any:
        try:
            return msgspec.json.decode(self.data, type=kind)
        except msgspec.DecodeError:
            pass  # perhaps of NaN alone
        except (UnicodeDecodeError, RecursionError) as error:
            raise self._no_json(error) from None
        try:
            return msgspec.json.decode(self._without_nan, type=kind)
        except UNDECODABLE as error:
            raise self._no_json(error) from None

    @cached_property
    def _without_nan(self) -> bytes:
        """The JSON with null for NaN and infinities, which Python writes and JSON does not have."""
        has_nan = any(constant in self.data for constant in (b"NaN", b"Infinity"))
        if not has_nan or len(self.data) > MAX_TREE_BYTES:
            return self.data
        try:
            tree = json.loads(self.data, parse_constant=lambda _: None)
            return msgspec.json.encode(tree)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise self._no_json(error) from None

    def _no_json(self, error: Exception) -> ModeldocsError:
        return ModeldocsError(
            f"is no readable JSON: {error}", file=self.path, fix="record or copy it again"
        )

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
