"""Emitters of MXNet's operators that select by index: Embedding, take, one_hot, argmax, topk."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


@emits("Embedding")
def embedding(op: MxnetOperation) -> Outputs:
    """Gather of the weight's rows; MXNet clips indices, which are floating-point numbers."""
    rows = op.settings.integer("input_dim", least=1)
    width = op.settings.integer("output_dim", least=1)
    weight = op.parameter("weight", (rows, width))
    return [op.node("Gather", [weight, _indices(op, op.input())], axis=0)]


def _indices(op: MxnetOperation, value: ir.Value) -> ir.Value:
    return op.cast(value, ir.DataType.INT64)


@emits("take")
def take(op: MxnetOperation) -> Outputs:
    """Gather along an axis; what MXNet does with indices out of range is not expressed."""
    axis = op.axis("axis", 0, len(op.shape(0, least=1)))
    return [op.node("Gather", [op.input(), _indices(op, op.input(1))], axis=axis)]


@emits("one_hot")
def one_hot(op: MxnetOperation) -> Outputs:
    """One number at the index, another elsewhere."""
    depth = op.settings.integer("depth", least=1)
    on, off = op.settings.number("on_value", 1.0), op.settings.number("off_value", 0.0)
    values = op.constant([off, on], role="values")
    inputs = [_indices(op, op.input()), op.integers([depth], "depth"), values]
    return [op.node("OneHot", inputs, axis=-1)]


@emits("argmax", "argmin")
def arg_max(op: MxnetOperation) -> Outputs:
    """Index of the extreme along an axis, as a floating-point number."""
    shape = op.shape(least=1)
    if not op.settings.has("axis"):
        return op.opaque([(1,)])
    axis = op.axis("axis", 0, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    operator = "ArgMax" if op.kind == "argmax" else "ArgMin"
    index = op.node(operator, [op.input()], axis=axis, keepdims=int(keep))
    return [op.cast(index, ir.DataType.FLOAT)]


@emits("topk", "sort", "argsort")
def top_k(op: MxnetOperation) -> Outputs:
    """TopK: the first elements of a sorted axis, or all of them.

    Where indices are outputs it is MXNet's own operator: frameworks break ties differently.
    """
    shape = op.sizes(least=1)
    axis = op.axis("axis", -1, len(shape))
    count = op.settings.integer("k", 1) if op.kind == "topk" else 0
    count = count if 0 < count < shape[axis] else shape[axis]
    output_shape = (*shape[:axis], count, *shape[axis + 1 :])
    gives_indices = op.kind == "argsort" or op.settings.text("ret_typ", "indices") != "value"
    if (gives_indices and op.kind != "sort") or op.source.attributes.get("axis") == "None":
        return op.opaque([output_shape] * max(1, op.outputs))
    ascending = op.settings.flag("is_ascend", default=op.kind == "sort")
    inputs = [op.input(), op.integers([count], "k")]
    return op.node_of_several("TopK", inputs, 2, axis=axis, largest=int(not ascending))[:1]


@emits("pick")
def pick(op: MxnetOperation) -> Outputs:
    """One element along an axis, by an index for each place."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    keep = op.settings.flag("keepdims", default=False)
    index = _indices(op, op.input(1))
    if shape_of(index) == (*shape[:axis], *shape[axis + 1 :]):
        index = op.unsqueeze(index, [axis])
    if shape_of(index) != (*shape[:axis], 1, *shape[axis + 1 :]):
        raise op.error("has indices of another shape", fix="give one for each place")
    elements = op.node("GatherElements", [op.input(), index], axis=axis)
    return [elements if keep else op.squeeze(elements, [axis])]


@emits("gather_nd")
def gather_nd(op: MxnetOperation) -> Outputs:
    """GatherND; MXNet has the components of an index along the first axis, ONNX along the last."""
    rank, index_shape = len(op.shape()), op.sizes(1, least=2)
    if index_shape[0] > rank:
        raise op.error(f"names {index_shape[0]} axes of {rank}", fix="name fewer")
    index = op.transpose(_indices(op, op.input(1)), (*range(1, len(index_shape)), 0))
    return [op.node("GatherND", [op.input(), index])]
