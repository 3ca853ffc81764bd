"""Elements and rows at places, in JAX."""

from __future__ import annotations

import ast

from modeldocs.generators import indexing, syntax
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.flax.moves import cast
from modeldocs.generators.indexing import OneHot
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method
from modeldocs.generators.templates import cut, item

_METHODS = {"none": "set", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def top_k(site: Site) -> ast.expr:
    """`jax.lax.top_k` where no two values are equal but for the sign of zeros; else `top_k`.

    JAX's own function takes 0 before -0.
    """
    own, axis = indexing.top_k(site), axis_of(site, -1)
    settings = {"k": own.count, "axis": axis}
    if own.is_largest and (own.used == (0,) or indexing.is_positive(site)):
        result = call("jax.lax.top_k", site.data(), **settings)
    else:
        result = call("top_k", site.data(), **settings, largest=own.is_largest)
    if len(own.used) > 1:
        return result
    site.gives((own.used[0], None))
    return item(result, own.used[0])


def gather_elements(site: Site) -> ast.expr:
    """`jnp.take_along_axis`, of the part that has indices."""
    axis = axis_of(site, 0)
    source, indices = elements(site, axis)
    return call("jnp.take_along_axis", source, indices, axis=axis)


def elements(site: Site, axis: int) -> tuple[ast.expr, ast.expr]:
    """What a GatherElements reads, as long as its indices along other axes, and its indices."""
    sizes, own = site.shape(0), site.shape(1)
    last = axis % len(sizes)
    slices = {
        place: slice(0, count)
        for place, (size, count) in enumerate(zip(sizes, own, strict=True))
        if place != last and count < size
    }
    return cut(site.operand(0), slices), _indices(site, (sizes[axis],))


def gather_nd(site: Site) -> ast.expr:
    """An index of one tensor for each axis, or `gather_nd` for each item of a batch."""
    batch = int(site.layer.number("batch_dims", 0))
    indices = _indices(site, site.shape(0)[batch : batch + indexing.depth(site)])
    if batch:
        return call("gather_nd", site.operand(0), indices, batch_dims=batch)
    return syntax.expression("x[places]", x=site.operand(0), places=_places(site, indices))


def scatter_elements(site: Site) -> ast.expr:
    """`Array.at` of the places of single elements."""
    axis = int(site.layer.number("axis", 0)) % len(site.shape(0))
    indices = _indices(site, (site.shape(0)[axis],))
    places = call("places_along", indices, axis=axis)
    return _put(site, places)


def scatter_nd(site: Site) -> ast.expr:
    """`Array.at` of the places of elements or rows."""
    indices = _indices(site, site.shape(0)[: indexing.depth(site)])
    return _put(site, _places(site, indices))


def _put(site: Site, places: ast.expr) -> ast.expr:
    kind = _METHODS[indexing.reduction(site)]
    there = syntax.expression("x.at[places]", x=site.operand(0), places=places)
    return method(there, kind, site.operand(2))


def _indices(site: Site, sizes: tuple[int, ...]) -> ast.expr:
    """The indices in slot 1."""
    array = indexing.constant(site, 1, sizes)
    return site.data(1) if array is None else site.lowered.moves.constant(array)


def _places(site: Site, indices: ast.expr) -> ast.expr:
    """Coordinates along the last axis as a tensor for each, or as one."""
    if indexing.depth(site) == 1:
        return method(indices, "squeeze", -1)
    return call("tuple", call("jnp.moveaxis", indices, syntax.literal(-1), syntax.literal(0)))


def one_hot(site: Site) -> ast.expr:
    """`jax.nn.one_hot`, of indices counted from the front."""
    own = indexing.one_hot(site)
    made = _hot(front_counted(site, own, "jnp"), own)
    dtype = site.layer.outputs[0].dtype
    if (own.off, own.on) == (0, 1):
        return made if dtype == "float32" else cast(made, dtype)
    settings = {"x": made, "on": own.on, "off": own.off}
    made = syntax.expression("jnp.where(x == 1, on, off)", **settings)
    return made if dtype == "float32" else cast(made, dtype)


def front_counted(site: Site, own: OneHot, library: str) -> ast.expr:
    """Indices that count from the back, counted from the front."""
    if own.is_front_counted:
        return site.data()
    template = f"{library}.where(x < 0, x + depth, x)"
    return syntax.expression(template, x=site.data(), depth=own.depth)


def _hot(indices: ast.expr, own: OneHot) -> ast.expr:
    settings = {} if own.axis == -1 else {"axis": own.axis}
    return call("jax.nn.one_hot", indices, syntax.literal(own.depth), **settings)


def hardmax(site: Site) -> ast.expr:
    """`jax.nn.one_hot` of the place of the largest value."""
    axis = axis_of(site, -1)
    size = site.shape(0)[int(site.layer.number("axis", -1))]
    settings = {} if axis == -1 else {"axis": axis}
    place = method(site.data(), "argmax", axis=axis)
    return call("jax.nn.one_hot", place, syntax.literal(size), **settings)


TABLE: dict[str, Lowering] = {
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Hardmax": hardmax,
    "OneHot": one_hot,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TopK": top_k,
}
