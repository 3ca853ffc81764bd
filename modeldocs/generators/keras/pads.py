"""Padding in Keras, which adds other pads than those of "same" by a layer of their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import syntax, windows
from modeldocs.generators.site import Site
from modeldocs.generators.syntax import call
from modeldocs.generators.windows import Pads


def padded(site: Site, kernel: Sequence[int]) -> tuple[ast.expr, str]:
    """What a layer with a window reads, and its `padding`; other pads are added before it."""
    amounts = windows.pads(site)
    if not any(map(any, amounts)):
        return site.data(), "valid"
    if windows.is_same(site, kernel, amounts):
        return site.data(), "same"
    return site.before(zero_padding(site.data(), amounts)), "valid"


def zero_padding(source: ast.expr, amounts: Pads) -> ast.expr:
    """`layers.ZeroPadding2D` and its kin."""
    return call(call(f"layers.ZeroPadding{len(amounts)}D", padding=short(amounts)), source)


def short(amounts: Pads) -> object:
    """Amounts for each axis as Keras' layers take them: the fewest numbers that say the same."""
    if len({size for both in amounts for size in both}) == 1:
        return amounts[0][0]
    if len(amounts) == 1:
        return amounts[0]
    if all(before == after for before, after in amounts):
        return tuple(before for before, _ in amounts)
    return amounts


def filled(source: ast.expr, amounts: Pads, value: float) -> ast.expr:
    """Images with a number added around them."""
    width = [[0, 0], *map(list, amounts), [0, 0]]
    return call("ops.pad", source, syntax.literal(width), constant_values=value)
