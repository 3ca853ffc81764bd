"""Literals of an expression, with the settings that they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from modeldocs.generators import syntax


def shortest(number: float) -> float:
    """The shortest number that is the same in single precision."""
    return float(str(np.float32(number)))


@dataclass(frozen=True)
class Code:
    """An expression that is computed of arguments, in the place of a literal."""

    text: str


@dataclass(frozen=True)
class Literal:
    """A literal: the name of the setting that it is, the key of its part, and its value."""

    setting: str
    owner: str
    value: object


def literals_of(expression: ast.AST, owner: str, setting: str = "") -> Iterator[Literal]:
    """The literals of an expression, outermost ones, in the order of its fields."""
    one = syntax.constant_of(expression)
    if one is not None:
        yield Literal(setting, owner, one[0])
        return
    for child in ast.iter_child_nodes(expression):
        inner = str(child.arg) if isinstance(child, ast.keyword) else setting
        yield from literals_of(child, owner, inner)
