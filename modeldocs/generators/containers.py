"""Containers of members: lists and sequences, in which equal members are made by a generator."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import syntax

MANY = 3
"""Equal members in a row that a generator makes."""


def members(container: str, constructors: Sequence[ast.expr]) -> ast.expr:
    """A list of members, which `container` makes of a list."""
    texts = {syntax.text(one) for one in constructors}
    if len(texts) == 1 and len(constructors) >= MANY:
        made = syntax.expression(
            "[one for _ in range(n)]", one=constructors[0], n=len(constructors)
        )
        return syntax.call(container, made)
    return syntax.call(container, ast.List(elts=list(constructors), ctx=ast.Load()))


def sequence(container: str, constructors: Sequence[ast.expr]) -> ast.expr:
    """A sequence of members, which `container` makes of its arguments."""
    items: list[ast.expr] = []
    place = 0
    while place < len(constructors):
        text = syntax.text(constructors[place])
        end = place
        while end < len(constructors) and syntax.text(constructors[end]) == text:
            end += 1
        count = end - place
        if count < MANY:
            items += constructors[place:end]
        else:
            repeated = syntax.expression(
                "(one for _ in range(n))", one=constructors[place], n=count
            )
            items.append(ast.Starred(value=repeated, ctx=ast.Load()))
        place = end
    return syntax.call(container, *items)
