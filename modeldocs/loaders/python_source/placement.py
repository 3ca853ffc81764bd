"""The place of a Python file: its package, and the folders that it imports from."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from modeldocs.loaders.python_source import python_file

PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "README.md")
"""Files that mark the root of a project, which its own absolute imports start from."""


@dataclass(frozen=True)
class Placement:
    """A file's package, None where it needs none, and folders to import from, nearest first."""

    file: Path
    package: Path | None
    folders: tuple[Path, ...]

    @property
    def root(self) -> Path:
        """The outermost of these folders, with everything of its own that the file may import."""
        places = [self.file.parent, *self.folders]
        places += [self.package] if self.package is not None else []
        return min(places, key=lambda place: len(place.parts))


@functools.cache
def of(file: Path) -> Placement:
    """The placement of a file, by its text and the files around it: nothing is run.

    It is imported as part of a package where it has relative imports or names the package itself.
    The package is the outermost folder with an `__init__.py` at each step, or as far out as the
    relative imports reach.
    """
    imports = python_file.imports(file)
    package = _package(file, imports.level)
    if imports.level == 0 and (package is None or package.name not in imports.absolute):
        package = None
    folders = [] if package is not None else [file.parent]
    own = package.name if package is not None else None
    folders += _import_folders(file, sorted(imports.absolute - {own}), package)
    return Placement(file, package, tuple(dict.fromkeys(folders)))


def import_in_package(placed: Placement) -> ModuleType:
    """The file's module, imported with its package around it. Runs their code."""
    assert placed.package is not None
    parts = placed.file.relative_to(placed.package).with_suffix("").parts
    names = [part for part in parts if part != "__init__"]
    return importlib.import_module(".".join([_import_package(placed.package), *names]))


def _package(file: Path, level: int) -> Path | None:
    """The outermost package around a file, at least `level` folders up."""
    package = None
    for depth, folder in enumerate(file.parents, start=1):
        if depth > level and not (folder / "__init__.py").is_file():
            break
        package = folder
    return package


def _import_folders(file: Path, names: list[str], package: Path | None) -> list[Path]:
    """Folders around a file, up to its project's, with modules of these names; nearest first."""
    places = _project(file)
    if package is not None and package not in places:
        places = (*places, *(p for p in file.parents if p.is_relative_to(package)))
    own = [name for name in names if not _is_installed(name)]
    folders = (next((p for p in places if _has_module(p, name)), None) for name in own)
    return sorted({p for p in folders if p is not None}, key=lambda p: -len(p.parts))


def _project(file: Path) -> tuple[Path, ...]:
    """The file's folder and those around it, up to the project's root if there is one."""
    parents = list(file.parents)
    for depth, folder in enumerate(parents, start=1):
        if any((folder / mark).exists() for mark in PROJECT):
            return tuple(parents[:depth])
    return (file.parent,)


def _has_module(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (
        (folder / name).is_dir() and next((folder / name).glob("*.py"), None) is not None
    )


def _is_installed(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _import_package(folder: Path) -> str:
    """Import a package from its folder; its name, which is another where the own is taken."""
    name, init = folder.name, folder / "__init__.py"
    if not name.isidentifier() or (_is_installed(name) and not _is_at(name, folder)):
        name = f"port_{name}" if name.isidentifier() else "port"
    if name in sys.modules:
        return name
    if init.is_file():
        spec = importlib.util.spec_from_file_location(
            name, init, submodule_search_locations=[str(folder)]
        )
    else:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    assert spec is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    if spec.loader is not None:
        spec.loader.exec_module(package)
    return name


def _is_at(name: str, folder: Path) -> bool:
    """Whether the package imported by a name is the one in a folder."""
    module = sys.modules.get(name)
    spec = module.__spec__ if module is not None else importlib.util.find_spec(name)
    places = getattr(spec, "submodule_search_locations", None) or ()
    return str(folder) in [str(Path(place).resolve()) for place in places]
