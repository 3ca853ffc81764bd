"""Landlock, by which a Linux process gives up access to files, TCP and signals without privileges.

See `landlock(7)`. The numbers are those of the kernel's public interface, `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights to files, by the first version of the interface that has them."""

_READ_RIGHTS = _EXECUTE | _READ | _LIST
_FILE_RIGHTS = _EXECUTE | _WRITE | _READ | _TRUNCATE
_TCP = 0b11
_SCOPES = 0b11
"""Abstract sockets of, and signals to, processes outside."""


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("place", ctypes.c_int32)]


def version() -> int:
    """Version of the kernel's interface; 0 where it has none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(_CREATE_RULESET, None, 0, _VERSION))


def restrict(readable: Iterable[Path], writable: Iterable[Path], *, tcp: bool = False) -> bool:
    """Restrict this process and its children to these files and folders, by default without TCP.

    Paths that do not exist are ignored. False where the kernel has no Landlock.
    """
    supported = version()
    if not supported:
        return False
    every = max(rights for first, rights in _RIGHTS.items() if first <= supported)
    ruleset = _Ruleset(
        every, _TCP if supported >= 4 and not tcp else 0, _SCOPES if supported >= 6 else 0
    )
    size = 8 if supported < 4 else 16 if supported < 6 else 24
    rules = _call(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if rules < 0:
        return False
    try:
        for places, rights in ((readable, _READ_RIGHTS), (writable, every)):
            for place in places:
                _allow(rules, place, rights & every)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return _call(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _allow(rules: int, place: Path, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        own = rights if place.is_dir() else rights & _FILE_RIGHTS
        beneath = _PathBeneath(own, descriptor)
        _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    return int(_syscall()(ctypes.c_long(number), *arguments))


@functools.cache
def _syscall() -> Callable[..., int]:
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    return syscall
