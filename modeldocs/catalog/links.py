"""Links that lead in a circle: nothing is where they lead to, and `Path.resolve` fails on them."""

from __future__ import annotations

import errno
from pathlib import Path

from modeldocs.errors import Failure


def is_circle(path: Path) -> bool:
    """Whether a path, or a link on its way, leads back to itself."""
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def circle(name: str) -> Failure:
    """The mistake of having such a link, by its name in the model's folder."""
    return Failure(
        reason="is a link that leads in a circle",
        file=name,
        fix="remove it, or put the file itself there",
    )
