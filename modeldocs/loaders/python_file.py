"""What a Python file imports and assigns, told from its text: it is never run."""

from __future__ import annotations

import ast
from pathlib import Path


def parsed(path: Path) -> ast.Module | None:
    """The syntax tree of a file, None where it cannot be read or is not Python."""
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def assigned(path: Path) -> set[str]:
    """Names that a file gives a value at its top level."""
    targets: list[ast.expr] = []
    for node in _body(path):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return {target.id for target in targets if isinstance(target, ast.Name)}


def imported(path: Path) -> set[str]:
    """First parts of the names of modules that a file imports."""
    names: set[str] = set()
    for node in (inner for outer in _body(path) for inner in ast.walk(outer)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    return names


def _body(path: Path) -> list[ast.stmt]:
    tree = parsed(path)
    return tree.body if tree is not None else []
