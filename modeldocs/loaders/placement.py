"""Where a Python file lies: the package that it is part of, and the folders it imports from."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.machinery
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from modeldocs.loaders import python_file

_PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "README.md")
"""One of these lies in the folder that a project's own absolute imports start from."""


@dataclass(frozen=True)
class Placement:
    """A file's package, None where it needs none, and folders to import from, nearest first.

    `root` is the folder that holds whatever of its own it may import.
    """

    file: Path
    package: Path | None
    folders: tuple[Path, ...]

    @property
    def root(self) -> Path:
        """The outermost of these folders."""
        places = [self.file.parent, *self.folders]
        places += [self.package] if self.package is not None else []
        return min(places, key=lambda place: len(place.parts))


@functools.cache
def of(file: Path) -> Placement:
    """The placement of a file, told from its text and the files around it: nothing is run.

    It is imported as part of a package where it has relative imports or names the package itself.
    The package is the outermost folder with an `__init__.py` at each step, or as far out as the
    relative imports reach.
    """
    level, names = _imports(file)
    package = _package(file, level)
    if level == 0 and (package is None or package.name not in names):
        package = None
    folders = [] if package is not None else [file.parent]
    own = package.name if package is not None else None
    folders += _found(file, sorted(names - {own}), package)
    return Placement(file, package, tuple(dict.fromkeys(folders)))


def module(placed: Placement) -> ModuleType:
    """The file's module, imported with its package around it. Runs their code."""
    assert placed.package is not None
    steps = placed.file.relative_to(placed.package).with_suffix("").parts
    inside = [step for step in steps if step != "__init__"]
    return importlib.import_module(".".join([_adopted(placed.package), *inside]))


def _imports(file: Path) -> tuple[int, set[str]]:
    """How many folders up relative imports reach, and first names of absolute ones."""
    tree = python_file.parsed(file)
    level, names = 0, set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            level = max(level, node.level)
            if not node.level and node.module:
                names.add(node.module.split(".")[0])
    return level, names


def _package(file: Path, level: int) -> Path | None:
    """The outermost package around a file that reaches `level` folders up at least."""
    found = None
    for depth, folder in enumerate(file.parents, start=1):
        if depth > level and not (folder / "__init__.py").is_file():
            break
        found = folder
    return found


def _found(file: Path, names: list[str], package: Path | None) -> list[Path]:
    """Folders around a file, up to its project's, that hold modules it imports by these names."""
    around = _project(file)
    if package is not None and package not in around:
        around = (*around, *(p for p in file.parents if p.is_relative_to(package)))
    wanted = [name for name in names if not _is_installed(name)]
    held = (next((p for p in around if _holds(p, name)), None) for name in wanted)
    return sorted({p for p in held if p is not None}, key=lambda p: -len(p.parts))


def _project(file: Path) -> tuple[Path, ...]:
    """The file's folder and those around it, up to that of its project; only its own without."""
    parents = list(file.parents)
    for depth, folder in enumerate(parents, start=1):
        if any((folder / mark).exists() for mark in _PROJECT):
            return tuple(parents[:depth])
    return (file.parent,)


def _holds(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (
        (folder / name).is_dir() and next((folder / name).glob("*.py"), None) is not None
    )


def _is_installed(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _adopted(folder: Path) -> str:
    """Import a package from its folder; under another name where something else has its own."""
    name, start = folder.name, folder / "__init__.py"
    file = str(start) if start.is_file() else None
    if not name.isidentifier() or (_is_installed(name) and not _is_at(name, folder)):
        name = f"port_{name}" if name.isidentifier() else "port"
    if name in sys.modules:
        return name
    if file is not None:
        spec = importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[str(folder)]
        )
    else:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    assert spec is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    if spec.loader is not None:
        spec.loader.exec_module(made)
    return name


def _is_at(name: str, folder: Path) -> bool:
    """Whether what is imported by a name is the package in a folder."""
    found = sys.modules.get(name)
    spec = found.__spec__ if found is not None else importlib.util.find_spec(name)
    places = getattr(spec, "submodule_search_locations", None) or ()
    return str(folder) in [str(Path(place).resolve()) for place in places]
