"""The callable of a Python port, imported and called in a worker alone."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import modeldocs
from modeldocs.errors import ModeldocsError, first_line, lines
from modeldocs.loaders import LoadRequest, entries, placement, python_file

_OURS = str(Path(modeldocs.__file__).parent) + os.sep

MAX_OFFERED = 12
"""Names that a message lists."""

_WRAPPED = "Error encountered:"
"""What stands before the words of an exception that Keras wraps."""

_NO_MEMORY = re.compile(r"allocate memory|not enough memory|out of memory", re.I)


_NO_NETWORK = re.compile(
    r"name resolution|resolve host|failed to resolve|Name or service not known"
    r"|Network is unreachable|urlopen error|Max retries exceeded",
    re.I,
)


def import_source(request: LoadRequest) -> ModuleType:
    """Import the file or module of a request. Runs the port's code: worker processes only.

    A file is imported from where it lies: with the package around it, if it needs one, else with
    its own folder to import from, as when Python runs it as a script.

    Raises:
        ModeldocsError: it cannot be imported, with the line of its own that failed.
    """
    try:
        if request.module is not None:
            return importlib.import_module(request.module)
        return _import_file(Path(str(request.path)))
    except ModeldocsError:
        raise
    except BaseException as error:
        raise failure(request, error, "importing it") from None


def _import_file(path: Path) -> ModuleType:
    python_file.parse(path)
    placed = placement.of(path)
    sys.path[:0] = [str(folder) for folder in placed.folders]
    if placed.package is not None:
        return placement.import_in_package(placed)
    name = re.sub(r"\W", "_", path.stem)
    spec = importlib.util.spec_from_file_location(f"port_{name}", path)
    if spec is None or spec.loader is None:
        raise ModeldocsError("is not a Python file", file=path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call(request: LoadRequest, function: Callable[..., Any]) -> Any:
    """`function(**request.args)`, its failure told as the user's.

    Neither JSON nor YAML has tuples: where lists will not do, they are given as tuples.

    Raises:
        ModeldocsError: it raised, with the line of the port that did.
    """
    try:
        return function(**request.args)
    except BaseException as error:
        told = failure(request, error, "building the model")
        if not _binds(function, request.args):
            names = _absent(function, request.args)
            wanted = ", ".join(f'"{name}": …' for name in names) or '"name": value'
            fix = f"give its arguments as `args:` in model.yml, or as --args '{{{wanted}}}'"
            told = ModeldocsError(told.reason, file=told.file, line=told.line, fix=fix)
        tupled = _with_tuples(request.args)
        if tupled == request.args or not isinstance(error, (TypeError, ValueError, AssertionError)):
            raise told from None
    try:
        return function(**tupled)
    except Exception:
        raise told from None


def _binds(function: Callable[..., Any], args: dict[str, Any]) -> bool:
    """Whether a function takes these arguments, as far as its signature tells."""
    try:
        inspect.signature(function).bind(**args)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)  # it has no signature
    return True


def _with_tuples(value: Any) -> Any:
    """A value of JSON with tuples in place of its lists."""
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _absent(function: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Parameters without a default that are not given."""
    try:
        held = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [
        p.name for p in held if p.kind in plain and p.default is p.empty and p.name not in given
    ]


def resolve(request: LoadRequest, module: ModuleType, base_classes: Iterable[str]) -> Any:
    """The entry point of a request in its imported module.

    Raises:
        ModeldocsError: the module has no such name.
    """
    entry = request.entry
    if entry is None:
        if request.path is None:
            raise ModeldocsError(
                f"{request.module} names no callable", fix=f"write {request.module}:CALLABLE"
            )
        entry = entries.find(Path(request.path), request.name, base_classes)
    target: Any = module
    for part in entry.split("."):
        if not hasattr(target, part):
            raise ModeldocsError(
                f"has no {entry!r}",
                file=request.source,
                fix=f"use one of: {_offered(target, part)}",
            )
        target = getattr(target, part)
    return target


def _offered(target: Any, wanted: str) -> str:
    """Names to take instead, those most like the one that was asked for first."""
    held = [name for name, value in vars(target).items() if name[0] != "_" and callable(value)]
    near = difflib.get_close_matches(wanted, held, n=MAX_OFFERED, cutoff=0.5)
    names = [*near, *(name for name in held if name not in near)]
    return ", ".join(names[:MAX_OFFERED]) + (", …" if len(names) > MAX_OFFERED else "")


class OwnFiles:
    """The files that are a port's own: below its root or of its package, and no other library's.

    An environment may lie below the root, and the root below a library; both are told apart.
    We may lie below it too, and are none of its own.
    """

    def __init__(self, request: LoadRequest) -> None:
        self.folders = (request.root.rstrip(os.sep) + os.sep, *package_folders(request.module))
        self.libraries = tuple(
            folder
            for folder in (*_library_folders(), _OURS)
            if not self.folders[0].startswith(folder)
        )

    def __contains__(self, file: str) -> bool:
        below = file.startswith(self.folders)
        return below and (not file.startswith(self.libraries) or file.startswith(self.folders[1:]))


@functools.cache
def package_folders(module: str | None) -> tuple[str, ...]:
    """Folders of the package that a module belongs to, or the module's only file."""
    spec = importlib.util.find_spec(module.split(".")[0]) if module else None
    if spec is None:
        return ()
    folders = [folder.rstrip(os.sep) + os.sep for folder in spec.submodule_search_locations or ()]
    return tuple(folders) if folders else ((spec.origin,) if spec.origin else ())


@functools.cache
def _library_folders() -> tuple[str, ...]:
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(sorted({sysconfig.get_path(kind).rstrip(os.sep) + os.sep for kind in kinds}))


def failure(request: LoadRequest, error: BaseException, doing: str) -> ModeldocsError:
    """A port's exception as an error that names the last line of the port's own files."""
    frames = traceback.extract_tb(error.__traceback__)
    files = OwnFiles(request)
    own = [frame for frame in frames if frame.filename in files]
    file: str | None = request.source
    line = None
    if isinstance(error, SyntaxError) and str(error.filename) in files:
        file, line = request.relative(str(error.filename)), error.lineno
    elif own:
        file, line = request.relative(own[-1].filename), own[-1].lineno
    reason = _said(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        told, fix = _missing(error.name)
        return ModeldocsError(told, file=file, line=line, fix=fix)
    if isinstance(error, PermissionError):
        fix = "a port may read the model's folder and write to the temporary folder, no others"
    elif isinstance(error, MemoryError) or _NO_MEMORY.search(reason):
        fix = "raise `limits: {memory_mb: …}` of the port in model.yml, or build a smaller one"
    elif _NO_NETWORK.search("\n".join(lines(error))):
        fix = (
            "nothing is downloaded here: turn it off, as with `args: {pretrained: false}` of the "
            "port in model.yml, or keep the file beside the port"
        )
    else:
        fix = "run the file on its own, correct it, and build again"
    return ModeldocsError(f"{doing} raised {reason[:500]}", file=file, line=line, fix=fix)


def _said(error: BaseException) -> str:
    """An exception's type, and what it says first; of one that Keras wraps, what was wrapped."""
    kind, said = type(error).__name__, first_line(error)
    told = lines(error)
    at = next((index for index, line in enumerate(told) if line.endswith(_WRAPPED)), len(told))
    if at + 1 < len(told):
        said = told[at + 1][:300]
    elif said.endswith(":"):
        said = " ".join(told[:2])[:300]
    return f"{kind}: {said}" if said else kind


def _missing(module: str) -> tuple[str, str]:
    """What is told of a module that is not there, and the fix."""
    package = module.partition(".")[0]
    if module != package and importlib.util.find_spec(package) is not None:
        return (
            f"imports {module}, which the installed {package} does not have",
            f"correct the import, or list the version of {package} that has it in `environment:` "
            "of the port in model.yml",
        )
    return (
        f"imports {package}, which is not installed",
        f"install {package}, list it in `environment:` of the port in "
        "model.yml, or keep the file it comes from beside the port",
    )
