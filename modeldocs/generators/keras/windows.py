"""Padding, strides and dilations of windows in Keras."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import syntax
from modeldocs.generators.site import Site
from modeldocs.generators.syntax import call

Pads = tuple[tuple[int, int], ...]
"""What is added before and after each spatial axis."""


def spatial(site: Site) -> int:
    """The number of spatial axes of what a layer reads.

    Raises:
        NoProgramError: Keras has no such layer for it.
    """
    rank = len(site.shape(0)) - 2
    if rank not in (1, 2, 3):
        raise site.unsupported(f"Keras has no such layer for {rank} spatial axes")
    return rank


def pair(sizes: Sequence[int]) -> int | tuple[int, ...]:
    """Sizes along each axis, as one number where they are equal."""
    return sizes[0] if len(set(sizes)) == 1 else tuple(sizes)


def strides(site: Site) -> tuple[int, ...]:
    """The strides along each spatial axis."""
    return tuple(site.layer.sizes("strides")) or (1,) * spatial(site)


def dilations(site: Site) -> tuple[int, ...]:
    """The dilations along each spatial axis."""
    return tuple(site.layer.sizes("dilations")) or (1,) * spatial(site)


def pads(site: Site) -> Pads:
    """The pads of a layer with a window."""
    rank = spatial(site)
    own = site.layer.sizes("pads") or (0,) * 2 * rank
    return tuple(zip(own[:rank], own[rank:], strict=True))


def is_same(site: Site, kernel: Sequence[int], amounts: Pads) -> bool:
    """Whether pads are those of `padding="same"`, at any size of the image.

    At a stride of 1 they are so by the kernel alone. At others `same` depends on the size, and adds
    more at the end than at the beginning: equal pads are another function at other sizes.
    """
    sizes = zip(site.shape(0)[2:], kernel, strides(site), dilations(site), amounts, strict=True)
    is_any_size = True
    for size, width, stride, dilation, own in sizes:
        windows = -(-size // stride)
        total = max((windows - 1) * stride + dilation * (width - 1) + 1 - size, 0)
        if own != (total // 2, total - total // 2):
            return False
        is_any_size &= stride == 1 or own[0] != own[1] or width <= stride == 1
    return is_any_size


def padded(site: Site, kernel: Sequence[int]) -> tuple[ast.expr, str]:
    """What a layer with a window reads, and its `padding`; other pads are added before it."""
    amounts = pads(site)
    if not any(map(any, amounts)):
        return site.data(), "valid"
    if is_same(site, kernel, amounts):
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
