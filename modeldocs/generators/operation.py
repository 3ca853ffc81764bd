"""What a target makes of a layer: operations, and the members that they use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """A member of a class: a layer of the framework, or a parameter.

    `constructor` makes it, with every setting given by name. `weights` are the names of the
    source's parameters by the name of the attribute that holds them (`weight`); "" is the member
    itself. `name` is what the source calls it.
    """

    key: str
    constructor: ast.expr
    name: str
    weights: dict[str, str] = field(default_factory=dict)


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
