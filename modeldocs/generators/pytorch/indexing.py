"""Elements and rows at places, in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import indexing, syntax
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.lowered import TensorForm
from modeldocs.generators.pytorch.moves import cast
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method
from modeldocs.generators.templates import item
from modeldocs.ir import Transpose

_REDUCTIONS = {"mul": "prod", "max": "amax", "min": "amin"}


def top_k(site: Site) -> ast.expr:
    """`torch.topk` of values alone; with their places `top_k`, which takes the first of equal ones.

    PyTorch's own function says nothing of the order of equal values.
    """
    own = indexing.top_k(site)
    settings = {"k": own.count, "dim": axis_of(site, -1), "largest": own.is_largest}
    if own.used == (0,):
        site.gives((0, None))
        return item(call("torch.topk", site.data(), **settings), 0)
    result = call("top_k", site.data(), **settings)
    if own.used == (1,):
        site.gives((1, None))
        return item(result, 1)
    return result


def gather_elements(site: Site) -> ast.expr:
    """`torch.gather`."""
    axis = axis_of(site, 0)
    indices = _indices(site, (site.shape(0)[axis],))
    return call("torch.gather", site.operand(0), syntax.literal(axis), indices)


def gather_nd(site: Site) -> ast.expr:
    """An index of one tensor for each axis, or `gather_nd` for each item of a batch."""
    batch = int(site.layer.number("batch_dims", 0))
    sizes = site.shape(0)[batch : batch + indexing.depth(site)]
    indices = _indices(site, sizes)
    if batch:
        return call("gather_nd", site.operand(0), indices, batch_dims=batch)
    return syntax.expression("x[places]", x=site.operand(0), places=_places(site, indices))


def scatter_elements(site: Site) -> ast.expr:
    """`Tensor.scatter`, `Tensor.scatter_add` or `Tensor.scatter_reduce`."""
    axis, kind = axis_of(site, 0), indexing.reduction(site)
    indices = _indices(site, (site.shape(0)[axis],))
    operands = (axis, indices, site.operand(2))
    if kind in _REDUCTIONS:
        settings = {"reduce": _REDUCTIONS[kind]}
        return method(site.operand(0), "scatter_reduce", *operands, **settings)
    return method(site.operand(0), "scatter_add" if kind == "add" else "scatter", *operands)


def scatter_nd(site: Site) -> ast.expr:
    """`Tensor.index_put`."""
    kind = indexing.reduction(site)
    if kind not in ("none", "add"):
        raise site.unsupported(f"PyTorch puts no rows of several axes with a reduction {kind}")
    indices = _indices(site, site.shape(0)[: indexing.depth(site)])
    settings = {"accumulate": True} if kind == "add" else {}
    places = _places(site, indices)
    if indexing.depth(site) == 1:
        places = ast.Tuple(elts=[places], ctx=ast.Load())
    return method(site.operand(0), "index_put", places, site.operand(2), **settings)


def _indices(site: Site, sizes: tuple[int, ...]) -> ast.expr:
    """The indices in slot 1, which PyTorch wants to be integers of 64 bits."""
    array = indexing.constant(site, 1, sizes)
    if array is not None:
        return site.lowered.moves.constant(array)
    return _long(site, 1)


def _long(site: Site, slot: int) -> ast.expr:
    edge = site.edge(slot)
    source = site.data(slot)
    return source if edge is not None and edge.type.dtype == "int64" else cast(source, "int64")


def _places(site: Site, indices: ast.expr) -> ast.expr:
    """Coordinates along the last axis as a tensor for each, or as one."""
    if indexing.depth(site) == 1:
        return method(indices, "squeeze", -1)
    return call("tuple", method(indices, "unbind", -1))


def one_hot(site: Site) -> ast.expr:
    """`F.one_hot`, which knows indices of places alone; else `one_hot`, as of any."""
    own = indexing.one_hot(site)
    name = "F.one_hot" if own.is_in_range else "one_hot"
    made = call(name, _long(site, 0), syntax.literal(own.depth))
    rank = len(site.shape(0)) + 1
    if own.axis != -1:
        shape = (*site.shape(0), own.depth)
        order = (*range(own.axis), rank - 1, *range(own.axis, rank - 1))
        site.gives((0, TensorForm(shape, (Transpose(order),))))
    dtype = site.layer.outputs[0].dtype
    if (own.off, own.on) == (0, 1):
        return made if dtype == "int64" and own.is_in_range else cast(made, dtype)
    condition = syntax.expression("x == 1", x=made) if own.is_in_range else made
    result = call("torch.where", condition, syntax.literal(own.on), syntax.literal(own.off))
    return result if dtype == "float32" else cast(result, dtype)


def hardmax(site: Site) -> ast.expr:
    """`F.one_hot` of the place of the largest value."""
    axis = axis_of(site, -1)
    size, rank = site.shape(0)[axis], len(site.shape(0))
    if axis != -1:
        shape = tuple(one for place, one in enumerate(site.shape(0)) if place != axis)
        order = (*range(axis), rank - 1, *range(axis, rank - 1))
        site.gives((0, TensorForm((*shape, size), (Transpose(order),))))
    made = call("F.one_hot", method(site.data(), "argmax", dim=axis), syntax.literal(size))
    return cast(made, site.layer.outputs[0].dtype)


TABLE: dict[str, Lowering] = {
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Hardmax": hardmax,
    "OneHot": one_hot,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TopK": top_k,
}
