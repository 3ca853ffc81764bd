"""Modules that read or make tables of tensors."""

from __future__ import annotations

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.torch7.layer import Flow, Layer, emits, shape_of

_ELEMENTWISE = {
    "CAddTable": "Add",
    "CSubTable": "Sub",
    "CMulTable": "Mul",
    "CDivTable": "Div",
    "CMaxTable": "Max",
    "CMinTable": "Min",
}


@emits(*_ELEMENTWISE)
def elementwise(layer: Layer) -> Flow:
    """Tensors of one shape, combined from the first to the last."""
    table, op = layer.table, _ELEMENTWISE[layer.module.builtin]
    shape = shape_of(table[0])
    for value in table[1:]:
        if shape_of(value) != shape:
            raise layer.error(
                f"combines {said(shape)} and {said(shape_of(value))}", "give both one shape"
            )
    if op in ("Sub", "Div") and len(table) != 2:
        raise layer.error(f"reads {len(table)} tensors, it takes two", "give it a pair")
    if op == "Add" and len(table) > 2:
        return layer.node("Sum", table)
    made = table[0]
    for value in table[1:]:
        made = layer.node(op, [made, value])
    return made


@emits("JoinTable")
def join(layer: Layer) -> Flow:
    """Joined along a dimension that may be counted without the batch."""
    table = layer.table
    return cutting.joined(layer, table, _axis(layer, len(shape_of(table[0]))))


def _axis(layer: Layer, rank: int) -> int:
    dim, dims = layer.integer("dimension", least=-8), layer.optional("nInputDims")
    return layer.axis(dim + 1 if dim > 0 and dims is not None and rank == dims + 1 else dim, rank)


@emits("SplitTable")
def split(layer: Layer) -> Flow:
    """Slices of a dimension, without it, as a table."""
    shape = layer.shape()
    axis = _axis(layer, len(shape))
    count = shape[axis]
    if count > 10_000:
        raise layer.error(f"would make a table of {count} tensors", "split a smaller dimension")
    pieces = cutting.split(layer, layer.input, [1] * count, axis)
    flat = shape[:axis] + shape[axis + 1 :]
    return [layer.reshape(piece, flat) for piece in pieces]


def _items(layer: Layer) -> list[Flow]:
    if not isinstance(layer.flow, list):
        raise layer.error("reads one tensor, it takes a table", "make one with nn.ConcatTable")
    return layer.flow


@emits("SelectTable")
def select(layer: Layer) -> Flow:
    """One item of a table, counted from 1 or from the back."""
    items = _items(layer)
    return items[layer.axis(layer.integer("index", least=-(2**20)), len(items))]


@emits("NarrowTable")
def narrow(layer: Layer) -> Flow:
    """Some items of a table."""
    items, first = _items(layer), layer.integer("offset", least=1) - 1
    count = layer.integer("length", 1, least=1)
    if first + count > len(items):
        raise layer.error(
            f"takes items {first + 1} to {first + count} of {len(items)}", "take fewer"
        )
    return items[first : first + count]


@emits("FlattenTable")
def flatten(layer: Layer) -> Flow:
    """A table of tables as one."""

    def flat(items: list[Flow]) -> list[Flow]:
        found: list[Flow] = []
        for item in items:
            found.extend(flat(item) if isinstance(item, list) else [item])
        return found

    return flat(_items(layer))


@emits("MM")
def matrix_product(layer: Layer) -> Flow:
    """A product of two matrices, or of two batches of them."""
    table = layer.table
    ranks = {len(shape_of(value)) for value in table}
    if len(table) != 2 or len(ranks) != 1 or not ranks <= {2, 3}:
        raise layer.error("does not read two matrices", "give it two tensors of 2 or 3 dimensions")
    turned = [
        layer.transpose(value, matrices_turned(len(shape_of(value)))) if layer.flag(name) else value
        for value, name in zip(table, ("transA", "transB"), strict=True)
    ]
    first, second = (shape_of(value) for value in turned)
    if first[-1] != second[-2]:
        raise layer.error(f"multiplies {said(first)} by {said(second)}", "check their sizes")
    return layer.node("MatMul", turned)


@emits("DotProduct")
def dot_product(layer: Layer) -> Flow:
    """The products of two tensors, summed for each of a batch."""
    table = layer.table
    shape = shape_of(table[0])
    if len(table) != 2 or shape != shape_of(table[1]) or len(shape) != 2:
        raise layer.error("does not read two batches of vectors", "give it two of one shape")
    product = layer.node("Mul", table)
    return layer.node("ReduceSum", [product, layer.integers([1])], keepdims=0)
