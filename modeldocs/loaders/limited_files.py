"""Files of bounded size."""

from __future__ import annotations

from pathlib import Path

from modeldocs.errors import ModeldocsError


def read(path: Path, limit: int, *, file: str | Path, what: str, fix: str) -> bytes:
    """The bytes of a file: at most `limit`, which is the most that files of its kind (`what`) have.

    Errors name it `file`, and `fix` is what to do about a larger one.

    Raises:
        ModeldocsError: it cannot be read, or is larger.
    """
    try:
        size = path.stat().st_size
        if size <= limit:
            return path.read_bytes()
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror})", file=file, fix="check its path"
        ) from None
    raise ModeldocsError(
        f"the file has {size:,} bytes, {what} has at most {limit:,}", file=file, fix=fix
    )
