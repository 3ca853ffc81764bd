"""Emitters of Torch7's modules that read or return tables of tensors."""

from __future__ import annotations

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.torch7.operation import (
    Flow,
    TorchOperation,
    emits,
    renames,
    shape_of,
    tensors,
)

MAX_ITEMS = 10_000
"""Items of the largest table that is drawn."""

_ELEMENTWISE = {
    "CAddTable": "Add",
    "CSubTable": "Sub",
    "CMulTable": "Mul",
    "CDivTable": "Div",
    "CMaxTable": "Max",
    "CMinTable": "Min",
}


@renames(_ELEMENTWISE)
def elementwise(op: TorchOperation, operator: str) -> Flow:
    """An operation on tensors of one shape, from the first to the last."""
    table, kind = op.table, operator
    shape = shape_of(table[0])
    for value in table[1:]:
        if shape_of(value) != shape:
            raise op.error(
                f"combines {as_text(shape)} and {as_text(shape_of(value))}", "give both one shape"
            )
    if kind in ("Sub", "Div") and len(table) != 2:
        raise op.error(f"reads {len(table)} tensors, it takes two", "give it a pair")
    if kind == "Add" and len(table) > 2:
        return op.node("Sum", table)
    result = table[0]
    for value in table[1:]:
        result = op.node(kind, [result, value])
    return result


@emits("JoinTable")
def join(op: TorchOperation) -> Flow:
    """Concat along a dimension."""
    axis = op.item_axis("dimension", rank=len(shape_of(op.table[0])))
    return cutting.joined(op, op.table, axis)


@emits("SplitTable")
def split(op: TorchOperation) -> Flow:
    """The slices of a dimension, without it, as a table."""
    shape = op.shape()
    axis = op.item_axis("dimension", rank=len(shape))
    if shape[axis] > MAX_ITEMS:
        raise op.error(f"would make a table of {shape[axis]} tensors", "split a smaller dimension")
    return cutting.unstack(op, op.input(), axis)


def _items(op: TorchOperation) -> list[Flow]:
    if not isinstance(op.flow, list):
        raise op.error("reads one tensor, it takes a table", "make one with nn.ConcatTable")
    return op.flow


@emits("SelectTable")
def select(op: TorchOperation) -> Flow:
    """One item of a table, counted from 1 or from the back."""
    items = _items(op)
    return items[op.axis(op.integer("index", least=-(2**20)), len(items))]


@emits("NarrowTable")
def narrow(op: TorchOperation) -> Flow:
    """Some items of a table."""
    items, first = _items(op), op.integer("offset", least=1) - 1
    count = op.integer("length", 1, least=1)
    if first + count > len(items):
        raise op.error(f"takes items {first + 1} to {first + count} of {len(items)}", "take fewer")
    return items[first : first + count]


@emits("FlattenTable")
def flatten(op: TorchOperation) -> Flow:
    """A table of tables as one table of all their tensors."""
    return tensors(_items(op))


@emits("MM")
def matrix_product(op: TorchOperation) -> Flow:
    """MatMul of two matrices, or of two batches of matrices."""
    table = op.table
    ranks = {len(shape_of(value)) for value in table}
    if len(table) != 2 or len(ranks) != 1 or not ranks <= {2, 3}:
        raise op.error("does not read two matrices", "give it two tensors of 2 or 3 dimensions")
    factors = [
        op.transpose(value, matrices_turned(len(shape_of(value)))) if op.flag(name) else value
        for value, name in zip(table, ("transA", "transB"), strict=True)
    ]
    first, second = (shape_of(value) for value in factors)
    if first[-1] != second[-2]:
        raise op.error(f"multiplies {as_text(first)} by {as_text(second)}", "check their sizes")
    return op.node("MatMul", factors)


@emits("DotProduct")
def dot_product(op: TorchOperation) -> Flow:
    """The dot products of two batches of vectors."""
    table = op.table
    shape = shape_of(table[0])
    if len(table) != 2 or shape != shape_of(table[1]) or len(shape) != 2:
        raise op.error("does not read two batches of vectors", "give it two of one shape")
    product = op.node("Mul", table)
    return op.reduce("ReduceSum", product, [1])
