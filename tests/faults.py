"""Failures of the machine, made: disks that are full, processes that are killed or kept waiting."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from modeldocs.isolation import forkservers
from modeldocs.isolation.limits import CONFINEMENT
from modeldocs.isolation.watch import RunWatch

PAGE = 4096
"""Bytes that a small disk gives at once."""


@contextlib.contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Path]:
    """A disk of that size at a folder, in memory; skips where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def full(disk: Path, left: int = 0) -> Iterator[None]:
    """Within this block a small disk has so many bytes left."""
    file = disk / "filling"
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as stream:
        while stream.write(bytes(PAGE)):
            pass
    os.truncate(file, max(file.stat().st_size - left, 0))
    try:
        yield
    finally:
        file.unlink()


@contextlib.contextmanager
def full_temporary_folder(folder: Path, left: int = 0) -> Iterator[None]:
    """Within this block the disk of the temporary folder has so many bytes left."""
    with small_disk(folder) as disk, pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(disk))
        with full(disk, left):
            yield


@contextlib.contextmanager
def no_temporary_folder(folder: Path) -> Iterator[None]:
    """Within this block there is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder / "gone"))
        yield


@contextlib.contextmanager
def signalled(
    number: int, seconds: float | None = None, *, confined: bool = False
) -> Iterator[None]:
    """Within this block each isolated process gets a signal from this one: as soon as it runs, or
    as soon as it is `confined`, when code of a port may run. Its limit of time is `seconds`.
    """
    moments = RunWatch.moments

    def struck(watch: RunWatch, process: int) -> Iterator[float]:
        while confined and not _is_confined(process):
            time.sleep(0.001)
        os.kill(process, number)
        watch.seconds = seconds or watch.seconds
        yield from moments(watch, process)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunWatch, "moments", struck)
        yield


def _is_confined(process: int) -> bool:
    home = Path(f"/proc/{process}/cwd").readlink()
    return home.name == "home" and not (home.parent / CONFINEMENT).exists()


@contextlib.contextmanager
def _struck(number: int, seconds: float | None = None) -> Iterator[None]:
    """As `signalled`, of processes that are started anew: forked ones may end before the signal."""
    with pytest.MonkeyPatch.context() as patch, signalled(number, seconds):
        patch.setattr(forkservers, "available", lambda: False)
        yield


def killed(_folder: Path | None = None) -> contextlib.AbstractContextManager[None]:
    """As the kernel does where memory runs out."""
    return _struck(signal.SIGKILL)


def kept_waiting(_folder: Path) -> contextlib.AbstractContextManager[None]:
    """A machine that gives isolated processes no time."""
    return _struck(signal.SIGSTOP, seconds=0.3)
