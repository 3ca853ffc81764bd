"""The closure of a module: the files and packages that it imports, directly or through others.

Imports inside functions count, imports for type checking alone do not. A module named in a string
(`isolation.run("modeldocs.numeric.parity.worker", …)`) counts as imported.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

from modeldocs import digest
from modeldocs.tasks import imports

_ROOT = Path(__file__).parents[1]
_PACKAGE = _ROOT.name
_NAME = re.compile(r"\AMetadata-Version: .*\nName: (\S+)\n")
"""The beginning of a wheel's metadata, as nearly all are written."""


class Closure(NamedTuple):
    """Files of this package, and top-level names of other packages."""

    files: tuple[Path, ...]
    packages: tuple[str, ...]


@cache
def closure(*modules: str) -> Closure:
    """The closure of some modules.

    Data files in the folder of an imported module are part of it, since the module may read them.
    Of a module of another package, all files of that package are part of it.
    """
    files: set[Path] = set()
    packages: set[str] = set()
    pending = [file for module in modules for file in _files(module) or _foreign_files(module)]
    while pending:
        file = pending.pop()
        if file in files:
            continue
        files.add(file)
        for name in _module_names(file):
            imported = _files(name)
            pending += imported
            if not imported and not name.startswith(f"{_PACKAGE}."):
                packages.add(name.split(".")[0])
    # Data in the package's own folder is there in a wheel, but elsewhere in a checkout.
    folders = {file.parent for file in files if file.is_relative_to(_ROOT)} - {_ROOT}
    files.update(*map(_data, folders))
    imports.save()
    third_party = packages - sys.stdlib_module_names
    return Closure(tuple(sorted(files)), tuple(sorted(third_party)))


@cache
def digest_of(*files: Path) -> str:
    """Digest of the names and contents of files."""
    digests = [(file.name, digest.of_file(file)) for file in files]
    return digest.of(repr(digests).encode())


@cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Versions of the installed distributions that provide packages, by distribution."""
    names = {name for package in packages for name in _distributions(package)}
    return {name: _version(name) for name in sorted(names)}


_version = cache(metadata.version)


@cache
def _distributions(package: str) -> tuple[str, ...]:
    """The distributions that provide a package; first by its own name, which is fast."""
    try:
        return (metadata.distribution(package).name,)
    except metadata.PackageNotFoundError:
        return tuple(sorted(_by_package().get(package, ())))


@cache
def _by_package() -> Mapping[str, set[str]]:
    """Distributions by package: `metadata.packages_distributions`, half a second faster."""
    distributions: dict[str, set[str]] = defaultdict(set)
    for distribution in metadata.distributions():
        packages = set((distribution.read_text("top_level.txt") or "").split())
        if not packages:
            record = (distribution.read_text("RECORD") or "").splitlines()
            packages = {line.partition("/")[0] for line in record if "/" in line}
        name = _name(distribution)
        for package in packages:
            distributions[package].add(name)
    return distributions


def _name(distribution: metadata.Distribution) -> str:
    """Its name, without parsing the pages of description that stand in the same file."""
    found = _NAME.search(distribution.read_text("METADATA") or "")
    return found[1] if found else distribution.name


def file(module: str) -> Path:
    """The file of a module of this package."""
    return _files(module)[-1]


def _foreign_files(module: str) -> list[Path]:
    """All files of the package that a module of another package belongs to."""
    spec = util.find_spec(module.split(".")[0])
    if spec is None:
        return []
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return files or ([Path(spec.origin)] if spec.origin else [])


@cache
def _files(module: str) -> list[Path]:
    """The files that importing a module of this package runs, its packages first; else none."""
    top, *steps = module.split(".")
    if top != _PACKAGE:
        return []
    folder, files = _ROOT, [_ROOT / "__init__.py"]
    for index, step in enumerate(steps):
        if (folder / step / "__init__.py").is_file():
            folder /= step
            files.append(folder / "__init__.py")
        elif index == len(steps) - 1 and (folder / f"{step}.py").is_file():
            files.append(folder / f"{step}.py")
        else:
            return []
    return files


@cache
def _module_names(file: Path) -> frozenset[str]:
    """Names that a file imports or holds in strings; some of them are not modules."""
    return frozenset(_module(word, file) for word in imports.words(file.read_bytes(), _PACKAGE))


def _module(word: str, file: Path) -> str:
    """The module that a word in a file names; `worker.py` names the module beside the file."""
    place = file.with_name(word.removesuffix(".py"))
    if not word.endswith(".py") or not place.is_relative_to(_ROOT):
        return word
    return ".".join((_PACKAGE, *place.relative_to(_ROOT).parts))


@cache
def _data(folder: Path) -> frozenset[Path]:
    """Files of a folder that are not Python, and all files of its folders without Python."""
    found: set[Path] = set()
    for path in folder.iterdir():
        if path.is_dir() and not any(path.rglob("*.py")):
            found |= {file for file in path.rglob("*") if _is_data(file)}
        elif _is_data(path):
            found.add(path)
    return frozenset(found)


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix not in (".py", ".pyc")
