"""Which function or class of a Python file builds the model, told from its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from modeldocs.errors import ModeldocsError

CONVENTIONAL = ("model", "build", "build_model", "create_model", "get_model", "make_model", "net")
"""Names of functions and classes taken as the entry point, in this order."""


def find(path: Path, model_name: str, base_classes: Iterable[str]) -> str:
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
    written = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _public(n)]
    builders = [n for n in written if _gives(n)]
    modules = [n.name for n in classes if _public(n)]
    functions = [n.name for n in builders]
    candidates = functions + modules
    named = {n.name for n in written} | {*modules} | _assigned(tree)
    for wanted in CONVENTIONAL:
        if wanted in named:
            return wanted
    unused = [name for name in modules if not _is_used(tree, name, [*classes, *builders])]
    if unused:
        functions = [n.name for n in builders if _names(n) & {one.name for one in classes}]
    own = [name for name in candidates if _plain(name) == _plain(model_name)]
    for group in (own, functions, unused):
        if len(group) == 1:
            return group[0]
    found = ", ".join(functions + unused or candidates) or "none"
    raise ModeldocsError(
        f"cannot tell which callable builds the model (candidates: {found})",
        file=path.name,
        fix=f"give one of them as {path.name}:NAME, or as `entry:` of the port in model.yml",
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
            fix="correct the syntax there",
        ) from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise ModeldocsError(f"cannot be read as Python: {error}", file=path.name) from None
