"""Files that a command is told to write: over one that it wrote before, but nobody else's."""

from __future__ import annotations

from pathlib import Path

from modeldocs.errors import ModeldocsError

_SEEN = 1 << 20
"""Bytes at the beginning of a file that are looked at."""


def check(file: Path | None, sign: bytes, what: str) -> None:
    """Check that a file may be written: it is none yet, empty, or has the sign of ours.

    Raises:
        ModeldocsError: its folder does not exist, or it is somebody else's.
    """
    if file is None:
        return
    if not file.parent.is_dir():
        raise ModeldocsError(
            "its folder does not exist", file=str(file), fix="create the folder first"
        )
    try:
        with file.open("rb") as stream:
            start = stream.read(_SEEN)
    except FileNotFoundError:
        return
    if start and sign not in start:
        raise ModeldocsError(
            f"exists, and is no {what} that modeldocs wrote",
            file=str(file),
            fix="choose another name, or move the file away",
        )
