"""Operators that pick by index: Embedding, take, one_hot, argmax, topk."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.shapes import shape_of


@emits("Embedding")
def embedding(op: Operation) -> Outputs:
    """Rows of the weight; indices come as floats, and beyond the ends count as the end."""
    rows, width = (
        op.settings.integer("input_dim", least=1),
        op.settings.integer("output_dim", least=1),
    )
    weight = op.parameter("weight", (rows, width))
    shape = op.shape()
    return [op.node("Gather", [weight, _indices(op, op.value())], (*shape, width), axis=0)]


def _indices(op: Operation, value: ir.Value) -> ir.Value:
    return op.cast(value, ir.DataType.INT64)


@emits("take")
def take(op: Operation) -> Outputs:
    """Gather along an axis; indices beyond the ends are drawn as they are."""
    shape, picked = op.shape(0, least=1), op.shape(1)
    axis = op.axis("axis", 0, len(shape))
    made = (*shape[:axis], *picked, *shape[axis + 1 :])
    return [op.node("Gather", [op.value(), _indices(op, op.value(1))], made, axis=axis)]


@emits("one_hot")
def one_hot(op: Operation) -> Outputs:
    """One number at the index, another elsewhere."""
    depth = op.settings.integer("depth", least=1)
    on, off = op.settings.number("on_value", 1.0), op.settings.number("off_value", 0.0)
    floats = ir.DataType.FLOAT
    values = op.constant([off, on], "values")
    pair = op.cast(values, floats)
    inputs = [_indices(op, op.value()), op.integers([depth], "depth"), pair]
    shape = (*op.shape(), depth)
    return op.emit("OneHot", inputs, [shape], {"axis": -1}, dtypes=[floats])


@emits("argmax", "argmin")
def arg(op: Operation) -> Outputs:
    """Where the extreme is along an axis, as a float."""
    shape = op.shape(least=1)
    if not op.settings.has("axis"):
        return op.opaque([(1,)])
    axis = op.axis("axis", 0, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    made = (*shape[:axis], *([1] if keep else []), *shape[axis + 1 :])
    kind = "ArgMax" if op.source.op == "argmax" else "ArgMin"
    attributes = {"axis": axis, "keepdims": int(keep)}
    found = op.emit(kind, [op.value()], [made], attributes, dtypes=[ir.DataType.INT64])[0]
    return [op.cast(found, ir.DataType.FLOAT)]


@emits("topk", "sort", "argsort")
def sorted_(op: Operation) -> Outputs:
    """TopK: the first of an axis in their order, or all of them.

    Places are drawn as they are: of equal numbers each framework names another.
    """
    shape, kind = op.sizes(least=1), op.source.op
    axis = op.axis("axis", -1, len(shape))
    count = op.settings.integer("k", 1) if kind == "topk" else 0
    count = count if 0 < count < shape[axis] else shape[axis]
    made = (*shape[:axis], count, *shape[axis + 1 :])
    places = kind == "argsort" or op.settings.text("ret_typ", "indices") != "value"
    if (places and kind != "sort") or op.source.attributes.get("axis") == "None":
        return op.opaque([made] * max(1, op.outputs))
    ascends = op.settings.flag("is_ascend", default=kind == "sort")
    return op.emit(
        "TopK",
        [op.value(), op.integers([count], "k")],
        [made, made],
        {"axis": axis, "largest": int(not ascends)},
        dtypes=[op.dtype, ir.DataType.INT64],
    )[:1]


@emits("pick")
def pick(op: Operation) -> Outputs:
    """One element along an axis, by an index for each place."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    lean = (*shape[:axis], *shape[axis + 1 :])
    wide = (*shape[:axis], 1, *shape[axis + 1 :])
    axes = op.integers([axis], "axes")
    index = _indices(op, op.value(1))
    if shape_of(index) == lean:
        index = op.node("Unsqueeze", [index, axes], wide)
    if shape_of(index) != wide:
        raise op.error("picks by indices of another shape", mend="give one for each place")
    found = op.node("GatherElements", [op.value(), index], wide, axis=axis)
    return [found if keep else op.node("Squeeze", [found, axes], lean)]


@emits("gather_nd")
def gather_nd(op: Operation) -> Outputs:
    """GatherND; MXNet has the places along the first axis, ONNX along the last."""
    shape, places = op.shape(), op.sizes(1, least=2)
    if places[0] > len(shape):
        raise op.error(f"names {places[0]} axes of {len(shape)}", mend="name fewer")
    index = op.transposed(_indices(op, op.value(1)), (*range(1, len(places)), 0))
    return [op.node("GatherND", [op.value(), index], (*places[1:], *shape[places[0] :]))]
