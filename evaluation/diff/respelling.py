"""The same function in other operators: an ONNX model written as another porter would.

Each rewrite changes the model in place where chance says so and keeps what it computes. A layer
that is still there keeps its name; one that a rewrite adds is called `respelt`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values

from .respeller import Respeller, name_of


def operands(respeller: Respeller) -> None:
    """A sum and a product with their operands the other way round."""
    for node in respeller.sites("Add", "Mul"):
        one, other = node.inputs
        node.replace_input_with(0, other)
        node.replace_input_with(1, one)


def sums(respeller: Respeller) -> None:
    """(a + b) + c as a + (b + c)."""
    for outer in respeller.sites("Add"):
        if outer.graph is None:
            continue  # it was taken into another
        shapes = {values.shape(value) for value in (*outer.inputs, outer.outputs[0])}
        inner = next((v.producer() for v in outer.inputs if v and _alone(v, "Add")), None)
        if inner is None or len(shapes | {values.shape(v) for v in inner.inputs}) > 1:
            continue
        last = next(v for v in outer.inputs if v is not inner.outputs[0])
        first, second = inner.inputs
        total = respeller.node("Add", [second, last], before=outer, like=outer.outputs[0])
        respeller.touch(inner, outer)
        outer.replace_input_with(0, first)
        outer.replace_input_with(1, total)
        respeller.graph.remove(inner, safe=True)


def concatenations(respeller: Respeller) -> None:
    """Concatenations nested where they were flat, and flat where they were nested."""
    for node in respeller.sites("Concat"):
        axis = values.attribute(node, "axis")
        if node.graph is None or values.rank(node.outputs[0]) in (None, 0, 1):
            continue
        inner = [maker for v in node.inputs if (maker := _nested(v, axis)) is not None]
        if inner:
            parts = [part for v in node.inputs for part in _parts(v, axis)]
        elif len(node.inputs) > 2:
            parts = [_first_two(respeller, node, axis), *node.inputs[2:]]
        else:
            continue
        respeller.touch(node, *inner)
        made = respeller.node(
            "Concat", parts, {"axis": axis}, before=node, like=node.outputs[0], name=name_of(node)
        )
        respeller.replace(node, made)
        for one in inner:
            if not one.outputs[0].uses() and one.graph is not None:
                respeller.graph.remove(one, safe=True)


def _first_two(respeller: Respeller, node: ir.Node, axis: int) -> ir.Value:
    """The first two operands of a concatenation, joined."""
    one, other = node.inputs[:2]
    shape = list(values.shape(one) or ())
    shape[axis] += (values.shape(other) or shape)[axis]
    like = node.outputs[0]
    return respeller.node(
        "Concat", [one, other], {"axis": axis}, before=node, like=like, shape=shape
    )


def _nested(value: ir.Value | None, axis: int) -> ir.Node | None:
    """The concatenation along the same axis that an operand is, if it is one."""
    maker = value.producer() if value is not None else None
    if not values.is_operator(maker, "Concat") or values.attribute(maker, "axis") != axis:
        return None
    return maker


def _parts(value: ir.Value | None, axis: int) -> Sequence[ir.Value | None]:
    maker = _nested(value, axis)
    return (value,) if maker is None else tuple(maker.inputs)


def parts(respeller: Respeller) -> None:
    """A Split as Slices."""
    for node in respeller.sites("Split"):
        source, start = node.inputs[0], 0
        axis = values.attribute(node, "axis", 0)
        respeller.touch(node)
        for output in node.outputs:
            end = start + (values.shape(output) or ())[axis]
            cut = [respeller.builder.numbers([n], "cut") for n in (start, end, axis)]
            made = respeller.node("Slice", [source, *cut], before=node, like=output)
            ir.convenience.replace_all_uses_with(output, made)
            start = end
        respeller.graph.remove(node, safe=True)


def means(respeller: Respeller) -> None:
    """A global average pool as a mean over two axes."""
    for node in respeller.sites("GlobalAveragePool"):
        axes = respeller.builder.numbers([2, 3], "axes")
        made = respeller.node(
            "ReduceMean",
            [node.inputs[0], axes],
            {"keepdims": 1},
            before=node,
            like=node.outputs[0],
            name=name_of(node),
        )
        respeller.replace(node, made)


def attention(respeller: Respeller) -> None:
    """Attention in products and a softmax, its causal mask a constant."""
    for node in respeller.sites("Attention"):
        query, key, value = node.inputs[:3]
        ours, theirs = values.shape(query), values.shape(key)
        if len(node.inputs) > 3 or ours is None or theirs is None or len(ours) != 4:
            continue
        like, builder = node.outputs[0], respeller.builder
        scores = (*ours[:3], theirs[2])
        factor = builder.scalar(float(values.attribute(node, "scale", ours[3] ** -0.5)), like)
        steps: list[tuple[str, ir.Value | None, dict[str, Any]]] = [("Mul", factor, {})]
        if values.attribute(node, "is_causal", 0):
            mask = np.triu(np.full(scores[2:], -np.inf, np.float32), 1)
            steps.append(("Add", builder.constant(mask, "mask"), {}))
        steps.append(("Softmax", None, {"axis": -1}))

        # All go by the name of the whole, which is theirs again where they are put together.
        placed = {"before": node, "like": like, "name": name_of(node)}
        turned = [theirs[n] for n in (0, 1, 3, 2)]
        order = {"perm": [0, 1, 3, 2]}
        permuted = respeller.node("Transpose", [key], order, shape=turned, **placed)
        read = respeller.node("MatMul", [query, permuted], shape=scores, **placed)
        for operator, other, told in steps:
            held = [read] if other is None else [read, other]
            read = respeller.node(operator, held, told, shape=scores, **placed)
        respeller.touch(node)
        respeller.replace(node, respeller.node("MatMul", [read, value], **placed))


def masks(respeller: Respeller) -> None:
    """A causal attention with its mask as an operand."""
    for node in respeller.sites("Attention"):
        shape = values.shape(node.inputs[0]), values.shape(node.inputs[1])
        if len(node.inputs) > 3 or None in shape or not values.attribute(node, "is_causal", 0):
            continue
        held = np.tril(np.ones((shape[0][2], shape[1][2]), bool))
        told = {"scale": float(values.attribute(node, "scale", shape[0][-1] ** -0.5))}
        made = respeller.node(
            "Attention",
            [*node.inputs[:3], respeller.builder.constant(held, "mask")],
            told,
            before=node,
            like=node.outputs[0],
            name=name_of(node),
        )
        respeller.touch(node)
        respeller.replace(node, made)


def paddings(respeller: Respeller) -> None:
    """The padding of a convolution as a Pad of its own."""
    for node in respeller.sites("Conv"):
        pads, source = values.attribute(node, "pads"), node.inputs[0]
        shape = values.shape(source)
        if not pads or not any(pads) or shape is None or values.attribute(node, "auto_pad"):
            continue
        rank = len(pads) // 2
        held = respeller.builder.numbers([0, 0, *pads[:rank], 0, 0, *pads[rank:]], "pads")
        padded = [*shape[:2], *(shape[2 + i] + pads[i] + pads[i + rank] for i in range(rank))]
        made = respeller.node(
            "Pad", [source, held], before=node, like=source, shape=padded, name=name_of(node)
        )
        node.replace_input_with(0, made)
        node.attributes["pads"] = ir.AttrInt64s("pads", [0] * len(pads))


def idle(respeller: Respeller) -> None:
    """A Dropout or an Identity behind an activation or a norm, as in code for training."""
    for node in respeller.sites("Relu", "Gelu", "LayerNormalization", "GlobalAveragePool"):
        if respeller.chance.random() < 0.8 or not node.outputs[0].uses():
            continue
        if any(values.is_operator(use.node, "Dropout") for use in node.outputs[0].uses()):
            continue  # of two behind each other nobody can tell which is new
        operator = respeller.chance.choice(("Dropout", "Identity"))
        output = node.outputs[0]
        readers = tuple(output.uses())
        users = {use.node for use in readers}
        first = next(user for user in respeller.graph if user in users)
        made = respeller.node(operator, [output], before=first, like=output)
        for user, slot in readers:
            user.replace_input_with(slot, made)


def _alone(value: ir.Value, operator: str) -> bool:
    """Whether a value is of an operator and read once, inside the graph."""
    return (
        values.is_operator(value.producer(), operator) and values.sole_consumer(value) is not None
    )


REWRITES: tuple[Callable[[Respeller], None], ...] = (
    operands,
    sums,
    concatenations,
    parts,
    means,
    masks,
    attention,
    paddings,
    idle,
)
