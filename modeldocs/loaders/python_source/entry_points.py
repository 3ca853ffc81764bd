"""The entry point of a Python file: the function or class that builds the model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.python_source import python_file

CONVENTIONAL = ("model", "build", "build_model", "create_model", "get_model", "make_model", "net")
"""Names of functions and classes taken as the entry point, in this order."""


def find(path: Path, model_name: str, base_classes: Iterable[str]) -> str:
    """Name of the function or class in `path` that builds the model, or of the model itself.

    A conventional name wins, then the model's own name (`LeNet` for `lenet`), then the only
    public function that returns something, then the only public class that derives from one of
    `base_classes` and that no other uses. Beside such a class, functions that use no class of the
    file are helpers; a function that returns nothing (`main`) builds no model.

    Raises:
        ModeldocsError: none of these is unique; the candidates are listed.
    """
    tree = python_file.parse(path)
    classes = _derived_classes(tree, set(base_classes))
    public = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _is_public(n)]
    builders = [function for function in public if _returns_value(function)]
    functions = [function.name for function in builders]
    class_names = [node.name for node in classes if _is_public(node)]
    candidates = functions + class_names
    names = {n.name for n in public} | {*class_names} | python_file.assigned_names(tree)
    for name in CONVENTIONAL:
        if name in names:
            return name
    unused = [name for name in class_names if not _is_used(tree, name, [*classes, *builders])]
    if unused:
        own_classes = {node.name for node in classes}
        functions = [node.name for node in builders if _read_names(node) & own_classes]
    own = [name for name in candidates if _letters(name) == _letters(model_name)]
    for group in (own, functions, unused):
        if len(group) == 1:
            return group[0]
    listing = ", ".join(functions + unused or candidates) or "none"
    fix = "give one of them as" if listing != "none" else "call it `model`, or give its name as"
    raise ModeldocsError(
        f"cannot tell which callable builds the model (candidates: {listing})",
        file=path.name,
        fix=f"{fix} {path.name}:NAME, or as `entry:` of the port in model.yml",
    )


def _derived_classes(tree: ast.Module, base_classes: set[str]) -> list[ast.ClassDef]:
    """Classes that derive from one of these, or from a class of the file that does."""
    bases = set(base_classes)
    classes = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _derives(node, bases):
            bases.add(node.name)
            classes.append(node)
    return classes


def _derives(node: ast.ClassDef, bases: set[str]) -> bool:
    return any(ast.unparse(base).split(".")[-1] in bases for base in node.bases)


def _is_public(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return node.name[0] != "_"


def _returns_value(function: ast.FunctionDef) -> bool:
    """Whether it returns a value; functions inside of it do not count."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    return False


def _read_names(node: ast.AST) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_used(tree: ast.Module, name: str, definitions: Iterable[ast.AST]) -> bool:
    """Whether another of these definitions, or an assignment of the file, uses a class."""
    assignments = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    others = [node for node in definitions if getattr(node, "name", None) != name]
    return any(name in _read_names(node) for node in (*others, *assignments))
