"""The code that a module reaches: what it imports, what it names to be run, and what those reach.

Imports inside of functions count, those for types alone do not. A module that is named in a string
(`isolation.run("modeldocs.parity.worker", …)`) is reached as well.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

from modeldocs import digest
from modeldocs.tasks import imports

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
    # What lies in the package's own folder is shipped with it, and elsewhere in a checkout.
    folders = {file.parent for file in files if file.is_relative_to(_ROOT)} - {_ROOT}
    files |= {data for folder in folders for data in _data(folder)}
    imports.keep()
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
    names = {name for package in packages for name in _distributions(package)}
    return {name: metadata.version(name) for name in sorted(names)}


@cache
def _distributions(package: str) -> tuple[str, ...]:
    """The distributions that bring a package: mostly the one of its name, which is soon found."""
    try:
        return (metadata.distribution(package).name,)
    except metadata.PackageNotFoundError:
        return tuple(sorted(_by_package().get(package, ())))


@cache
def _by_package() -> Mapping[str, set[str]]:
    """`metadata.packages_distributions`, which takes half a second more for the same."""
    found: dict[str, set[str]] = defaultdict(set)
    for distribution in metadata.distributions():
        listed = (distribution.read_text("top_level.txt") or "").split()
        record = (distribution.read_text("RECORD") or "").splitlines()
        for package in listed or {line.partition("/")[0] for line in record if "/" in line}:
            found[package].add(distribution.name)
    return found


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
    return frozenset(_module(word, file) for word in imports.words(file.read_bytes(), _PACKAGE))


def _module(word: str, file: Path) -> str:
    """The module that a word names: a file beside another (`worker.py`) by its place."""
    if not word.endswith(".py"):
        return word
    place = file.with_name(word.removesuffix(".py"))
    return (
        ".".join((_PACKAGE, *place.relative_to(_ROOT).parts))
        if place.is_relative_to(_ROOT)
        else word
    )


def _data(folder: Path) -> Iterator[Path]:
    """Files of a folder that are no code, and of folders in it that hold none."""
    for path in folder.iterdir():
        if path.is_dir() and not any(path.rglob("*.py")):
            yield from (file for file in path.rglob("*") if _is_data(file))
        elif _is_data(path):
            yield path


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix not in (".py", ".pyc")
