"""Errors that users see, with file, line, reason and fix."""

from __future__ import annotations

import re
from pathlib import Path

from modeldocs import machine
from modeldocs.machine import FailureCause
from modeldocs.struct import Struct

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Escape sequences of terminals in messages of libraries."""

MAX_LENGTH = 1000
"""Characters of a reason, or of a fix."""

_MACHINE = "the machine failed, not the definition"
"""How each reason of the machine begins."""


class ModeldocsError(Exception):
    """A problem that the user can fix, printed as one sentence without a traceback.

    Args:
        reason: what is wrong, as a clause.
        file: the file that the problem is in, if any.
        line: 1-based line in that file.
        column: 1-based column in that line.
        fix: what the user can do about it, as an imperative.
        machine: whether the machine failed, which says nothing of the definition (`of_machine`).
    """

    def __init__(
        self,
        reason: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
        fix: str | None = None,
        machine: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = _one_line(reason)
        self.file = str(file) if file is not None else None
        self.line = line
        self.column = column
        self.fix = _one_line(fix) if fix else None
        self.machine = machine

    @classmethod
    def of_machine(cls, cause: FailureCause, *, file: Path | str | None = None) -> ModeldocsError:
        """The error for a failure of the machine; whatever met it is to be tried again."""
        return cls(
            f"{_MACHINE}: {cause.what}",
            file=file,
            fix=f"{cause.fix}, then try again",
            machine=True,
        )

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
    """A `ModeldocsError` as plain data, which can be stored and sent to another process.

    A result that holds one of the `machine` is not stored: see `TaskKind.keep`.
    """

    reason: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    fix: str | None = None
    machine: bool = False

    @classmethod
    def of_defect(cls, error: Exception, report: str) -> Failure:
        """The failure for an exception that nothing foresaw; `report` is what to report it with."""
        reason = f"modeldocs failed with {type(error).__name__}: {first_line(error)}"
        fix = f"this is a defect of modeldocs; report it with {report}"
        return cls.of(ModeldocsError(reason, fix=fix), error)

    @classmethod
    def of(cls, error: ModeldocsError, told: BaseException | None = None) -> Failure:
        """The failure with the fields of an error; the machine's, where that is its cause.

        `told` is the exception that the error tells of, where it was not raised for that.
        """
        cause = None if error.machine else machine.cause(told or error)
        if cause is not None:
            cause = FailureCause(f"{cause.what} ({error.reason})", cause.fix)
            error = ModeldocsError.of_machine(cause, file=error.file)
        return cls(
            reason=error.reason,
            file=error.file,
            line=error.line,
            column=error.column,
            fix=error.fix,
            machine=error.machine,
        )

    def error(self) -> ModeldocsError:
        """The failure as an error."""
        return ModeldocsError(
            self.reason,
            file=self.file,
            line=self.line,
            column=self.column,
            fix=self.fix,
            machine=self.machine,
        )
