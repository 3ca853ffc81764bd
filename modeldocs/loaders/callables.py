"""The callable of a Python port: found by reading the source, imported only in a worker."""

from __future__ import annotations

import ast
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

import msgspec

import modeldocs
from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest, placement

CONVENTIONAL = ("model", "build", "build_model", "create_model", "get_model", "make_model", "net")
"""Names of functions and classes taken as the entry point, in this order."""

_OURS = str(Path(modeldocs.__file__).parent) + os.sep

_NO_MEMORY = re.compile(r"allocate memory|not enough memory|out of memory", re.I)


def parse(path: Path) -> ast.Module:
    """The file's syntax tree.

    Raises:
        ModeldocsError: it cannot be read, or is not Python.
    """
    try:
        return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        raise ModeldocsError(
            f"not valid Python: {error.msg}",
            file=path.name,
            line=error.lineno,
            column=error.offset,
            mend="correct the syntax there",
        ) from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise ModeldocsError(f"cannot be read as Python: {error}", file=path.name) from None


def imports(path: Path, package: str) -> bool:
    """Whether a Python file imports `package`, by its text alone."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"^\s*(?:import|from)\s+{re.escape(package)}\b", text, re.M) is not None


def find_entry(path: Path, model_name: str, base_classes: Iterable[str]) -> str:
    """Name of the function or class in `path` that builds the model, or of the model itself.

    A conventional name wins, then the model's own name (`LeNet` for `lenet`), then the only
    public function that gives something back, then the only public class that derives from one of
    `base_classes` and that no other uses. Beside such a class, functions that use no class of the
    file are helpers; what gives nothing back (`main`) builds none.

    Raises:
        ModeldocsError: none stands out; the candidates are listed.
    """
    tree = parse(path)
    classes = _deriving(tree, set(base_classes))
    builders = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _public(n) and _gives(n)]
    modules = [n.name for n in classes if _public(n)]
    functions = [n.name for n in builders]
    candidates = functions + modules
    for wanted in CONVENTIONAL:
        if wanted in candidates or wanted in _assigned(tree):
            return wanted
    unused = [name for name in modules if not _is_used(tree, name, [*classes, *builders])]
    if unused:
        functions = [n.name for n in builders if _names(n) & {one.name for one in classes}]
    named = [name for name in candidates if _plain(name) == _plain(model_name)]
    for group in (named, functions, unused):
        if len(group) == 1:
            return group[0]
    found = ", ".join(functions + unused or candidates) or "none"
    raise ModeldocsError(
        f"which callable builds the model is not clear (candidates: {found})",
        file=path.name,
        mend=f"give one of them as {path.name}:NAME, or as `entry:` of the port in model.yml",
    )


def _deriving(tree: ast.Module, base_classes: set[str]) -> list[ast.ClassDef]:
    """Classes that derive from one of these, or from a class of the file that does."""
    known, found = set(base_classes), []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _derives(node, known):
            known.add(node.name)
            found.append(node)
    return found


def _public(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return node.name[0] != "_"


def _gives(function: ast.FunctionDef) -> bool:
    """Whether it gives something back; what a function inside of it does is not its own."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False


def _names(node: ast.AST) -> set[str]:
    """Names that code reads."""
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    }


def _assigned(tree: ast.Module) -> set[str]:
    """Names that the file gives a value at top level: a module that is built already."""
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _derives(node: ast.ClassDef, base_classes: set[str]) -> bool:
    return any(ast.unparse(base).split(".")[-1] in base_classes for base in node.bases)


def _is_used(tree: ast.Module, name: str, others: Iterable[ast.AST]) -> bool:
    """Whether another of these, or a value that the file assigns, uses a class."""
    assigned = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    used = [node for node in (*others, *assigned) if getattr(node, "name", None) != name]
    return any(name in _names(node) for node in used)


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
    parse(path)
    placed = placement.of(path)
    sys.path[:0] = [str(folder) for folder in placed.folders]
    if placed.package is not None:
        return placement.module(placed)
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
            mend = f"give its arguments as `args:` in model.yml, or as --args '{{{wanted}}}'"
            told = ModeldocsError(told.reason, file=told.file, line=told.line, mend=mend)
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
                f"{request.module} names no callable", mend=f"write {request.module}:CALLABLE"
            )
        entry = find_entry(Path(request.path), request.name, base_classes)
    target: Any = module
    for part in entry.split("."):
        if not hasattr(target, part):
            raise ModeldocsError(
                f"has no {entry!r}",
                file=request.source,
                mend=f"use one of: {', '.join(n for n in vars(module) if n[0] != '_')}",
            )
        target = getattr(target, part)
    return target


def declared_inputs(
    request: LoadRequest, declared: Any, example: str
) -> dict[str, tuple[int, ...]]:
    """The shapes that a port's own constant `INPUTS` declares, by name of the argument.

    Raises:
        ModeldocsError: it is something else than `example` is.
    """
    try:
        return msgspec.convert(declared, dict[str, tuple[int, ...]])
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"its INPUTS is no shape by name of the argument: {error}",
            file=request.source,
            mend=f"write it as `INPUTS = {example}`",
        ) from None


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
        told, mend = _missing(error.name)
        return ModeldocsError(told, file=file, line=line, mend=mend)
    if isinstance(error, PermissionError):
        mend = "a port may read the model's folder and write to the temporary folder, no others"
    elif isinstance(error, MemoryError) or _NO_MEMORY.search(reason):
        mend = "raise `limits: {memory_mb: …}` of the port in model.yml, or build a smaller one"
    else:
        mend = "run the file on its own, correct it, and build again"
    return ModeldocsError(f"{doing} raised {reason[:500]}", file=file, line=line, mend=mend)


def _said(error: BaseException) -> str:
    """An exception's type, and what it says first."""
    kind, said = type(error).__name__, first_line(error)
    return f"{kind}: {said}" if said else kind


def _missing(module: str) -> tuple[str, str]:
    """What is told of a module that is not there, and the mend."""
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
