"""Safety of `torch.export` archives: they may name operators only.

torch's reader would look up and call any other Python function that an archive names.
"""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.pytorch.source import ArchiveKind, unreadable

MAX_GRAPH_BYTES = 512 * 2**20
"""Largest JSON of a graph that is read: a model of billions of parameters has a few MB."""

_OPERATOR_NAME = re.compile(
    r"torch\.ops\.\w+\.\w+(\.\w+)?"
    r"|_operator\.(add|and_|eq|floordiv|ge|getitem|gt|le|lt|mod|mul|ne|neg|not_|or_|pos|pow|sub"
    r"|truediv)"
    r"|torch\.sym_\w+"
    r"|torch\._check\w*"
    r"|math\.(ceil|floor|trunc|sqrt)"
)
_SIZE_FUNCTION = re.compile(
    "Symbol|Integer|Rational|Float|Add|Mul|Pow|Abs|Max|Min|Mod|And|Or|Not|Eq|Ne|Le|Lt|Ge|Gt"
    "|Equality|Unequality|LessThan|StrictLessThan|GreaterThan|StrictGreaterThan|floor|ceiling"
    "|FloorDiv|CeilDiv|CleanDiv|ModularIndexing|PythonMod|Where|Identity|LShift|RShift|ToFloat"
    "|TruncToInt|TruncToFloat|RoundToInt|CeilToInt|FloorToInt|IntTrueDiv|FloatTrueDiv|FloatPow"
    "|PowByNatural"
)
"""Functions that symbolic sizes may call."""

_FORMULA_NODES = (
    ast.Expression, ast.Call, ast.Name, ast.Constant, ast.keyword, ast.Load, ast.BinOp,
    ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_MAX_FORMULA = 20_000
_EXPRESSION_KEYS = ("expr_str", "sym_expr_str")


def check(path: Path, source: str | None) -> None:
    """Check every function name and every symbolic size in the JSON of an archive's graphs.

    Raises:
        ModeldocsError: one is no operator or no formula of sizes, or the JSON cannot be read.
    """
    for graph in _graphs(path, source):
        for key, text in _texts(graph):
            if key == "target" and _is_function(text) and not _OPERATOR_NAME.fullmatch(text):
                raise _suspicious(source, f"calls {text[:80]!r}, which is no operator")
            if key in _EXPRESSION_KEYS and not _is_formula(text):
                raise _suspicious(source, f"has {text[:80]!r} for a size, which is no formula")


def _is_function(target: str) -> bool:
    """Whether a target is looked up as a function; those of parameters are keys of the state."""
    return target.startswith(("torch", "_operator", "math", "#"))


def _is_formula(text: str) -> bool:
    """Whether a text is an expression that only computes with sizes."""
    if len(text) > _MAX_FORMULA:
        return False
    try:
        nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    names = [node.id for node in called if isinstance(node, ast.Name)]
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return (
        all(isinstance(node, _FORMULA_NODES) for node in nodes)
        and len(names) == len(called)
        and all(_SIZE_FUNCTION.fullmatch(name) for name in names)
        and all(text.isidentifier() and "__" not in text for text in texts)
    )


def _suspicious(source: str | None, reason: str) -> ModeldocsError:
    return ModeldocsError(reason, file=source, fix="export the module again, from its own code")


def _graphs(path: Path, source: str | None) -> Iterator[Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                inner = info.filename.partition("/")[2]
                if inner.startswith("models/") and inner.endswith(".json"):
                    if info.file_size > MAX_GRAPH_BYTES:
                        raise ValueError(f"its graph takes {info.file_size} bytes")
                    yield msgspec.json.decode(archive.read(info))
    except ModeldocsError:
        raise
    except Exception as error:
        raise unreadable(source, ArchiveKind.EXPORT, error) from None


def _texts(document: Any) -> Iterator[tuple[str, str]]:
    """Every text in nested JSON with its key, or that of the list that it is in.

    Without recursion: how deep a document nests is up to its author.
    """
    pending: list[tuple[str, Any]] = [("", document)]
    while pending:
        key, value = pending.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            pending.extend(value.items())
        elif isinstance(value, list):
            pending.extend((key, item) for item in value)
