"""Elements and rows at places, in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import indexing, syntax
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.keras.moves import cast
from modeldocs.generators.lowered import TensorForm
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import cut, item
from modeldocs.ir import Transpose


def top_k(site: Site) -> ast.expr:
    """`ops.top_k` along the last axis, of negatives for the smallest."""
    own, shape = indexing.top_k(site), site.shape(0)
    axis, last = int(site.layer.number("axis", -1)) % len(shape), len(shape) - 1
    order = (*(one for one in range(last + 1) if one != axis), axis)
    source = site.data() if axis == last else site.reordered(0, order)
    if not own.is_largest and not indexing.is_float(site):
        raise site.unsupported("Keras has no function for the smallest integers")
    form = None
    if axis != last:
        held = (*(shape[one] for one in order[:-1]), own.count)
        back = (*range(axis), last, *range(axis, last))
        form = TensorForm(held, (Transpose(back),))
    site.gives(*((place, form) for place in own.used))
    if not own.is_largest and own.used != (1,):
        result = call("smallest", source, syntax.literal(own.count))
    else:
        source = source if own.is_largest else syntax.expression("-x", x=source)
        result = call("ops.top_k", source, syntax.literal(own.count))
    return item(result, own.used[0]) if len(own.used) == 1 else result


def gather_elements(site: Site) -> ast.expr:
    """`ops.take_along_axis`, of the part that has indices."""
    axis, sizes = axis_of(site, 0), site.shape(0)
    slices = {
        place: slice(0, count)
        for place, (size, count) in enumerate(zip(sizes, site.shape(1), strict=True))
        if place != axis % len(sizes) and count < size
    }
    source, indices = cut(site.operand(0), slices), _indices(site, (sizes[axis],))
    return call("ops.take_along_axis", source, indices, axis=axis)


def gather_nd(site: Site) -> ast.expr:
    """Parts of a tensor by places in it, by a function of the program."""
    batch = int(site.layer.number("batch_dims", 0))
    indices = _indices(site, site.shape(0)[batch : batch + indexing.depth(site)])
    settings = {"batch_dims": batch} if batch else {}
    return call("gather_nd", site.operand(0), indices, **settings)


def scatter_elements(site: Site) -> ast.expr:
    """`ops.scatter_update` of single elements."""
    axis = int(site.layer.number("axis", 0)) % len(site.shape(0))
    indices = _indices(site, (site.shape(0)[axis],))
    return _put(site, call("places_along", indices, axis=axis))


def scatter_nd(site: Site) -> ast.expr:
    """`ops.scatter_update`."""
    return _put(site, _indices(site, site.shape(0)[: indexing.depth(site)]))


def _put(site: Site, places: ast.expr) -> ast.expr:
    kind = indexing.reduction(site)
    if kind == "mul" and (len(site.shape(1)), site.layer.operator) != (2, "ScatterND"):
        raise site.unsupported("Keras takes one of several factors for the same place")
    settings = {} if kind == "none" else {"reduction": kind}
    return call("ops.scatter_update", site.operand(0), places, site.operand(2), **settings)


def _indices(site: Site, sizes: tuple[int, ...]) -> ast.expr:
    """The indices in slot 1."""
    array = indexing.constant(site, 1, sizes)
    return site.data(1) if array is None else site.lowered.moves.constant(array)


def one_hot(site: Site) -> ast.expr:
    """`ops.one_hot`, of indices counted from the front."""
    own = indexing.one_hot(site)
    indices = site.data()
    if not own.is_front_counted:
        settings = {"x": indices, "depth": own.depth}
        indices = syntax.expression("ops.where(x < 0, x + depth, x)", **settings)
    settings = {} if own.axis == -1 else {"axis": own.axis}
    made = call("ops.one_hot", indices, syntax.literal(own.depth), **settings)
    if (own.off, own.on) != (0, 1):
        settings = {"x": made, "on": own.on, "off": own.off}
        made = syntax.expression("ops.where(ops.equal(x, 1), on, off)", **settings)
    dtype = site.layer.outputs[0].dtype
    return made if dtype == "float32" else cast(made, dtype)


def hardmax(site: Site) -> ast.expr:
    """`ops.one_hot` of the place of the largest value."""
    axis = axis_of(site, -1)
    size = site.shape(0)[int(site.layer.number("axis", -1))]
    settings = {} if axis == -1 else {"axis": axis}
    place = call("ops.argmax", site.data(), axis=axis)
    return call("ops.one_hot", place, syntax.literal(size), **settings)


TABLE: dict[str, Lowering] = {
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Hardmax": hardmax,
    "OneHot": one_hot,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TopK": top_k,
}
