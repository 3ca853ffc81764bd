"""Faults of a Python program: one setting, operand or operation of it is another."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_WITHOUT_MEANING = {"name", "rngs", "dtype"}
"""Settings that tell what a layer is called, or how its weights start."""

_OTHER_TEXTS = {
    "same": "valid", "SAME": "VALID", "valid": "same", "VALID": "SAME",
    "relu": "gelu", "gelu": "relu", "tanh": "none", "bilinear": "nearest",
}  # fmt: skip

_OTHER_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip

_INACTIVE = {"Dropout", "Input"}
"""Calls whose numbers do not act at inference, or are no part of the network."""


@dataclass(frozen=True)
class Fault:
    """A program with one fault, and what the fault is."""

    told: str
    code: str


def faults(code: str) -> Iterator[Fault]:
    """The programs that differ from a program in one place."""
    tree = ast.parse(code)
    for index, node in enumerate(_reached(tree)):
        for told, change in _changes(node):
            changed = copy.deepcopy(tree)
            before = ast.unparse(node)
            change(_reached(changed)[index])
            place = f"line {getattr(node, 'lineno', 0)}: {before[:60]}"
            yield Fault(f"{place}: {told}", ast.unparse(changed))


def _reached(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a program but for calls that do not act."""
    found, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and _called(node) in _INACTIVE:
            continue
        found.append(node)
        pending += list(ast.iter_child_nodes(node))[::-1]
    return found


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """What can be changed in a node: what it is, and the function that does it in place."""
    if isinstance(node, ast.Call):
        yield from _changes_of_call(node)
    elif isinstance(node, ast.BinOp):
        other = _OTHER_OPERATIONS.get(type(node.op))
        if other is not None:
            yield f"{other.__name__}", lambda one: setattr(one, "op", other())
        if isinstance(node.op, ast.Sub | ast.Div):
            yield "operands swapped", _swap_operands


def _changes_of_call(node: ast.Call) -> Iterator[tuple[str, Callable[[Any], None]]]:
    for index, keyword in enumerate(node.keywords):
        if keyword.arg in _WITHOUT_MEANING or keyword.arg is None:
            continue
        yield f"{keyword.arg} left out", lambda one, index=index: one.keywords.pop(index)
        for told, value in _other_values(keyword.value):
            yield (
                f"{keyword.arg} is {told}",
                lambda one, index=index, value=value: setattr(one.keywords[index], "value", value),
            )
    for index, argument in enumerate(node.args):
        for told, value in _other_values(argument):
            yield (
                f"setting {index + 1} is {told}",
                lambda one, index=index, value=value: one.args.__setitem__(index, value),
            )
    names = [index for index, one in enumerate(node.args) if isinstance(one, ast.Name)]
    if len(names) >= 2 and ast.unparse(node.args[names[0]]) != ast.unparse(node.args[names[1]]):
        yield "operands swapped", lambda one: _swap(one.args, names[0], names[1])


def _other_values(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Other values of a setting that is written as a literal."""
    if isinstance(node, ast.Tuple | ast.List):
        texts = [ast.unparse(one) for one in node.elts]
        if texts != texts[::-1]:
            turned = copy.deepcopy(node)
            turned.elts.reverse()
            yield ast.unparse(turned), turned
        return
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    other: object = None
    if isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 1
    elif isinstance(value, float):
        other = value * 2
    elif isinstance(value, str):
        other = _OTHER_TEXTS.get(value)
    if other is not None:
        yield repr(other), ast.Constant(other)


def _swap_operands(node: ast.BinOp) -> None:
    node.left, node.right = node.right, node.left


def _swap(items: list[ast.expr], a: int, b: int) -> None:
    items[a], items[b] = items[b], items[a]
