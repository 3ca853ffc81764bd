"""Operators that pick by index: Embedding, take, one_hot, argmax, topk."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("Embedding")
def embedding(op: Operation) -> Outputs:
    """Rows of the weight; indices come as floats, and beyond the ends count as the end."""
    rows, width = (
        op.settings.integer("input_dim", least=1),
        op.settings.integer("output_dim", least=1),
    )
    weight = op.parameter("weight", (rows, width))
    return [op.node("Gather", [weight, _indices(op, op.value())], axis=0)]


def _indices(op: Operation, value: ir.Value) -> ir.Value:
    return op.cast(value, ir.DataType.INT64)


@emits("take")
def take(op: Operation) -> Outputs:
    """Gather along an axis; indices beyond the ends are drawn as they are."""
    axis = op.axis("axis", 0, len(op.shape(0, least=1)))
    return [op.node("Gather", [op.value(), _indices(op, op.value(1))], axis=axis)]


@emits("one_hot")
def one_hot(op: Operation) -> Outputs:
    """One number at the index, another elsewhere."""
    depth = op.settings.integer("depth", least=1)
    on, off = op.settings.number("on_value", 1.0), op.settings.number("off_value", 0.0)
    values = op.constant([off, on], role="values")
    inputs = [_indices(op, op.value()), op.integers([depth], "depth"), values]
    return [op.node("OneHot", inputs, axis=-1)]


@emits("argmax", "argmin")
def arg(op: Operation) -> Outputs:
    """Where the extreme is along an axis, as a float."""
    shape = op.shape(least=1)
    if not op.settings.has("axis"):
        return op.opaque([(1,)])
    axis = op.axis("axis", 0, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    kind = "ArgMax" if op.source.op == "argmax" else "ArgMin"
    found = op.node(kind, [op.value()], axis=axis, keepdims=int(keep))
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
    inputs = [op.value(), op.integers([count], "k")]
    return op.node_of_several("TopK", inputs, 2, axis=axis, largest=int(not ascends))[:1]


@emits("pick")
def pick(op: Operation) -> Outputs:
    """One element along an axis, by an index for each place."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    lean = (*shape[:axis], *shape[axis + 1 :])
    wide = (*shape[:axis], 1, *shape[axis + 1 :])
    index = _indices(op, op.value(1))
    if shape_of(index) == lean:
        index = op.unsqueeze(index, [axis])
    if shape_of(index) != wide:
        raise op.error("picks by indices of another shape", fix="give one for each place")
    found = op.node("GatherElements", [op.value(), index], axis=axis)
    return [found if keep else op.squeeze(found, [axis])]


@emits("gather_nd")
def gather_nd(op: Operation) -> Outputs:
    """GatherND; MXNet has the places along the first axis, ONNX along the last."""
    shape, places = op.shape(), op.sizes(1, least=2)
    if places[0] > len(shape):
        raise op.error(f"names {places[0]} axes of {len(shape)}", fix="name fewer")
    index = op.transpose(_indices(op, op.value(1)), (*range(1, len(places)), 0))
    return [op.node("GatherND", [op.value(), index])]
