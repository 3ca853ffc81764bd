"""Paths of the site's pages, and relative links between them.

Each page is an `index.md` in a folder of its own: a relative link is then the same in the source
folder and in the built site, with directory URLs or without.
"""

from __future__ import annotations

import posixpath

from modeldocs.catalog import Model, Port

HOME = "index.md"
SCHEMAS = "schemas"
MODELS = "models"
PROOFS = "proofs"
COMPARE = "compare"
EDIT = "edit"
LAYERS = "layers"
BENCHMARKS = "benchmarks"
CHANGES = "changes"
LISTING = "catalog.json"
BADGE = "badge.svg"

_BESIDE_CHANGES = ("diff.json", "index.html", "index.md")
"""Files in the folder of changes, which a model may be called like."""


def model_folder(model: Model) -> str:
    """Folder of a model's page."""
    return f"{MODELS}/{model.id}"


def benchmarks_folder(model: Model) -> str:
    """Folder of the page of a model's benchmarks, beside its records."""
    return f"{MODELS}/{model.id}/{BENCHMARKS}"


def port_folder(model: Model, port: Port) -> str:
    """Folder of a port's page."""
    return f"{MODELS}/{model.id}/ports/{port.name}"


def pair_folder(model: Model, a: Port, b: Port) -> str:
    """Folder of the page that compares ports A and B."""
    return f"{MODELS}/{model.id}/diffs/{a.name}-vs-{b.name}"


def program_folder(model: Model, target: str) -> str:
    """Folder of the page of a model's program in a target."""
    return f"{MODELS}/{model.id}/programs/{target}"


def change_folder(model: str, port: str) -> str:
    """Folder of the page that shows what a change does to a port."""
    name = f"{model}-" if model in _BESIDE_CHANGES else model
    return f"{CHANGES}/{name}/{port}"


def link(start: str, target: str, file: str = "index.html") -> str:
    """Relative link from the page in folder `start` to a file in folder `target`."""
    return posixpath.join(posixpath.relpath(target or ".", start or "."), file)
