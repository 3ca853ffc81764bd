"""Tables that a tool printed: CSV with a header, among lines of other text."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice

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


@dataclass(frozen=True)
class Table:
    """A table; each row has as many cells as there are columns."""

    columns: tuple[str, ...]
    line: int
    """Line of the header in the file."""
    rows: list[list[str]] = field(default_factory=list)

    def numbered(self, first: int = 0) -> Iterator[tuple[int, list[str]]]:
        """The rows from the first that is wanted, each with its line."""
        return islice(enumerate(self.rows, self.line + 1), first, None)


def tables(content: Content, is_header: Callable[[Sequence[str]], bool]) -> list[Table]:
    """The tables whose header is one that is looked for.

    Raises:
        ModeldocsError: a row has too few or too many cells, as one that was cut off.
    """
    found: list[Table] = []
    inside = False
    reader = csv.reader(StringIO(content.text))
    try:
        for row in reader:
            if is_header(row):
                found.append(Table(tuple(cell.strip() for cell in row), reader.line_num))
                inside = True
            elif not row or row[0].startswith(_TEXT):
                inside = False
            elif inside and len(row) != len(found[-1].columns):
                raise ModeldocsError(
                    f"has a row of {len(row)} cells, where the table has {len(found[-1].columns)}",
                    file=content.path,
                    line=reader.line_num,
                    fix="print it again",
                )
            elif inside:
                found[-1].rows.append(row)
    except csv.Error as error:
        raise ModeldocsError(
            f"is no readable CSV: {error}", file=content.path, line=reader.line_num
        ) from None
    return found


@contextmanager
def in_row(content: Content, line: int) -> Iterator[None]:
    """The reading of a row.

    Raises:
        ModeldocsError: a cell of it is no such number, or its time cannot be.
    """
    try:
        yield
    except ValueError as error:
        raise ModeldocsError(
            f"has a broken row: {error}", file=content.path, line=line, fix="print it again"
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
