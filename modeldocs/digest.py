"""The digest of content, both of files and of objects in the store.

The two must agree: a page finds a port's source in the store by the digest of its file.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

BYTES = 20


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
