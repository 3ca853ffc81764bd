"""The digest of content, both of files and of objects in the store.

The two must agree: a page finds a port's source in the store by the digest of its file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

BYTES = 20

NAMES, MODULES = "/", "/*.py"
"""Behind a folder's path: all names in it, and those of Python's modules and packages."""

ABSENT = ""
"""What is seen where nothing is."""


def of(data: bytes) -> str:
    """BLAKE2 digest of content, in hex."""
    return hashlib.blake2b(data, digest_size=BYTES).hexdigest()


def of_file(path: Path) -> str:
    """Digest of a file's content, read in parts.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=BYTES)).hexdigest()


def seen(path: str) -> str | None:
    """What a program sees that looks for a path: `ABSENT`, or a digest of the names in a folder.

    None where there is a file or a folder, of which the content decides.
    """
    for kind in (MODULES, NAMES):
        if path.endswith(kind):
            return of("\0".join(sorted(_names(path.removesuffix(kind), kind))).encode())
    return None if os.path.lexists(path) else ABSENT


def _names(folder: str, kind: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [
                os.fsencode(entry.name).decode("utf-8", "replace")
                for entry in entries
                if entry.name[0] != "."
                and entry.name != "__pycache__"
                and (kind == NAMES or _is_importable(entry))
            ]
    except OSError:
        return []


def _is_importable(entry: os.DirEntry[str]) -> bool:
    if entry.name.endswith(".py"):
        return True
    try:
        return entry.is_dir() and any(Path(entry).glob("*.py"))
    except OSError:
        return False
