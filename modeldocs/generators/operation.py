"""What a target makes of a layer: operations, and the members that they use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from modeldocs.generators.interface import Order


@dataclass(frozen=True)
class HeldWeight:
    """What an attribute of a member holds: a weight as a layer reads it.

    `source` is the name of the source's parameter, or several joined by ` + `. `value` is the name
    of the value of normal form that the layer reads. That has the sizes `axes` if they are given,
    and the attribute holds them in the order `order`, in a shape of its own. With `columns` it
    holds these of the last axis alone, from the first up to the second. With `summed` these are
    that many equal parts, whose sum it holds; with `gates` it holds as many equal parts in that
    order.
    """

    source: str
    value: str
    axes: tuple[int, ...] = ()
    order: Order = ()
    columns: tuple[int, int] | None = None
    summed: int = 1
    gates: tuple[int, ...] = ()


@dataclass(frozen=True)
class Part:
    """A member of a class: a layer of the framework, or a parameter.

    `constructor` makes it, with every setting given by name. `weights` are by the name of the
    attribute that holds them (`weight`); "" is the member itself. `name` is what the source calls
    it.
    """

    key: str
    constructor: ast.expr
    name: str
    weights: dict[str, HeldWeight] = field(default_factory=dict)


@dataclass(frozen=True)
class LoweredOperation:
    """One expression of the program, which computes the tensors `results` for a layer.

    `alone` makes a member that computes the same from one tensor, where the framework has one:
    what a chain of members needs in place of a function. With `loop`, the part is a list of members
    that are called one after the other: the expression calls the list, with what the first of them
    reads, and each of the others reads what the one before it gave in place of its first operand.
    """

    layer: str
    results: tuple[str, ...]
    expression: ast.expr
    parts: tuple[Part, ...] = ()
    alone: ast.expr | None = None
    loop: bool = False
