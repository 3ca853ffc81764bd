"""Small networks of the same function in two programs; the files of a pair share its name."""

from __future__ import annotations

from pathlib import Path

from modeldocs import loaders
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

from .. import applying
from ..applying import Subject

_FOLDER = Path(__file__).parent


def pairs(only: str = "") -> dict[str, list[Subject]]:
    """The networks of each folder: the functions of its files whose names are equal but for a number."""
    return {
        folder.name: _subjects(folder)
        for folder in sorted(_FOLDER.iterdir())
        if folder.is_dir() and not folder.name.startswith("_") and only in folder.name
    }


def _subjects(folder: Path) -> list[Subject]:
    found: list[Subject] = []
    for file in sorted(folder.glob("*.py")):
        framework = loaders.recognise(file)
        request = LoadRequest(root=str(folder), path=str(file), entry="model")
        try:
            found.append(applying.load(f"{folder.name}/{file.stem}", framework, request))
        except ModeldocsError as error:
            print(f"{folder.name}/{file.stem}: {error.reason}")
    return found
