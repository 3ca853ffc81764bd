"""Small networks: those of a folder are the same function, written in other ways."""

from __future__ import annotations

from pathlib import Path

from modeldocs import loaders
from modeldocs.loaders import LoadRequest

from .. import applying
from ..applying import Subject

_FOLDER = Path(__file__).parent


def pairs(only: str = "") -> dict[str, list[Subject]]:
    """The networks of each folder, which are the same function."""
    return {
        folder.name: subjects(folder.name)
        for folder in sorted(_FOLDER.iterdir())
        if folder.is_dir() and not folder.name.startswith("_") and only in folder.name
    }


def subjects(name: str) -> list[Subject]:
    """The networks of a folder, in the order of their files."""
    folder = _FOLDER / name
    found: list[Subject] = []
    for file in sorted(folder.glob("*.py")):
        framework = loaders.recognise(file) or ""
        request = LoadRequest(root=str(folder), path=str(file), entry="model")
        found.append(applying.load(f"{folder.name}/{file.stem}", framework, request))
    return found
