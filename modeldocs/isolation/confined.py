"""The inside of an isolated process: puts the limits on itself, then runs what it is to run.

Called by `bootstrap`, which `process` starts. It imports as little as it can before it is confined:
a process with threads may not leave its user namespace.
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

from modeldocs import deferred
from modeldocs.isolation import Confinement, landlock

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG = 1

_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/proc", "/sys", "/etc/ld.so.cache"),
    *("/etc/alternatives", "/etc/fonts", "/etc/group", "/etc/hosts", "/etc/localtime"),
    *("/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/ssl"),
    *("/dev/urandom", "/dev/random", "/dev/zero", "/var/cache/fontconfig"),
)
"""What programs read of a system. It holds no secrets; `/etc/shadow`, for one, is not in it."""

_DEVICES = ("/dev/null", "/dev/shm", "/dev/tty")
_KEPT_CAPABILITIES = 0b1111
"""Of root: to change owners, to pass over permissions. None lets it look into other processes."""


def main(folder: Path) -> None:
    """Confine this process, run its module's `main(folder)`, and leave whatever still runs in it.

    Which module that is stands in no file or argument that the code it runs could look up.
    """
    module = confine(folder)
    deferred.defer_symbolic()
    importlib.import_module(module).main(folder)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)  # threads of a port, and what it registered for the end, are not waited for


def confine(folder: Path) -> str:
    """Put the limits of `confinement.json` on this process, and take what Linux lets us take.

    Gives the module that it is to run; the file is gone then.
    """
    left = msgspec.json.decode((folder / "confinement.json").read_bytes(), type=Confinement)
    (folder / "confinement.json").unlink()
    for kind, value in (
        (resource.RLIMIT_DATA, left.limits.memory_mb * 2**20),
        (resource.RLIMIT_FSIZE, left.limits.file_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    die_with_parent()
    leave_network()
    leave_capabilities()
    landlock.restrict([*_interpreter(), *map(Path, left.reads)], [folder, *map(Path, _DEVICES)])
    return left.module


def _interpreter() -> list[Path]:
    """Where this interpreter, what it can import, and the system's libraries lie."""
    told = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *told, *_SYSTEM]
    return [Path(__file__).parents[1], *(Path(place) for place in places if place)]


def die_with_parent() -> None:
    """Let Linux kill this process when the one that watches over it is gone."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def leave_capabilities() -> None:
    """Give up what root may do to other processes and to the system."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    kept = _KEPT_CAPABILITIES
    ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0))


def leave_network() -> bool:
    """Move this process into a network namespace without interfaces; False where refused."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER
    return int(libc.unshare(flags)) == 0
