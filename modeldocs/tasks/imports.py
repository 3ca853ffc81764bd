"""What a Python file imports, or names in a string, read off its syntax tree.

Trees take seconds for a package of many files, so what was found is kept in the user's cache, by
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

_known: dict[str, list[str]] = {}
_fresh: set[str] = set()


def words(data: bytes, package: str) -> list[str]:
    """Names that a file may reach modules by: imported, or in strings that look like one.

    Of a string, names of modules of `package` count, and names of Python files (`worker.py`).
    """
    if not _known:
        _known.update(_read())
    name = digest.of(data)
    if name not in _known:
        _known[name] = sorted(set(_words(ast.parse(data), package)))
        _fresh.add(name)
    return _known[name]


def keep() -> None:
    """Write what was found since to the user's cache; nothing where that cannot be written."""
    if not _fresh:
        return
    file = _file()
    part = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(_read() | {name: _known[name] for name in _fresh}))
        part.rename(file)
    _fresh.clear()


def _read() -> dict[str, list[str]]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(_file().read_bytes(), type=dict[str, list[str]])
    return {}


def _file() -> Path:
    import platformdirs  # not there in an environment, which keeps no results

    return platformdirs.user_cache_path("modeldocs") / "imports-1.json"


def _words(tree: ast.AST, package: str) -> Iterator[str]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_string(node.value, package)
        elif isinstance(node, ast.If) and _is_for_types(node.test):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _in_string(text: str, package: str) -> Iterator[str]:
    dotted = text.startswith(f"{package}.") and text.replace(".", "").isidentifier()
    if dotted or (text.endswith(".py") and text[:-3].isidentifier()):
        yield text


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
