"""Causes in the machine, of exceptions of any type and at any depth."""

from __future__ import annotations

import errno
import os

import pytest

from modeldocs import machine
from modeldocs.errors import Failure, ModeldocsError


def error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENFILE])
def test_an_error_that_no_limit_of_a_port_gives_is_the_machines(number):
    assert machine.cause(error(number)) == machine.cause_in_ours(error(number)) is not None


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EROFS])
def test_one_that_a_port_may_cause_is_the_machines_in_a_process_of_ours(number):
    assert machine.cause(error(number)) is None
    assert machine.cause_in_ours(error(number)) is not None


def test_so_is_memory():
    assert machine.cause(MemoryError()) is None
    assert machine.cause_in_ours(MemoryError()) is not None


@pytest.mark.parametrize(
    "other",
    [ValueError("no"), error(errno.ENOENT), error(errno.EFBIG), error(errno.EACCES), KeyError()],
)
def test_any_other_error_has_none(other):
    assert machine.cause(other) is machine.cause_in_ours(other) is None


def test_libraries_tell_by_their_text():
    assert machine.cause(RuntimeError("[enforce fail] write: No space left on device")) is not None
    assert machine.cause(RuntimeError("can't start new thread")) is not None


def test_an_exception_without_text_has_none():
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert machine.cause(Mute()) is None


def test_a_circle_of_exceptions_ends():
    first, second = ValueError("a"), ValueError("b")
    first.__context__, second.__context__ = second, first
    assert machine.cause(first) is None


def told(number: int) -> ModeldocsError:
    """The error that tells of another, as loaders raise them."""
    try:
        try:
            raise error(number)
        except OSError as found:
            raise ModeldocsError(f"raised {found}", file="net.py", fix="correct it") from None
    except ModeldocsError as told:
        return told


def test_a_failure_is_the_machines_where_what_it_tells_of_was():
    failure = Failure.of(told(errno.ENOSPC))
    assert failure.machine
    assert failure.reason.startswith("the machine failed, not the definition: a disk is full (rai")
    assert failure.file == "net.py" and failure.fix.endswith("then try again")
    assert Failure.of(failure.error()) == failure


def test_another_stays_as_it_is():
    failure = Failure.of(told(errno.ENOENT))
    assert (failure.machine, failure.fix) == (False, "correct it")
