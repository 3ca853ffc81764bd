"""A filter of system calls, by which a Linux process gives up sockets that lead to other programs.

Neither Landlock nor a network of one's own keeps a process from the sockets of a machine's
services that have a path, such as Docker's or that of an SSH agent. See `seccomp(2)`.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

_SET_SECCOMP, _MODE_FILTER, _NO_NEW_PRIVILEGES = 22, 2, 38

_LOAD, _AND, _RETURN, _EQUAL, _AT_LEAST = 0x20, 0x54, 0x06, 0x15, 0x35
"""Instructions of the filter: on a word of the call, a constant, and the rest of the program."""

_NUMBER, _ARCHITECTURE, _FAMILY, _TYPE = 0, 4, 16, 24
"""Offsets in the call: its number, its architecture, and the first two arguments of `socket`."""

_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EACCES

_FAMILIES: Final = (2, 10, 16)
"""IPv4, IPv6 and netlink, which are of the network namespace or refused by Landlock."""

_PAIRS: Final = (1, 5)
"""Types of pairs that stay connected: streams and sequenced packets, not datagrams."""

_KIND_OF_SOCKET = 0xF
_FOREIGN = 0x40000000
"""Calls of x86-64 from this number on are those of another interface to it."""


class _Calls(NamedTuple):
    """Numbers of system calls of a processor; `others` are refused whatever their arguments are:
    they open sockets in another way, or read keys of the user's.
    """

    architecture: int
    socket: int
    socketpair: int
    others: tuple[int, ...]


_IO_URING_SETUP = 425
_CALLS: Final = {
    "x86_64": _Calls(0xC000003E, 41, 53, (_IO_URING_SETUP, 248, 249, 250)),
    "aarch64": _Calls(0xC00000B7, 198, 199, (_IO_URING_SETUP, 217, 218, 219)),
}


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction))]


def restrict() -> bool:
    """Restrict this thread and what it starts to sockets of the network, and to pairs.

    False where that is not known for this processor, or the kernel refuses it.
    """
    calls = _CALLS.get(platform.machine())
    if not sys.platform.startswith("linux") or calls is None:
        return False
    filters = list(_instructions(calls))
    array = (_Instruction * len(filters))(*filters)
    libc = ctypes.CDLL(None)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    program = _FilterProgram(len(filters), array)
    return int(libc.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)) == 0


def _instructions(calls: _Calls) -> Iterator[_Instruction]:
    """The program: each test that holds ends it or skips to the arguments it is about."""
    yield _Instruction(_LOAD, 0, 0, _ARCHITECTURE)
    yield from _unless(_EQUAL, calls.architecture, _REFUSE)
    yield _Instruction(_LOAD, 0, 0, _NUMBER)
    for number in calls.others:
        yield from _when(_EQUAL, number, _REFUSE)
    yield from _when(_AT_LEAST, _FOREIGN, _REFUSE)
    for number, argument, mask, allowed in (
        (calls.socket, _FAMILY, 0xFFFFFFFF, _FAMILIES),
        (calls.socketpair, _TYPE, _KIND_OF_SOCKET, _PAIRS),
    ):
        own = [
            _Instruction(_LOAD, 0, 0, argument),
            _Instruction(_AND, 0, 0, mask),
            *(one for value in allowed for one in _when(_EQUAL, value, _ALLOW)),
            _Instruction(_RETURN, 0, 0, _REFUSE),
        ]
        yield _Instruction(_EQUAL, 0, len(own), number)
        yield from own
    yield _Instruction(_RETURN, 0, 0, _ALLOW)


def _when(test: int, value: int, answer: int) -> tuple[_Instruction, _Instruction]:
    """Answer a call for which a test holds."""
    return _Instruction(test, 0, 1, value), _Instruction(_RETURN, 0, 0, answer)


def _unless(test: int, value: int, answer: int) -> tuple[_Instruction, _Instruction]:
    """Answer a call for which a test does not hold."""
    return _Instruction(test, 1, 0, value), _Instruction(_RETURN, 0, 0, answer)
