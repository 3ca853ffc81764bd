"""The callable that builds a Python port's model: imported and called in a worker only."""

from __future__ import annotations

import contextlib
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Protocol

import modeldocs
from modeldocs.errors import ModeldocsError, first_line, lines
from modeldocs.loaders import LoadRequest, entries, placement, python_file

_OURS = str(Path(modeldocs.__file__).parent) + os.sep

LINE = "_modeldocs_line"
"""The attribute of an object that holds the file and line that constructed it."""

MAX_LISTED = 12
"""Names that a message lists."""

_WRAPPED = "Error encountered:"
"""The end of the line before the message of an exception that Keras wraps."""

_NO_MEMORY = re.compile(r"allocate memory|not enough memory|out of memory", re.I)

_NO_NETWORK = re.compile(
    r"name resolution|resolve host|failed to resolve|Name or service not known"
    r"|Network is unreachable|urlopen error|Max retries exceeded",
    re.I,
)


def import_source(request: LoadRequest) -> ModuleType:
    """Import the file or module of a request. Runs the port's code: worker processes only.

    A file is imported in place: as part of the package around it, if it needs one, else as a script
    that imports from its own folder.

    Raises:
        ModeldocsError: it cannot be imported, with the line of the port that failed.
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
    place = placement.of(path)
    sys.path[:0] = [str(folder) for folder in place.folders]
    if place.package is not None:
        return placement.import_in_package(place)
    name = re.sub(r"\W", "_", path.stem)
    spec = importlib.util.spec_from_file_location(f"port_{name}", path)
    if spec is None or spec.loader is None:
        raise ModeldocsError("is not a Python file", file=path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call(request: LoadRequest, function: Callable[..., Any]) -> Any:
    """The result of `function(**request.args)`.

    JSON and YAML have no tuples: where the call fails with lists, it is tried with tuples.

    Raises:
        ModeldocsError: it raised, with the line of the port that did.
    """
    try:
        return function(**request.args)
    except BaseException as error:
        port_error = failure(request, error, "building the model")
        if not _accepts(function, request.args):
            names = missing(function, request.args)
            example = ", ".join(f'"{name}": …' for name in names) or '"name": value'
            port_error.fix = (
                f"give its arguments as `args:` in model.yml, or as --args '{{{example}}}'"
            )
        args = _with_tuples(request.args)
        if args == request.args or not isinstance(error, (TypeError, ValueError, AssertionError)):
            raise port_error from None
    try:
        return function(**args)
    except Exception:
        raise port_error from None


def _accepts(function: Callable[..., Any], args: dict[str, Any]) -> bool:
    """Whether a function's signature accepts these arguments; True where it has none."""
    try:
        inspect.signature(function).bind(**args)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)  # it has no signature
    return True


def _with_tuples(value: Any) -> Any:
    """A JSON value with tuples in place of its lists."""
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters of a callable; none where its signature is not known."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in signature.parameters.values() if p.kind not in variadic]


def wrong_result(request: LoadRequest, result: Any, wanted: str, it: str) -> ModeldocsError:
    """The error where an entry point returned something that is `wanted`: "not a keras.Model"."""
    return ModeldocsError(
        f"the entry point returned {type(result).__name__}, {wanted}",
        file=request.source,
        fix=f"let it return {it}, or name the right callable as `entry:` in model.yml",
    )


def missing(function: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Parameters that can be passed by name, have no default, and are not given."""
    return [
        p.name
        for p in parameters(function)
        if p.kind is not p.POSITIONAL_ONLY and p.default is p.empty and p.name not in given
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
                fix=f"use one of: {_callable_names(target, part)}",
            )
        target = getattr(target, part)
    return target


def _callable_names(target: Any, similar_to: str) -> str:
    """Names of public callables, the most similar to a name first."""
    public = [name for name, value in vars(target).items() if name[0] != "_" and callable(value)]
    similar = difflib.get_close_matches(similar_to, public, n=MAX_LISTED, cutoff=0.5)
    names = [*similar, *(name for name in public if name not in similar)]
    return ", ".join(names[:MAX_LISTED]) + (", …" if len(names) > MAX_LISTED else "")


class OwnFiles:
    """The files of a port: below its root or in its package, and not of another library.

    An environment, and modeldocs itself, may lie below the root, and the root below a library.
    """

    def __init__(self, request: LoadRequest) -> None:
        self.folders = (request.root.rstrip(os.sep) + os.sep, *package_folders(request.module))
        self.libraries = tuple(
            folder
            for folder in (*_library_folders(), _OURS)
            if not self.folders[0].startswith(folder)
        )

    def __contains__(self, file: str) -> bool:
        is_below = file.startswith(self.folders)
        return is_below and (
            not file.startswith(self.libraries) or file.startswith(self.folders[1:])
        )


class Files(Protocol):
    """A set of files, by name."""

    def __contains__(self, file: str, /) -> bool: ...


def own_frame(frame: FrameType | None, files: Files, created: object = None) -> FrameType | None:
    """The innermost frame in some files, from `frame` outwards, but for methods of `created`."""
    while frame is not None:
        is_method = created is not None and frame.f_locals.get("self") is created
        if frame.f_code.co_filename in files and not is_method:
            return frame
        frame = frame.f_back
    return None


@contextlib.contextmanager
def recorded_lines(kind: Any, files: Files) -> Iterator[None]:
    """Record on objects of a class, in this block, the line in some files that constructed each."""
    original = kind.__init__

    # Without `functools.wraps`: Keras compares two readings of the signature, which would differ.
    def init(created: Any, *args: Any, **kwargs: Any) -> None:
        original(created, *args, **kwargs)
        frame = own_frame(sys._getframe(1), files, created)
        if frame is not None:
            # Frameworks register what is set on their objects as an attribute.
            vars(created).setdefault(LINE, (frame.f_code.co_filename, frame.f_lineno))

    kind.__init__ = init
    try:
        yield
    finally:
        kind.__init__ = original


@functools.cache
def package_folders(module: str | None) -> tuple[str, ...]:
    """Folders of the package that a module belongs to, or the file of a single module."""
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
    """A port's exception as an error that names the innermost line of the port's own files."""
    frames = traceback.extract_tb(error.__traceback__)
    files = OwnFiles(request)
    own = [frame for frame in frames if frame.filename in files]
    file: str | None = request.source
    line = None
    if isinstance(error, SyntaxError) and str(error.filename) in files:
        file, line = request.relative(str(error.filename)), error.lineno
    elif own:
        file, line = request.relative(own[-1].filename), own[-1].lineno
    message = _message(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        reason, fix = _missing_module(error.name)
        return ModeldocsError(reason, file=file, line=line, fix=fix)
    if isinstance(error, PermissionError):
        fix = "a port may read the model's folder and write to the temporary folder, no others"
    elif isinstance(error, MemoryError) or _NO_MEMORY.search(message):
        fix = "raise `limits: {memory_mb: …}` of the port in model.yml, or build a smaller one"
    elif _NO_NETWORK.search("\n".join(lines(error))):
        fix = (
            "nothing is downloaded here: turn it off, as with `args: {pretrained: false}` of the "
            "port in model.yml, or keep the file beside the port"
        )
    else:
        fix = "run the file on its own, correct it, and build again"
    return ModeldocsError(f"{doing} raised {message[:500]}", file=file, line=line, fix=fix)


def _message(error: BaseException) -> str:
    """An exception's type and the first line of its message, or of the one that Keras wrapped."""
    kind, message = type(error).__name__, first_line(error)
    text = lines(error)
    before = next((i for i, line in enumerate(text) if line.endswith(_WRAPPED)), len(text))
    if before + 1 < len(text):
        message = text[before + 1][:300]
    elif message.endswith(":"):
        message = " ".join(text[:2])[:300]
    return f"{kind}: {message}" if message else kind


def _missing_module(module: str) -> tuple[str, str]:
    """The reason and the fix of the error for a module that cannot be found."""
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
