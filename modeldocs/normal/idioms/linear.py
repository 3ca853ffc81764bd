"""Dense layers and convolutions, with the bias that is added behind them."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import permutations, values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import matching
from modeldocs.normal.permutations import Permutation


def dense(node: ir.Node, builder: Builder) -> bool:
    """A product with a parameter, and the parameter vector added to it, as one Gemm."""
    if not values.is_operator(node, "MatMul") or values.rank(node.inputs[1]) != 2:
        return False
    weight = node.inputs[1]
    transpose = matching.producer(weight, "Transpose")
    swaps = transpose is not None and values.attribute(transpose, "perm", (1, 0)) == (1, 0)
    root = transpose.inputs[0] if transpose is not None and swaps else weight
    if matching.parameter_root(root) is None or values.is_parameter(node.inputs[0]):
        return False
    turned = ir.AttrInt64("transB", int(swaps))
    features = (values.shape(weight) or (None, None))[1]
    add, bias, apart = _added(node, features, builder)
    if add is None or bias is None:
        matching.replace([node], "Gemm", [node.inputs[0], root], [turned])
    elif apart is None:
        matching.replace([node, add], "Gemm", [node.inputs[0], root, bias], [turned])
    else:
        bias = builder.before(node, builder.reshape(bias, (features or 1,)))
        made = matching.replace([node], "Gemm", [node.inputs[0], root, bias], [turned])
        origin.merge(made, made, add)
        moved = list(apart.attributes.values())
        matching.replace([apart, add], apart.op_type, [made.outputs[0], *apart.inputs[1:]], moved)
    return True


_Added = tuple[ir.Node | None, ir.Value | None, ir.Node | None]


def _added(product: ir.Node, features: int | None, builder: Builder) -> _Added:
    """The sum with a bias behind a product, the bias, and what moves features on the way."""
    reader = values.sole_consumer(product.outputs[0])
    if reader is not None and values.is_operator(reader, "Transpose"):
        return _added_turned(reader, builder)
    apart = reader if values.is_operator(reader, "Reshape") else None
    if apart is not None:
        reader = values.sole_consumer(apart.outputs[0])
    if reader is None or not values.is_operator(reader, "Add"):
        return None, None, None
    bias = matching.parameter_operand(reader) or _joined_operand(reader)
    dims = values.shape(bias)
    if apart is None:
        return (reader, bias, None) if dims in ((features,), (1,)) else (None, None, None)
    made, rows = apart.outputs[0].shape, product.outputs[0].shape
    if made is None or rows is None or dims is None or len(dims) < 2:
        return None, None, None
    wide = len(made) - len(dims)
    whole = math.prod(dims) == features and list(made[wide:]) == list(dims)
    same = list(made[:wide]) == list(rows[:-1])
    return (reader, bias, apart) if whole and same else (None, None, None)


def _added_turned(turn: ir.Node, builder: Builder) -> _Added:
    """The same where a Transpose, from features last, stands between the product and the sum."""
    add = values.sole_consumer(turn.outputs[0])
    order = permutations.of_node(turn)
    if add is None or order is None or not values.is_operator(add, "Add"):
        return None, None, None
    added = next((held for held in add.inputs if held is not turn.outputs[0]), None)
    axis = order.index(len(order) - 1)
    bias = matching.by_channel(added, turn.outputs[0], builder, axis)
    return (add, bias, turn) if bias is not None else (None, None, None)


def _joined_operand(add: ir.Node) -> ir.Value | None:
    """The operand of a sum that is made of parameters and constants alone.

    [q; 0; v] is put together, or a bias of which the middle is overwritten.
    """
    for value in add.inputs:
        join = matching.producer(value, "Concat", "ScatterND")
        if join is None:
            continue
        parts = [values.is_parameter(part) for part in join.inputs]
        fixed = [values.constant(part) is not None for part in join.inputs]
        if any(parts) and all(a or b for a, b in zip(parts, fixed, strict=True)):
            return value
    return None


def biased_convolution(node: ir.Node, builder: Builder) -> bool:
    """A convolution without bias, and a parameter added to each of its channels."""
    if not values.is_operator(node, "Conv", "ConvTranspose") or values.operand(node, 2) is not None:
        return False
    add = values.sole_consumer(node.outputs[0])
    if not values.is_operator(add, "Add") or add is None:
        return False
    added = next((v for v in add.inputs if v is not node.outputs[0]), None)
    bias = matching.by_channel(added, node.outputs[0], builder)
    if bias is None:
        return False
    operands = [*node.inputs[:2], bias]
    matching.replace([node, add], node.op_type, operands, list(node.attributes.values()))
    return True


def grouped_convolution(node: ir.Node, builder: Builder) -> bool:
    """Convolutions of the parts of a Split, put together again: one convolution in groups."""
    if not values.is_operator(node, "Concat") or values.rank(node.outputs[0]) in (None, 1, 2):
        return False
    parts = [matching.producer(value, "Conv") for value in node.inputs]
    convolutions = [part for part in parts if part is not None]
    split = matching.producer(convolutions[0].inputs[0], "Split") if convolutions else None
    rank = values.rank(node.outputs[0]) or 1
    whole = len(convolutions) == len(node.inputs) and split is not None
    if not whole or split is None or len(split.outputs) != len(convolutions):
        return False
    if {values.attribute(held, "axis", 0) % rank for held in (split, node)} != {1}:
        return False
    if not _are_groups(split, convolutions):
        return False
    operands = [split.inputs[0], _joined(convolutions, 1, builder)]
    if values.operand(convolutions[0], 2) is not None:
        operands.append(_joined(convolutions, 2, builder))
    settings = {**convolutions[0].attributes}
    settings["group"] = ir.AttrInt64("group", len(convolutions))
    matching.replace([split, *convolutions, node], "Conv", operands, list(settings.values()))
    return True


def _are_groups(split: ir.Node, parts: list[ir.Node]) -> bool:
    """Whether each part of a Split goes through a convolution of the same settings, in order."""
    told = [
        {name: held.value for name, held in part.attributes.items() if name != "name"}
        for part in parts
    ]
    shapes = {tuple(values.shape(part.inputs[1]) or ()) for part in parts}
    biased = {values.operand(part, 2) is not None for part in parts}
    inputs = {values.shape(output) for output in split.outputs}
    return (
        all(part.inputs[0] is out for part, out in zip(parts, split.outputs, strict=True))
        and all(values.sole_consumer(part.outputs[0]) is not None for part in parts)
        and all(one == told[0] for one in told)
        and told[0].get("group", 1) == 1
        and len(shapes) == len(biased) == len(inputs) == 1
        and () not in shapes
    )


def _joined(parts: list[ir.Node], slot: int, builder: Builder) -> ir.Value:
    """The parameters of all groups as one: the tensor that they were cut from, or a Concat."""
    held = [part.inputs[slot] for part in parts]
    like = held[0]
    assert like is not None
    cut = _cut(held)
    if cut is not None:
        whole, turned = cut
        return builder.before(parts[-1], builder.transpose(whole, turned)) if turned else whole
    dims = values.shape(like) or ()
    made = builder.node(
        "Concat", held, [ir.AttrInt64("axis", 0)],
        like=like, shape=(dims[0] * len(held), *dims[1:]),
    )  # fmt: skip
    return builder.before(parts[-1], made)


def _cut(pieces: list[ir.Value | None]) -> tuple[ir.Value, Permutation | None] | None:
    """What pieces were cut from, all of it in order along their first axis, and how it is turned.

    Each may have been turned after the cut.
    """
    turns = [matching.producer(piece, "Transpose") for piece in pieces]
    turned = {permutations.of_node(node) if node is not None else None for node in turns}
    raw = [
        piece if node is None else node.inputs[0] for piece, node in zip(pieces, turns, strict=True)
    ]
    split = matching.producer(raw[0], "Split")
    if split is None or list(split.outputs) != raw or len(turned) != 1:
        return None
    (permutation,) = turned
    whole, rank = split.inputs[0], values.rank(split.inputs[0])
    if whole is None or rank is None:
        return None
    first = permutation[0] if permutation else 0
    return (whole, permutation) if values.attribute(split, "axis", 0) % rank == first else None
