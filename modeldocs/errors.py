"""Errors that users see, with file, line, reason and fix."""

from __future__ import annotations

import re
from pathlib import Path

from modeldocs.struct import Struct

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Escape sequences of terminals in messages of libraries."""

MAX_LENGTH = 1000
"""Characters of a reason, or of a fix."""


class ModeldocsError(Exception):
    """A problem that the user can fix, printed as one sentence without a traceback.

    Args:
        reason: what is wrong, as a clause.
        file: the file that the problem is in, if any.
        line: 1-based line in that file.
        column: 1-based column in that line.
        fix: what the user can do about it, as an imperative.
    """

    def __init__(
        self,
        reason: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = _one_line(reason)
        self.file = str(file) if file is not None else None
        self.line = line
        self.column = column
        self.fix = _one_line(fix) if fix else None

    @property
    def place(self) -> str | None:
        """`file:line:column`, as far as they are known."""
        if self.file is None:
            return None
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)

    def __str__(self) -> str:
        message = f"{self.place}: {self.reason}" if self.place else self.reason
        return f"{message}\n  fix: {self.fix}" if self.fix else message


def first_line(error: BaseException) -> str:
    """The first line of an exception's message, at most 300 characters of it."""
    return next(iter(lines(error)), "")[:300]


def lines(error: BaseException) -> list[str]:
    """The lines of an exception's message, without empty ones."""
    try:
        text = str(error)
    except Exception as failure:
        text = f"no readable message ({type(failure).__name__})"
    return [line.strip() for line in _COLOURS.sub("", text).splitlines() if line.strip()]


def _one_line(text: str) -> str:
    """`text` on one line, cut at `MAX_LENGTH`: names in users' files may hold line breaks."""
    text = _COLOURS.sub("", text)
    if len(text) > MAX_LENGTH:
        text = f"{text[:MAX_LENGTH]}…"
    return "".join(char if char.isprintable() else " " for char in text).strip()


class Failure(Struct, frozen=True):
    """A `ModeldocsError` as plain data, which can be stored and sent to another process."""

    reason: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    fix: str | None = None

    @classmethod
    def of(cls, error: ModeldocsError) -> Failure:
        """The failure with the fields of an error."""
        return cls(
            reason=error.reason,
            file=error.file,
            line=error.line,
            column=error.column,
            fix=error.fix,
        )

    def error(self) -> ModeldocsError:
        """The failure as an error."""
        return ModeldocsError(
            self.reason, file=self.file, line=self.line, column=self.column, fix=self.fix
        )
