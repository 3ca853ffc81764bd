"""The code that a module reaches: what it imports, what it names to be run, and what those reach.

Read off the syntax trees, with imports inside of functions and without those for types alone. A
module that is named in a string (`isolation.run("modeldocs.parity.worker", …)`) is reached as
well.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

from modeldocs import digest

_ROOT = Path(__file__).parents[1]
_PACKAGE = _ROOT.name


class Closure(NamedTuple):
    """Files of this package that are reached, and the top names of other packages."""

    files: tuple[Path, ...]
    packages: tuple[str, ...]


@cache
def closure(*modules: str) -> Closure:
    """What is reached from modules.

    Of a folder that holds a reached module, data files count as well: they are read by it. A module
    of another package reaches all of its package.
    """
    files: set[Path] = set()
    packages: set[str] = set()
    waiting = [file for module in modules for file in _files(module) or _elsewhere(module)]
    while waiting:
        file = waiting.pop()
        if file in files:
            continue
        files.add(file)
        for name in _named(file):
            found = _files(name)
            waiting += found
            if not found and not name.startswith(f"{_PACKAGE}."):
                packages.add(name.split(".")[0])
    folders = {file.parent for file in files if file.is_relative_to(_ROOT)}
    files |= {data for folder in folders for data in _data(folder)}
    others = packages - sys.stdlib_module_names
    return Closure(tuple(sorted(files)), tuple(sorted(others)))


@cache
def digest_of(*files: Path) -> str:
    """Digest of the names and contents of files."""
    held = [(file.name, digest.of_file(file)) for file in files]
    return digest.of(repr(held).encode())


@cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Versions of the distributions that bring packages, of those that are installed here."""
    known = metadata.packages_distributions()
    names = sorted({name for package in packages for name in known.get(package, ())})
    return {name: metadata.version(name) for name in names}


def file(module: str) -> Path:
    """The file of a module of this package."""
    return _files(module)[-1]


def _elsewhere(module: str) -> list[Path]:
    """The files of another package."""
    spec = util.find_spec(module.split(".")[0])
    if spec is None:
        return []
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    found = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return found or ([Path(spec.origin)] if spec.origin else [])


@cache
def _files(module: str) -> list[Path]:
    """The files that importing a module of ours runs, its packages' own first; else none."""
    top, *steps = module.split(".")
    if top != _PACKAGE:
        return []
    folder, found = _ROOT, [_ROOT / "__init__.py"]
    for index, step in enumerate(steps):
        if (folder / step / "__init__.py").is_file():
            folder /= step
            found.append(folder / "__init__.py")
        elif index == len(steps) - 1 and (folder / f"{step}.py").is_file():
            found.append(folder / f"{step}.py")
        else:
            return []
    return found


@cache
def _named(file: Path) -> frozenset[str]:
    """Names of modules that a file imports, or has in a string; some are no modules."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(file.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update(_in_string(node.value, file))
        elif isinstance(node, ast.If) and _is_for_types(node.test):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def _in_string(text: str, file: Path) -> Iterable[str]:
    if text.startswith(f"{_PACKAGE}.") and text.replace(".", "").isidentifier():
        yield text
    elif text.endswith(".py") and text[:-3].isidentifier() and file.with_name(text).is_file():
        yield ".".join((_PACKAGE, *file.with_name(text[:-3]).relative_to(_ROOT).parts))


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _data(folder: Path) -> Iterator[Path]:
    """Files of a folder that are no code, and of folders in it that hold none."""
    for path in folder.iterdir():
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            yield path
        elif path.is_dir() and path.name != "__pycache__" and not any(path.rglob("*.py")):
            yield from (file for file in path.rglob("*") if file.is_file())
