"""The one error that reaches a user: where it went wrong, why, and how to fix it; and as data."""

from __future__ import annotations

import re
from pathlib import Path

from modeldocs.struct import Struct

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""What exceptions of libraries colour terminals with."""


MOST_TOLD = 1000
"""Characters of a reason, or of a fix."""


class ModeldocsError(Exception):
    """A problem that the user can fix, told in one sentence without a traceback.

    Args:
        reason: what is wrong, as a clause that stands on its own.
        file: the file it was found in, if any.
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
        """`file:line:column`, as far as each is known."""
        if self.file is None:
            return None
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)

    def __str__(self) -> str:
        said = f"{self.place}: {self.reason}" if self.place else self.reason
        return f"{said}\n  fix: {self.fix}" if self.fix else said


def first_line(error: BaseException) -> str:
    """What an exception of somebody else's says first, as far as it fits a sentence."""
    return next(iter(lines(error)), "")[:300]


def lines(error: BaseException) -> list[str]:
    """All that an exception of somebody else's says, a line an item, without empty ones."""
    try:
        text = str(error)
    except Exception as raised:
        text = f"nothing that can be read ({type(raised).__name__})"
    return [line.strip() for line in _COLOURS.sub("", text).splitlines() if line.strip()]


def _one_line(text: str) -> str:
    """Names from a user's file may hold line breaks, or go on and on; a sentence does not."""
    plain = _COLOURS.sub("", text)
    if len(plain) > MOST_TOLD:
        plain = f"{plain[:MOST_TOLD]}…"
    return "".join(char if char.isprintable() else " " for char in plain).strip()


class Failure(Struct, frozen=True):
    """A `ModeldocsError` as plain data, to cross a process border or to be stored."""

    reason: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    fix: str | None = None

    @classmethod
    def of(cls, error: ModeldocsError) -> Failure:
        """The error's parts."""
        return cls(
            reason=error.reason,
            file=error.file,
            line=error.line,
            column=error.column,
            fix=error.fix,
        )

    def error(self) -> ModeldocsError:
        """The error again."""
        return ModeldocsError(
            self.reason, file=self.file, line=self.line, column=self.column, fix=self.fix
        )
