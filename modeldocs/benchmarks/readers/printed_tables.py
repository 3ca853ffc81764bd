"""Tables that a tool printed: CSV with a header, among lines of other text."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper

from modeldocs.benchmarks.readers.content import Content
from modeldocs.errors import ModeldocsError

_TEXT = ("==", "Processing ", "NOTICE", "WARNING", "SKIPPED")
"""Beginnings of lines that end a table."""

TIMES = {
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "μs": 10**3,
    "ns": 1,
    "sec": 10**9,
    "msec": 10**6,
    "usec": 10**3,
    "nsec": 1,
}
"""Nanoseconds by unit."""

IsHeader = Callable[[Sequence[str]], bool]


@dataclass
class PrintedTable:
    """A table while it is read; each of its rows has as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: Iterator[list[str]]
    line: int
    """Line in the file of the row that was read last, at first of the header."""


class PrintedTables:
    """The tables of a file whose header is one that is looked for."""

    def __init__(self, content: Content, is_header: IsHeader) -> None:
        self._content = content
        self._is_header = is_header
        text = TextIOWrapper(BytesIO(content.data), "utf-8", errors="replace", newline="")
        self._reader = csv.reader(text)
        self._header: list[str] | None = None

    def __iter__(self) -> Iterator[PrintedTable]:
        """Each table, whose rows must be read before the next table is.

        Raises:
            ModeldocsError: a row has too few or too many cells, as one that was cut off.
        """
        while self._header is not None or self._found():
            columns = tuple(cell.strip() for cell in self._header or ())
            self._header = None
            table = PrintedTable(columns, iter(()), self._reader.line_num)
            table.rows = self._rows(table)
            yield table

    def _found(self) -> bool:
        """Whether there is another header; it is then the last row that was read."""
        for row in self._lines():
            if self._is_header(row):
                self._header = row
                return True
        return False

    def _rows(self, table: PrintedTable) -> Iterator[list[str]]:
        for row in self._lines():
            if not row or row[0].startswith(_TEXT):
                return
            if self._is_header(row):
                self._header = row
                return
            table.line = self._reader.line_num
            if len(row) != len(table.columns):
                raise ModeldocsError(
                    f"has a row of {len(row)} cells, where the table has {len(table.columns)}",
                    file=self._content.path,
                    line=table.line,
                    fix="print it again",
                )
            yield row

    def _lines(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except csv.Error as error:
            raise ModeldocsError(
                f"is no readable CSV: {error}",
                file=self._content.path,
                line=self._reader.line_num,
            ) from None


@contextmanager
def reading(content: Content, table: PrintedTable) -> Iterator[None]:
    """The reading of a table.

    Raises:
        ModeldocsError: a cell is no such number, or the time in it cannot be.
    """
    try:
        yield
    except ValueError as error:
        raise ModeldocsError(
            f"has a broken row: {error}", file=content.path, line=table.line, fix="print it again"
        ) from None


def whole(cell: str, factor: float) -> int:
    """A number times a factor, rounded.

    Raises:
        ValueError: it is no finite number.
    """
    value = float(cell.replace(",", "")) * factor
    if not math.isfinite(value):
        raise ValueError(f"{cell} is no number")
    return round(value)
