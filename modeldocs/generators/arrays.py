"""Operations that libraries with NumPy's interface have alike: `jax.numpy` and `keras.ops`."""

from __future__ import annotations

import ast

from modeldocs.generators import settings as settings_of
from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import cut


def axis_of(site: Site, default: int) -> int:
    """The layer's axis as the program counts it; the last one is -1."""
    axis = site.place(int(site.layer.number("axis", default)))
    return -1 if axis == len(site.order or site.shape(0)) - 1 else axis


def split(library: str) -> Lowering:
    """`split`, into equal parts or at places."""

    def lowering(site: Site) -> ast.expr:
        axis = int(site.layer.number("axis", 0)) % len(site.shape(0))
        sizes = [int((one.shape or ())[axis] or 0) for one in site.layer.outputs]
        places = [sum(sizes[: end + 1]) for end in range(len(sizes) - 1)]
        parts: object = len(sizes) if len(set(sizes)) == 1 else places
        return call(f"{library}.split", site.data(), syntax.literal(parts), axis=axis_of(site, 0))

    return lowering


def expand(library: str) -> Lowering:
    """`broadcast_to`."""

    def lowering(site: Site) -> ast.expr:
        shape = site.layer.outputs[0].shape or ()
        if not all(isinstance(dim, int) for dim in shape):
            raise site.unsupported("its size is computed")
        return call(f"{library}.broadcast_to", site.operand(0), syntax.literal(tuple(shape)))

    return lowering


def tile(library: str) -> Lowering:
    """`tile`."""

    def lowering(site: Site) -> ast.expr:
        repeats = site.integers(1)
        if repeats is None:
            raise site.unsupported("how often it repeats is computed")
        return call(f"{library}.tile", site.data(), syntax.literal(tuple(repeats)))

    return lowering


def cumsum(library: str) -> Lowering:
    """`cumsum`, backwards between flips; without the value itself of what is shifted by one."""

    def lowering(site: Site) -> ast.expr:
        number, rank = site.number(1), len(site.shape(0))
        if number is None:
            raise site.unsupported("the axis along which it sums is computed")
        axis, source = site.place(int(number)), site.data()
        is_reversed = bool(site.layer.number("reverse", 0))
        if is_reversed:
            source = call(f"{library}.flip", source, axis=axis)
        if site.layer.number("exclusive", 0):
            slices = {0: slice(None), 1: slice(None)} if rank > 1 else {}
            kept = cut(source, slices | {axis: slice(None, -1)})
            width = [[1, 0] if one == axis else [0, 0] for one in range(rank)]
            source = call(f"{library}.pad", kept, syntax.literal(width))
        total = call(f"{library}.cumsum", source, axis=axis)
        return call(f"{library}.flip", total, axis=axis) if is_reversed else total

    return lowering


def trilu(library: str) -> Lowering:
    """`triu` or `tril`."""

    def lowering(site: Site) -> ast.expr:
        name = "triu" if site.layer.number("upper", 1) else "tril"
        diagonal = int(site.number(1) or 0)
        settings = {"k": diagonal} if diagonal else {}
        return call(f"{library}.{name}", site.operand(0), **settings)

    return lowering


def einsum(library: str) -> Lowering:
    """`einsum`."""

    def lowering(site: Site) -> ast.expr:
        operands = (site.operand(slot) for slot in range(settings_of.count_of_operands(site)))
        equation = syntax.literal(str(site.attributes["equation"]))
        return call(f"{library}.einsum", equation, *operands)

    return lowering


def power(library: str, source: ast.expr, order: int) -> ast.expr:
    """The elements of a norm of an order, before they are added."""
    if order == 2:
        return call(f"{library}.square", source)
    template = f"{library}.abs(x)" if order == 1 else f"{library}.abs(x) ** p"
    return syntax.expression(template, x=source, p=order)


def root(library: str, source: ast.expr, order: int) -> ast.expr:
    """The norm of an order, of the sum of its elements."""
    if order == 2:
        return call(f"{library}.sqrt", source)
    return source if order == 1 else syntax.expression("x ** (1 / p)", x=source, p=order)
