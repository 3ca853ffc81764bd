"""Lowerings of operators that a target computes by a short expression of their operands."""

from __future__ import annotations

import ast

from modeldocs.generators import settings, syntax
from modeldocs.generators.site import Lowering, Site


def function(template: str) -> Lowering:
    """An expression of the operands `a`, `b` and `c`."""
    tree = ast.parse(template, mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    read = [name for name in "abc" if name in names]

    def lowering(site: Site) -> ast.expr:
        operands = {name: site.operand("abc".index(name)) for name in read}
        return syntax.expression(template, **operands)

    return lowering


def variadic(template: str) -> Lowering:
    """An operator of any number of operands, two by two: an expression of `a` and `b`."""

    def lowering(site: Site) -> ast.expr:
        operands = [site.operand(slot) for slot in range(settings.count_of_operands(site))]
        result = operands[0]
        for operand in operands[1:]:
            result = syntax.expression(template, a=result, b=operand)
        return result

    return lowering


def remainder(floored: str, truncated: str) -> Lowering:
    """A Mod, of the sign of the divisor or, as in C, of the dividend."""

    def lowering(site: Site) -> ast.expr:
        template = truncated if site.layer.number("fmod", 0) else floored
        return function(template)(site)

    return lowering


def mean(site: Site) -> ast.expr:
    """The mean of several tensors."""
    total, count = variadic("a + b")(site), settings.count_of_operands(site)
    return syntax.expression("total / count", total=total, count=count)


def product(transposed: str) -> Lowering:
    """A product of two tensors, with the third added; `transposed` is `x` with its last two axes
    exchanged.
    """

    def lowering(site: Site) -> ast.expr:
        left, right = site.operand(0), site.operand(1)
        if site.layer.operator == "Gemm" and site.transposes(1):
            right = syntax.expression(transposed, x=right)
        result = syntax.expression("a @ b", a=left, b=right)
        if not site.has(2):
            return result
        return syntax.expression("a + b", a=result, b=site.operand(2))

    return lowering


def subscript(source: ast.expr, items: list[ast.expr]) -> ast.expr:
    """A part of a tensor."""
    index = items[0] if len(items) == 1 else ast.Tuple(elts=items, ctx=ast.Load())
    return ast.Subscript(value=source, slice=index, ctx=ast.Load())


def item(source: ast.expr, place: int) -> ast.expr:
    """One of several results."""
    return subscript(source, [syntax.literal(place)])


def cut(source: ast.expr, slices: dict[int, slice]) -> ast.expr:
    """A part of a tensor, by the slices of its axes, none of which goes backwards."""
    return subscript(source, cuts(slices)) if slices else source


def cuts(slices: dict[int, slice]) -> list[ast.expr]:
    """The items of a subscript, for the slices of axes."""
    items: list[ast.expr] = []
    for axis in range(max(slices) + 1):
        one = slices.get(axis, slice(None))
        step = None if one.step == 1 else one.step
        bounds = (None if b is None else syntax.literal(b) for b in (one.start, one.stop, step))
        items.append(ast.Slice(*bounds))
    return items
