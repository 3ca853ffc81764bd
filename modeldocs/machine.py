"""Causes of failures that lie in the machine: a disk, its memory, its processes.

A definition cannot do anything about them, and says nothing by them: what they prevent is tried
again, and never stored as a result.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from typing import NamedTuple


class FailureCause(NamedTuple):
    """What failed, as a clause, and what the user can do about it, as an imperative."""

    what: str
    fix: str


_EVERYWHERE = {
    errno.ENOSPC: FailureCause("a disk is full", "make room on it and in the temporary folder"),
    errno.EDQUOT: FailureCause(
        "the quota of a disk is used up", "make room on it, or raise the quota"
    ),
    errno.EIO: FailureCause("a disk could not be read or written", "check the disk"),
    errno.ESTALE: FailureCause("a network disk lost a file", "mount the disk again"),
    errno.ENFILE: FailureCause("the system has too many open files", "end other programs"),
    errno.EAGAIN: FailureCause(
        "no more processes or threads can be started", "end other programs, use fewer --jobs"
    ),
}
"""Errors that no limit of a port's process gives: they are the machine's wherever they happen."""

_OURS = _EVERYWHERE | {
    errno.EMFILE: FailureCause("this process has too many open files", "raise `ulimit -n`"),
    errno.ENOMEM: FailureCause("no memory is left", "end other programs, or use fewer --jobs"),
    errno.EROFS: FailureCause("a disk that must be written cannot be", "mount it for writing"),
}
"""Errors of our own processes, which have no limits: a port's can also have reached its own."""

_NO_MEMORY = _OURS[errno.ENOMEM]

_TEXTS = {
    os.strerror(number).lower(): number
    for number in _EVERYWHERE
    if number != errno.EAGAIN  # sockets say that, too
} | {"can't start new thread": errno.EAGAIN}
_TEXT = re.compile("|".join(map(re.escape, _TEXTS)), re.IGNORECASE)
"""What libraries say of such errors in exceptions of other types."""


def cause(error: BaseException) -> FailureCause | None:
    """The cause of an exception in the machine, wherever it was raised; None where there is none.

    What was being handled when it was raised counts: our errors tell of others.
    """
    return next(filter(None, (_cause(one, _EVERYWHERE) for one in _chain(error))), None)


def cause_in_ours(error: BaseException) -> FailureCause | None:
    """As `cause`, of an exception in a process of ours, where no code of a port runs."""
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    return next(filter(None, (_cause(one, _OURS) for one in _chain(error))), None)


def _cause(error: BaseException, known: dict[int, FailureCause]) -> FailureCause | None:
    if isinstance(error, OSError):
        return known.get(error.errno or 0)
    found = _TEXT.search(_text(error))
    return known[_TEXTS[found[0].lower()]] if found else None


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a port's exceptions may have no text
        return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it was raised for, without those twice that refer in a circle."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
