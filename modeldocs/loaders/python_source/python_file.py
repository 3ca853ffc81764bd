"""The text of a Python file: its syntax tree, imports and names. The file is never run."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

from modeldocs.errors import ModeldocsError


class Imports(NamedTuple):
    """First parts of the names that a file imports; `level` is how far up relative ones reach."""

    absolute: set[str]
    relative: set[str]
    level: int


class ImportStatement(NamedTuple):
    """`from module import names`, or `import module`; `level` is the number of leading dots."""

    level: int
    module: str
    names: tuple[str, ...]

    @property
    def firsts(self) -> set[str]:
        """First parts of the names of modules."""
        return {name.split(".")[0] for name in ((self.module,) if self.module else self.names)}


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


def imports(path: Path) -> Imports:
    """What a file imports; nothing where it cannot be parsed."""
    found = import_statements(path)
    return Imports(
        {first for one in found if not one.level for first in one.firsts},
        {first for one in found if one.level for first in one.firsts},
        max((one.level for one in found), default=0),
    )


def import_statements(path: Path) -> list[ImportStatement]:
    """The imports of a file, in functions as well; none where it cannot be parsed."""
    found = []
    try:
        nodes = list(ast.walk(parse(path)))
    except ModeldocsError:
        nodes = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [ImportStatement(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            found.append(ImportStatement(node.level, node.module or "", names))
    return found


def mentions_import(path: Path, package: str) -> bool:
    """Whether a line of a file imports `package`, even where the file is no valid Python."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"^\s*(?:import|from)\s+{re.escape(package)}\b", text, re.M) is not None


def assigned_names(tree: ast.Module) -> set[str]:
    """Names that are assigned at the top level."""
    targets: list[ast.expr] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets.append(node.target)
    return {target.id for target in targets if isinstance(target, ast.Name)}
