"""Containers of members: lists and sequences, in which members alike are made by a generator."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from modeldocs.generators import syntax

MANY = 3
"""Equal members in a row that a generator makes."""

_COUNTED = 4
"""Members in a row whose only difference is a number that counts up, from which one makes them."""

_NUMBER = "n"
"""The name of that number."""


def members(container: str, constructors: Sequence[ast.expr]) -> ast.expr:
    """A list of members, which `container` makes of a list."""
    count = len(constructors)
    if count >= MANY and _equal(constructors, 0) == count:
        made = syntax.expression("[one for _ in range(n)]", one=constructors[0], n=count)
        return syntax.call(container, made)
    return syntax.call(container, ast.List(elts=list(constructors), ctx=ast.Load()))


def sequence(container: str, constructors: Sequence[ast.expr]) -> ast.expr:
    """A sequence of members, which `container` makes of its arguments."""
    items: list[ast.expr] = []
    place = 0
    while place < len(constructors):
        count = _equal(constructors, place)
        counted = _counted(constructors[place:]) if count == 1 else None
        if counted is not None:
            count, made = counted
            items.append(ast.Starred(value=made, ctx=ast.Load()))
        elif count < MANY:
            items += constructors[place : place + count]
        else:
            names = {"one": constructors[place], "n": count}
            made = syntax.expression("(one for _ in range(n))", **names)
            items.append(ast.Starred(value=made, ctx=ast.Load()))
        place += count
    return syntax.call(container, *items)


def _equal(constructors: Sequence[ast.expr], place: int) -> int:
    """How many constructors from a place on are equal."""
    text = syntax.text(constructors[place])
    end = place
    while end < len(constructors) and syntax.text(constructors[end]) == text:
        end += 1
    return end - place


def _counted(constructors: Sequence[ast.expr]) -> tuple[int, ast.expr] | None:
    """How many leading constructors differ in one number that counts up alone, and the generator
    that makes them; None where they are few.
    """
    settings = [_integers(one) for one in constructors[:2]]
    if len(settings) < 2 or settings[0].keys() != settings[1].keys():
        return None
    differing = [name for name, size in settings[0].items() if settings[1][name] != size]
    if len(differing) != 1:
        return None
    (name,) = differing
    first = settings[0][name]
    step = settings[1][name] - first
    count = 0
    while count < len(constructors) and _with(constructors[0], name, first + count * step) == (
        syntax.text(constructors[count])
    ):
        count += 1
    if count < _COUNTED:
        return None
    template = "(one for n in range(first, end, step))"
    bounds = {"first": first, "end": first + count * step, "step": step}
    made = syntax.expression(template, one=_replaced(constructors[0], name), **bounds)
    return count, made


def _integers(constructor: ast.expr) -> dict[str, int]:
    """The settings of a constructor that are integers, by name."""
    if not isinstance(constructor, ast.Call):
        return {}
    found = {str(one.arg): syntax.constant_of(one.value) for one in constructor.keywords}
    return {name: one[0] for name, one in found.items() if one and type(one[0]) is int}


def _with(constructor: ast.expr, name: str, size: int) -> str:
    """The code of a constructor with another number."""
    return syntax.text(_replaced(constructor, name, syntax.literal(size)))


def _replaced(constructor: ast.expr, name: str, value: ast.expr | None = None) -> ast.expr:
    """A constructor with a setting replaced; by the number that counts up where none is given."""
    changed = copy.deepcopy(constructor)
    assert isinstance(changed, ast.Call)
    for one in changed.keywords:
        if one.arg == name:
            one.value = value if value is not None else ast.Name(id=_NUMBER)
    return changed
