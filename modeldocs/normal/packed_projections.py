"""Dense layers of one tensor whose weights are the pieces of one parameter, as one layer.

Some ports multiply by the packed weight of queries, keys and values and cut the product, others cut
the weight and multiply three times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import slice_views, strided_views
from modeldocs.normal.fusions import matching


@dataclass(frozen=True)
class _ProjectionPiece:
    """A Gemm with rows of a parameter as its weight: the outputs from `offset` on, so many.

    `turned` is whether the parameter has its outputs along the first axis.
    """

    node: ir.Node
    weight: ir.Value
    bias: ir.Value | None
    offset: int
    size: int
    turned: bool


def join(model: ir.Model) -> None:
    """Replace dense layers whose weights make up a parameter by one, and a Split of its output."""
    builder = GraphBuilder(model.graph)
    groups: dict[object, list[_ProjectionPiece]] = defaultdict(list)
    for node in model.graph:
        piece = _piece(node) if values.is_operator(node, "Gemm") else None
        if piece is not None:
            data = node.inputs[0]
            assert data is not None
            settings = (values.attribute(node, "alpha", 1.0), values.attribute(node, "beta", 1.0))
            read = slice_views.trace(data) or data
            dims = values.shape(data)
            groups[piece.weight, piece.bias, piece.turned, settings, read, dims].append(piece)
    for pieces in groups.values():
        in_order = sorted(pieces, key=lambda one: one.offset)
        if len(pieces) > 1 and _is_whole(in_order):
            _join(in_order, pieces[0].node, builder)


def _piece(node: ir.Node) -> _ProjectionPiece | None:
    """A Gemm as one of rows of a parameter of two axes; None where it is another."""
    weight, bias = values.operand(node, 1), values.operand(node, 2)
    if values.attribute(node, "transA", 0) or weight is None or node.inputs[0] is None:
        return None
    view = slice_views.trace(weight)
    root = strided_views.whole(view.root) if view is not None else None
    if view is None or root is None or not values.is_parameter(view.root):
        return None
    if len(view.axes) != 2 or len(root.axes) != 2 or view.root is weight:
        return None
    outputs, inputs = view.axes if values.attribute(node, "transB", 0) else view.axes[::-1]
    if len(outputs) != 1 or inputs not in root.axes:
        return None
    turned = inputs == root.axes[1]
    (stride, size), (whole_stride, _) = outputs[0], root.axes[0 if turned else 1][0]
    if stride != whole_stride or view.offset % stride:
        return None
    offset = view.offset // stride
    if bias is None:
        return _ProjectionPiece(node, view.root, None, offset, size, turned)
    of_bias = slice_views.trace(bias)
    if of_bias is None or not values.is_parameter(of_bias.root):
        return None
    if of_bias.axes != (((1, size),),) or of_bias.offset != offset:
        return None
    return _ProjectionPiece(node, view.root, of_bias.root, offset, size, turned)


def _is_whole(pieces: Sequence[_ProjectionPiece]) -> bool:
    """Whether pieces in order make up the parameters."""
    end = 0
    for piece in pieces:
        if piece.offset != end:
            return False
        end += piece.size
    first = pieces[0]
    dims = values.shape(first.weight) or ()
    of_bias = values.shape(first.bias) if first.bias is not None else (end,)
    return dims[0 if first.turned else 1] == end and of_bias == (end,)


def _join(pieces: Sequence[_ProjectionPiece], place: ir.Node, builder: GraphBuilder) -> None:
    """Put one dense layer and a Split of its output in the place of the first of some."""
    first = pieces[0]
    data, old = place.inputs[0], place.outputs[0]
    rows = values.shape(old)
    assert data is not None and rows is not None
    attributes = [
        *(one for name, one in place.attributes.items() if name != "transB"),
        ir.AttrInt64("transB", int(first.turned)),
    ]
    sizes = [one.size for one in pieces]
    inputs = [data, first.weight, *([first.bias] if first.bias is not None else [])]
    gemm = builder.node("Gemm", inputs, attributes, like=old, shape=(*rows[:-1], sum(sizes)))
    builder.before(place, gemm)
    split = builder.split(gemm.outputs[0], len(rows) - 1, sizes)
    builder.graph.insert_before(place, split)
    nodes = [one.node for one in pieces]
    for node in (gemm, split):
        origin.merge(node, *nodes)
    for node, new in zip(nodes, split.outputs, strict=True):
        value, name = node.outputs[0], node.outputs[0].name
        ir.convenience.replace_all_uses_with(value, new, replace_graph_outputs=True)
        value.name, new.name = None, name
    matching.remove_dead(builder.graph, nodes)
