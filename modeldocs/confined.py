"""The inside of an isolated process: puts the limits on itself, then runs what it is to run.

Called by `modeldocs.bootstrap`, which `modeldocs.isolation` starts. It imports as little as it can
before it is confined: a process with threads may not leave its user namespace.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import resource
import signal
import sys
from pathlib import Path

import msgspec

from modeldocs.isolation import Limits

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG = 1


def main(module: str, folder: Path) -> None:
    """Confine this process, run `module.main(folder)`, and leave whatever still runs in it."""
    confine(folder)
    importlib.import_module(module).main(folder)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)  # threads of a port, and what it registered for the end, are not waited for


def confine(folder: Path) -> None:
    """Put the limits of `limits.json` on this process, and take its network where Linux lets us."""
    limits = msgspec.json.decode((folder / "limits.json").read_bytes(), type=Limits)
    for kind, value in (
        (resource.RLIMIT_DATA, limits.memory_mb * 2**20),
        (resource.RLIMIT_FSIZE, limits.file_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    die_with_parent()
    leave_network()


def die_with_parent() -> None:
    """Let Linux kill this process when the one that watches over it is gone."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def leave_network() -> bool:
    """Move this process into a network namespace without interfaces; False where refused."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER
    return int(libc.unshare(flags)) == 0
