"""Whether a `torch.export` archive only names operators: its reader would look up anything."""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError, first_line

MAX_GRAPH_BYTES = 512 * 2**20
"""A graph's JSON is refused above this: even a model of billions of parameters has a few MB."""

_OPERATOR = re.compile(
    r"torch\.ops\.\w+\.\w+(\.\w+)?"
    r"|_operator\.(add|and_|eq|floordiv|ge|getitem|gt|le|lt|mod|mul|ne|neg|not_|or_|pos|pow|sub"
    r"|truediv)"
    r"|torch\.sym_\w+"
    r"|torch\._check\w*"
    r"|math\.(ceil|floor|trunc|sqrt)"
)
_FUNCTION = re.compile(
    "Symbol|Integer|Rational|Float|Add|Mul|Pow|Abs|Max|Min|Mod|And|Or|Not|Eq|Ne|Le|Lt|Ge|Gt"
    "|Equality|Unequality|LessThan|StrictLessThan|GreaterThan|StrictGreaterThan|floor|ceiling"
    "|FloorDiv|CeilDiv|CleanDiv|ModularIndexing|PythonMod|Where|Identity|LShift|RShift|ToFloat"
    "|TruncToInt|TruncToFloat|RoundToInt|CeilToInt|FloorToInt|IntTrueDiv|FloatTrueDiv|FloatPow"
    "|PowByNatural"
)
"""What formulas of sizes are made of; the reader would call any other function just as well."""

_FORMULA_NODES = (
    ast.Expression, ast.Call, ast.Name, ast.Constant, ast.keyword, ast.Load, ast.BinOp,
    ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_MAX_FORMULA = 20_000
_EXPRESSION_KEYS = ("expr_str", "sym_expr_str")


def check(path: Path, source: str | None) -> None:
    """Read the graphs' JSON, and look at every name of a function and every formula in it.

    Raises:
        ModeldocsError: one is no operator or no formula of sizes, or the JSON cannot be read.
    """
    for held in _graphs(path, source):
        for key, text in _texts(held):
            if key == "target" and _is_function(text) and not _OPERATOR.fullmatch(text):
                raise _suspicious(source, f"calls {text[:80]!r}, which is no operator")
            if key in _EXPRESSION_KEYS and not _is_formula(text):
                raise _suspicious(source, f"has {text[:80]!r} for a size, which is no formula")


def _is_function(target: str) -> bool:
    """Whether a target is looked up; those of parameters are names of the state instead."""
    return target.startswith(("torch", "_operator", "math", "#"))


def _is_formula(text: str) -> bool:
    """Whether a text only computes with sizes."""
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
        and all(_FUNCTION.fullmatch(name) for name in names)
        and all(held.isidentifier() and "__" not in held for held in texts)
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
        said = first_line(error) or type(error).__name__
        raise ModeldocsError(
            f"cannot be read as a torch.export archive: {said}",
            file=source,
            fix="save it again with this version of PyTorch",
        ) from None


def _texts(held: Any) -> Iterator[tuple[str, str]]:
    """Every text in nested JSON, with the key that it stands under; no recursion."""
    waiting: list[tuple[str, Any]] = [("", held)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((key, item) for item in value)
