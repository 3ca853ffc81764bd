"""Addresses: where each page lies. Every page is an `index.md` in a folder of its own, so that a
relative link is the same in the source folder, in the site, and with or without directory URLs.
"""

from __future__ import annotations

import posixpath

from modeldocs.catalog import Model, Port

HOME = "index.md"
SCHEMAS = "schemas"
MODELS = "models"
PROOFS = "proofs"


def model(held: Model) -> str:
    """Folder of a model's page."""
    return f"{MODELS}/{held.id}"


def port(held: Model, of: Port) -> str:
    """Folder of a port's page."""
    return f"{MODELS}/{held.id}/ports/{of.name}"


def pair(held: Model, a: Port, b: Port) -> str:
    """Folder of a diff's page."""
    return f"{MODELS}/{held.id}/diffs/{a.name}-vs-{b.name}"


def between(start: str, target: str, file: str = "index.html") -> str:
    """Relative link from the page in folder `start` to a file in folder `target`."""
    return posixpath.join(posixpath.relpath(target or ".", start or "."), file)
