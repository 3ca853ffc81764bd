"""Literals of an expression, with the settings that they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from modeldocs.generators import syntax
from modeldocs.generators.network import Array


def shortest(number: float) -> float:
    """The shortest number that is the same in single precision."""
    single = np.float32(number)
    short = float(str(single))
    # The largest numbers of single precision are shortened to larger ones.
    return short if abs(short) <= float(np.finfo(np.float32).max) else float(single)


def nested(array: Array) -> object:
    """An array as nested lists of the shortest numbers; a number where it has no axes."""
    if array.dtype != np.float32:
        return array.tolist()
    return shortest(float(array)) if not array.ndim else [nested(one) for one in array]


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
