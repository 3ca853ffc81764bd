"""Expressions of a program as Python syntax trees, with names that stand for values and parts.

An expression is made before its variables have names: `value("conv-1")` stands for a tensor and
`part("conv-1")` for a member of the class that the expression ends up in. `substitute` puts their
names in.
"""

from __future__ import annotations

import ast
import copy
import functools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

_VALUE, _PART = "value:", "part:"
_EXPONENT = re.compile(r"(?<=\d)e-0(?=\d)")


def value(name: str) -> ast.expr:
    """The tensor of that id."""
    return ast.Name(id=_VALUE + name)


def part(key: str) -> ast.expr:
    """The member of that key: a layer with weights, a parameter, or an instance of a block."""
    return ast.Name(id=_PART + key)


def is_value(node: ast.AST) -> str | None:
    """The id of the tensor that a node stands for; None where it stands for none."""
    is_one = isinstance(node, ast.Name) and node.id.startswith(_VALUE)
    return node.id.removeprefix(_VALUE) if is_one else None  # type: ignore[attr-defined]


def is_part(node: ast.AST) -> str | None:
    """The key of the member that a node stands for; None where it stands for none."""
    is_one = isinstance(node, ast.Name) and node.id.startswith(_PART)
    return node.id.removeprefix(_PART) if is_one else None  # type: ignore[attr-defined]


def values_of(expression: ast.expr) -> list[str]:
    """The ids of the tensors that an expression reads, in order, each as often as it is read."""
    return [name for node in _in_order(expression) if (name := is_value(node)) is not None]


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def literal(constant: object) -> ast.expr:
    """A number, text, None, or a nested tuple or list of them.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(constant, tuple | list):
        items = [literal(item) for item in constant]
        kind = ast.Tuple if isinstance(constant, tuple) else ast.List
        return kind(elts=items, ctx=ast.Load())
    if isinstance(constant, float) and not math.isfinite(constant):
        return ast.parse(f'float("{constant}")', mode="eval").body
    if isinstance(constant, int | float) and not isinstance(constant, bool) and constant < 0:
        return ast.UnaryOp(op=ast.USub(), operand=literal(-constant))
    if isinstance(constant, ast.expr):
        return constant
    if constant is None or isinstance(constant, bool | int | float | str):
        return ast.Constant(value=constant)
    raise TypeError(f"no literal: {constant!r}")


def constant_of(node: ast.AST) -> tuple[object] | None:
    """The value of an expression that is a literal, in a tuple; None where it is none."""
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant_of(node.operand)
        return None if inner is None else (-inner[0],)  # type: ignore[operator]
    if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Store):
        items = [constant_of(item) for item in node.elts]
        known = [item[0] for item in items if item is not None]
        if len(known) < len(items) or not items:
            return None
        return (tuple(known) if isinstance(node, ast.Tuple) else known,)
    return None


@functools.lru_cache(maxsize=1024)
def _parsed(template: str) -> ast.expr:
    return ast.parse(template, mode="eval").body


def expression(template: str, **names: object) -> ast.expr:
    """Python code as an expression; its variables in `names` are replaced by what these are:
    expressions, or constants.
    """
    replacements = {name: literal(one) for name, one in names.items()}
    return replace(
        copy.deepcopy(_parsed(template)),
        lambda node: replacements.get(node.id) if isinstance(node, ast.Name) else None,
    )


def call(function: str | ast.expr, *operands: ast.expr, **settings: object) -> ast.expr:
    """A call with operands by position, then settings by name; a setting `None` is written."""
    callee = expression(function) if isinstance(function, str) else function
    keywords = [ast.keyword(arg=name, value=literal(one)) for name, one in settings.items()]
    return ast.Call(func=callee, args=list(operands), keywords=keywords)


def method(receiver: ast.expr, name: str, *operands: object, **settings: object) -> ast.expr:
    """A call of a method."""
    callee = ast.Attribute(value=receiver, attr=name, ctx=ast.Load())
    return call(callee, *(literal(one) for one in operands), **settings)


def replace(node: ast.expr, replacement: Callable[[ast.AST], ast.expr | None]) -> ast.expr:
    """An expression with each node replaced for which there is a replacement, outermost first."""
    replaced: ast.expr = _Replacer(replacement).visit(node)
    return replaced


class _Replacer(ast.NodeTransformer):
    def __init__(self, replacement: Callable[[ast.AST], ast.expr | None]) -> None:
        self.replacement = replacement

    def visit(self, node: ast.AST) -> Any:
        new = self.replacement(node)
        return self.generic_visit(node) if new is None else new


def substitute(
    node: ast.expr, values: Callable[[str], ast.expr], parts: Callable[[str], ast.expr]
) -> ast.expr:
    """A copy of an expression with the names of its tensors and members in place."""

    def replacement(one: ast.AST) -> ast.expr | None:
        if (name := is_value(one)) is not None:
            return values(name)
        if (key := is_part(one)) is not None:
            return parts(key)
        return None

    return replace(copy.deepcopy(node), replacement)


def text(node: ast.expr) -> str:
    """The code of an expression; small numbers as people write them: `1e-5`."""
    return _EXPONENT.sub("e-", ast.unparse(node))
