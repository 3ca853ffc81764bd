"""The files of its own that a Python file imports, directly or not. None of them is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from modeldocs.loaders.python_source import placement, python_file
from modeldocs.loaders.python_source.python_file import ImportStatement

_MOST_FILES = 200
"""Files that are followed: a network's are few, and a repository may have thousands."""


def of(path: Path) -> Iterator[Path]:
    """Files that a file imports, nearest first, each once; not those of installed packages."""
    places = _places(path)
    found, pending = {path}, [path]
    while pending:
        importer = pending.pop(0)
        for statement in python_file.import_statements(importer):
            for file in _files(statement, importer, places):
                if file not in found and len(found) < _MOST_FILES:
                    found.add(file)
                    pending.append(file)
                    yield file


def _places(path: Path) -> list[Path]:
    """The folders that the absolute imports of a file start from, and its catalog's, if any."""
    placed = placement.of(path)
    package = [] if placed.package is None else [placed.package.parent]
    return [*placed.folders, *package, path.parent.parent]


def _files(statement: ImportStatement, importer: Path, places: list[Path]) -> Iterator[Path]:
    """The files of the modules that a statement imports, and of the packages around them."""
    parts = statement.module.split(".") if statement.module else []
    if statement.level:
        start = next(iter(list(importer.parents)[statement.level - 1 :]), None)
    else:
        is_shared = parts[0].startswith("_")  # all of the other folders there are other models'
        folders = places if is_shared else places[:-1]
        start = next((folder for folder in folders if _has_module(folder, parts[0])), None)
    if start is not None:
        packages = [start.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
        for module in (*packages, *(start.joinpath(*parts, name) for name in statement.names)):
            files = (module.with_name(f"{module.name}.py"), module / "__init__.py")
            yield from (file for file in files if file.is_file())


def _has_module(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()
