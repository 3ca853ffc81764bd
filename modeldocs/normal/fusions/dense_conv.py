"""Dense layers and convolutions, with the bias that is added after them."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations
from modeldocs.normal.data_movement.permutations import Permutation
from modeldocs.normal.fusions import matching


def dense(node: ir.Node, builder: GraphBuilder) -> bool:
    """A MatMul with a parameter, and the addition of a bias vector, as one Gemm."""
    if not values.is_operator(node, "MatMul") or values.rank(node.inputs[1]) != 2:
        return False
    weight = node.inputs[1]
    transpose = matching.producer(weight, "Transpose")
    swaps = transpose is not None and values.attribute(transpose, "perm", (1, 0)) == (1, 0)
    root = transpose.inputs[0] if transpose is not None and swaps else weight
    if not matching.is_of_parameters(root) or matching.is_of_parameters(node.inputs[0]):
        return False
    transposed = ir.AttrInt64("transB", int(swaps))
    features = (values.shape(weight) or (None, None))[1]
    add, bias, move = _bias_addition(node, features, builder)
    if add is None or bias is None:
        matching.replace([node], "Gemm", [node.inputs[0], root], [transposed])
    elif move is None:
        matching.replace([node, add], "Gemm", [node.inputs[0], root, bias], [transposed])
    else:
        bias = builder.before(node, builder.reshape(bias, (features or 1,)))
        gemm = matching.replace([node], "Gemm", [node.inputs[0], root, bias], [transposed])
        origin.merge(gemm, gemm, add)
        settings = list(move.attributes.values())
        operands = [gemm.outputs[0], *move.inputs[1:]]
        matching.replace([move, add], move.op_type, operands, settings)
    return True


_Addition = tuple[ir.Node | None, ir.Value | None, ir.Node | None]
"""An Add, the bias that it adds, and the Reshape or Transpose before it; all None without one."""


def _bias_addition(product: ir.Node, features: int | None, builder: GraphBuilder) -> _Addition:
    """The addition of a bias behind a product, directly or behind a Reshape or Transpose."""
    reader = values.sole_consumer(product.outputs[0])
    if reader is not None and values.is_operator(reader, "Transpose"):
        return _addition_after_transpose(reader, builder)
    reshape = reader if values.is_operator(reader, "Reshape") else None
    if reshape is not None:
        reader = values.sole_consumer(reshape.outputs[0])
    if reader is None or not values.is_operator(reader, "Add"):
        return None, None, None
    bias = next((value for value in reader.inputs if matching.is_of_parameters(value)), None)
    dims = values.shape(bias)
    if reshape is None:
        return (reader, bias, None) if dims in ((features,), (1,)) else (None, None, None)
    after, before = reshape.outputs[0].shape, product.outputs[0].shape
    if after is None or before is None or dims is None or len(dims) < 2:
        return None, None, None
    leading = len(after) - len(dims)
    splits_features = math.prod(dims) == features and list(after[leading:]) == list(dims)
    keeps_rows = list(after[:leading]) == list(before[:-1])
    return (reader, bias, reshape) if splits_features and keeps_rows else (None, None, None)


def _addition_after_transpose(transpose: ir.Node, builder: GraphBuilder) -> _Addition:
    """The addition of a bias behind a Transpose, by which features are no longer the last axis."""
    add = values.sole_consumer(transpose.outputs[0])
    order = permutations.of_node(transpose)
    if add is None or order is None or not values.is_operator(add, "Add"):
        return None, None, None
    operand = next((value for value in add.inputs if value is not transpose.outputs[0]), None)
    axis = order.index(len(order) - 1)
    bias = matching.by_channel(operand, transpose.outputs[0], builder, axis)
    return (add, bias, transpose) if bias is not None else (None, None, None)


def biased_convolution(node: ir.Node, builder: GraphBuilder) -> bool:
    """A convolution without a bias, and the addition of one, as one convolution."""
    if not values.is_operator(node, "Conv", "ConvTranspose") or values.operand(node, 2) is not None:
        return False
    add = values.sole_consumer(node.outputs[0])
    if not values.is_operator(add, "Add") or add is None:
        return False
    operand = next((v for v in add.inputs if v is not node.outputs[0]), None)
    bias = matching.by_channel(operand, node.outputs[0], builder)
    if bias is None:
        return False
    operands = [*node.inputs[:2], bias]
    matching.replace([node, add], node.op_type, operands, list(node.attributes.values()))
    return True


def grouped_convolution(node: ir.Node, builder: GraphBuilder) -> bool:
    """Convolutions of the outputs of a Split, concatenated again, as one grouped convolution."""
    if not values.is_operator(node, "Concat") or values.rank(node.outputs[0]) in (None, 1, 2):
        return False
    parts = [matching.producer(value, "Conv") for value in node.inputs]
    convolutions = [part for part in parts if part is not None]
    split = matching.producer(convolutions[0].inputs[0], "Split") if convolutions else None
    rank = values.rank(node.outputs[0]) or 1
    if split is None or len(convolutions) != len(node.inputs):
        return False
    if len(split.outputs) != len(convolutions):
        return False
    if {values.attribute(one, "axis", 0) % rank for one in (split, node)} != {1}:
        return False
    if not _are_groups(split, convolutions):
        return False
    operands = [split.inputs[0], _grouped_parameter(convolutions, 1, builder)]
    if values.operand(convolutions[0], 2) is not None:
        operands.append(_grouped_parameter(convolutions, 2, builder))
    settings = {**convolutions[0].attributes}
    settings["group"] = ir.AttrInt64("group", len(convolutions))
    matching.replace([split, *convolutions, node], "Conv", operands, list(settings.values()))
    return True


def _are_groups(split: ir.Node, parts: list[ir.Node]) -> bool:
    """Whether the outputs of a Split are read, in order, by convolutions of equal settings."""
    settings = [
        {name: one.value for name, one in part.attributes.items() if name != "name"}
        for part in parts
    ]
    shapes = {tuple(values.shape(part.inputs[1]) or ()) for part in parts}
    biased = {values.operand(part, 2) is not None for part in parts}
    inputs = {values.shape(output) for output in split.outputs}
    return (
        all(part.inputs[0] is out for part, out in zip(parts, split.outputs, strict=True))
        and all(values.sole_consumer(part.outputs[0]) is not None for part in parts)
        and all(one == settings[0] for one in settings)
        and settings[0].get("group", 1) == 1
        and len(shapes) == len(biased) == len(inputs) == 1
        and () not in shapes
    )


def _grouped_parameter(parts: list[ir.Node], slot: int, builder: GraphBuilder) -> ir.Value:
    """The parameters of all groups as one: the tensor that they are cut from, else a Concat."""
    pieces = [part.inputs[slot] for part in parts]
    like = pieces[0]
    assert like is not None
    cut = _cut_source(pieces)
    if cut is not None:
        source, order = cut
        return builder.before(parts[-1], builder.transpose(source, order)) if order else source
    dims = values.shape(like) or ()
    shape = (dims[0] * len(pieces), *dims[1:])
    concat = builder.node("Concat", pieces, [ir.AttrInt64("axis", 0)], like=like, shape=shape)
    return builder.before(parts[-1], concat)


def _cut_source(
    pieces: list[ir.Value | None],
) -> tuple[ir.Value, Permutation | None] | None:
    """The tensor that a Split cuts into these pieces, along what is their first axis.

    With it the permutation of a Transpose of each piece after the cut, if there is one.
    """
    transposes = [matching.producer(piece, "Transpose") for piece in pieces]
    orders = {permutations.of_node(node) if node is not None else None for node in transposes}
    outputs = [
        piece if node is None else node.inputs[0]
        for piece, node in zip(pieces, transposes, strict=True)
    ]
    split = matching.producer(outputs[0], "Split")
    if split is None or list(split.outputs) != outputs or len(orders) != 1:
        return None
    (order,) = orders
    source, rank = split.inputs[0], values.rank(split.inputs[0])
    if source is None or rank is None:
        return None
    first = order[0] if order else 0
    return (source, order) if values.attribute(split, "axis", 0) % rank == first else None
