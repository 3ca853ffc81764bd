"""Files read whole, up to a size."""

from __future__ import annotations

from pathlib import Path

from modeldocs.errors import ModeldocsError


def read(path: Path, most: int, *, file: str | Path, what: str, fix: str) -> bytes:
    """The bytes of a file, which errors call `file` and whose kind has at most so many.

    Raises:
        ModeldocsError: it cannot be read, or is larger.
    """
    try:
        size = path.stat().st_size
        if size <= most:
            return path.read_bytes()
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror})", file=file, fix="check its path"
        ) from None
    raise ModeldocsError(
        f"the file has {size:,} bytes, {what} has at most {most:,}", file=file, fix=fix
    )
