"""The child's side of an isolated process: it confines itself, then runs its module.

`bootstrap` calls it, which `process` starts. It imports little before it is confined: a process
with threads may not leave its user namespace.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import importlib
import os
import resource
import signal
import socket
import struct
import sys
from pathlib import Path

import msgspec

from modeldocs import lazy_import, machine
from modeldocs.isolation import landlock, seccomp
from modeldocs.isolation.limits import CONFINEMENT, FAILED_MACHINE, Confinement

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_CLONE_NEWNS, _CLONE_NEWIPC = 0x00020000, 0x08000000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 2, 4, 1 << 14, 1 << 18
_SHARED_MEMORY = "/dev/shm"
_PR_SET_PDEATHSIG = 1
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1

_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/proc", "/sys", "/etc/ld.so.cache"),
    *("/etc/alternatives", "/etc/fonts", "/etc/group", "/etc/hosts", "/etc/localtime"),
    *("/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/ssl"),
    *("/dev/urandom", "/dev/random", "/dev/zero", "/var/cache/fontconfig"),
)
"""Files of the system that programs read. None holds secrets; `/etc/shadow` is not among them."""

_DEVICES = ("/dev/null", _SHARED_MEMORY, "/dev/tty")
_ACCELERATORS = ("nvidia*", "dri", "kfd")
"""Names in /dev of accelerators, as patterns."""
_KEPT_CAPABILITIES = 0b1111
"""Capabilities that root keeps: owners and permissions of files, nothing of other processes."""


def main(folder: Path) -> None:
    """Confine this process, run its module's `main(folder)`, and exit without waiting for threads.

    The module's name is in no file or argument that the code it runs could read.
    """
    try:
        module = confine(folder)
        lazy_import.defer_symbolic()
        importlib.import_module(module).main(folder)
    except Exception as error:
        if machine.cause(error) is not None:
            os._exit(FAILED_MACHINE)
        raise
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)  # skips threads and exit handlers of the port


def confine(folder: Path) -> str:
    """Apply the limits of `Confinement`, whose file is deleted, and all restrictions of Linux.

    Returns the name of the module to run.
    """
    confinement = msgspec.json.decode((folder / CONFINEMENT).read_bytes(), type=Confinement)
    (folder / CONFINEMENT).unlink()
    for kind, value in (
        (resource.RLIMIT_DATA, confinement.limits.memory_mb * 2**20),
        (resource.RLIMIT_FSIZE, confinement.limits.file_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    die_with_parent()
    loopback = leave_network() and confinement.loopback and start_loopback()
    leave_shared_memory(confinement.limits.memory_mb)
    drop_capabilities()
    devices = [Path(device) for device in _DEVICES]
    if confinement.devices:
        devices += [device for name in _ACCELERATORS for device in Path("/dev").glob(name)]
    readable = [*_interpreter(), *map(Path, confinement.reads)]
    landlock.restrict(readable, [folder, *devices], tcp=loopback)
    if not confinement.loopback:  # processes of one run may find each other by sockets
        seccomp.restrict()
    return confinement.module


def _interpreter() -> list[Path]:
    """The folders of this interpreter, of what it can import, and of the system's libraries."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *libraries, *_SYSTEM]
    return [Path(__file__).parents[1], *(Path(place) for place in places if place)]


def die_with_parent() -> None:
    """Let Linux kill this process when its parent ends."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def drop_capabilities() -> None:
    """Drop root's capabilities over other processes and the system."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    kept = _KEPT_CAPABILITIES
    ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0))


def leave_network() -> bool:
    """Move this process into a network namespace without interfaces; False if refused."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER
    return int(libc.unshare(flags)) == 0


def leave_shared_memory(memory_mb: int) -> bool:
    """Give this process shared memory of its own, of that size at most; False if refused.

    What lies in that of the machine is other programs', and what is left there stays.
    """
    if not sys.platform.startswith("linux") or not Path(_SHARED_MEMORY).is_dir():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS | _CLONE_NEWIPC):
        return False
    private = libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    options = f"mode=1777,size={memory_mb}m".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    place = _SHARED_MEMORY.encode()
    return not private and not libc.mount(b"tmpfs", place, b"tmpfs", flags, options)


def start_loopback() -> bool:
    """Start the loopback interface of a network namespace of one's own; False if refused."""
    request = struct.pack("16sh14x", b"lo", _IFF_UP)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)
    except OSError:
        return False
    return True
