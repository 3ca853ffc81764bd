"""The names that a Python file imports or holds in strings, from its syntax tree.

Parsing a package of many files takes seconds, so the names are cached in the user's cache folder by
the digest of the file's content.
"""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs import digest

_names: dict[str, list[str]] = {}
"""Names by the digest of the file that they stand in."""

_unsaved: set[str] = set()
"""Digests of files whose names are not in the user's cache yet."""


def words(data: bytes, package: str) -> list[str]:
    """Names by which a file with that content may reach modules.

    These are the names that it imports, and those of its strings that look like a module of
    `package` or like a Python file (`worker.py`).
    """
    if not _names:
        _names.update(_cached())
    key = digest.of(data)
    if key not in _names:
        _names[key] = sorted(set(_words(ast.parse(data), package)))
        _unsaved.add(key)
    return _names[key]


def save() -> None:
    """Add new names to the user's cache, if that can be written."""
    if not _unsaved:
        return
    file = _file()
    part = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(_cached() | {key: _names[key] for key in _unsaved}))
        part.rename(file)
    _unsaved.clear()


def _cached() -> dict[str, list[str]]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(_file().read_bytes(), type=dict[str, list[str]])
    return {}


def _file() -> Path:
    import platformdirs  # missing in environments, which store no results

    return platformdirs.user_cache_path("modeldocs") / "imports-1.json"


def _words(tree: ast.AST, package: str) -> Iterator[str]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_string(node.value, package)
        elif isinstance(node, ast.If) and _is_for_types(node.test):
            pending.extend(node.orelse)
        else:
            pending.extend(ast.iter_child_nodes(node))


def _in_string(text: str, package: str) -> Iterator[str]:
    dotted = text.startswith(f"{package}.") and text.replace(".", "").isidentifier()
    if dotted or (text.endswith(".py") and text[:-3].isidentifier()):
        yield text


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
