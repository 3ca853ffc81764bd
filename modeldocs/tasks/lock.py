"""Locks of a store: many may use it at once, and what prunes it is alone.

A lock ends with the process that holds it, however that ends. It holds between machines as far as
their file system does (`flock`); without it nothing is lost but results, which are computed again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

NAME = "lock"
"""The file in a store that is locked by what uses it."""

PAGES = "pages.lock"
"""The file in a store that is locked while its pages are written and read."""


@contextlib.contextmanager
def held(file: Path, *, shared: bool = False, wait: bool = True) -> Iterator[bool]:
    """Hold a lock in this block; yields whether it is held.

    Without `wait` it is not where others hold it. Where the file cannot be made, as in a store that
    is read-only, there is nothing to lock: True.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        yield True
        return
    try:
        yield _locked(descriptor, shared=shared, wait=wait)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, *, shared: bool, wait: bool) -> bool:
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
