"""The shapes that operators need their parameters in, by the shapes of what they compute with.

Each rule reads as the operator's own specification does: a weight of Conv is M × C/group × kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import onnx_ir as ir

from modeldocs.edits.draft import Draft
from modeldocs.edits.original_shapes import Shape
from modeldocs.edits.stored_tensors import StoredTensors
from modeldocs.ir import operators
from modeldocs.normal import values

Shapes = dict[int, Shape]


@dataclass(frozen=True)
class Reader:
    """A layer that reads parameters, with the shapes of its operands before and after edits."""

    stored: StoredTensors
    node: ir.Node

    @property
    def draft(self) -> Draft:
        """The network that the layer is in."""
        return self.stored.draft

    def now(self, slot: int) -> Shape:
        """The shape of an operand; empty where it is unknown."""
        return values.shape(values.operand(self.node, slot)) or ()

    def before(self, slot: int) -> Shape:
        """The shape of an operand before all edits; empty where it is new or unknown."""
        return self.draft.original.read(self.node, slot) or ()

    def number(self, name: str, default: int) -> int:
        """An attribute that is a whole number."""
        return int(values.attribute(self.node, name, default))

    @property
    def is_new(self) -> bool:
        """Whether an edit put it in."""
        return self.draft.original.is_new(self.node)

    @property
    def features(self) -> int:
        """The channels or units that it gives: those that it was told to, else as before."""
        told = self.draft.features.get(id(self.node))
        return told if told is not None else self.features_before

    @property
    def features_before(self) -> int:
        """The channels or units that it gave before all edits."""
        weight = self.before(operators.weighted_slot(self.node.op_type) or 1)
        group = int(values.attribute(self.node, "group", 1))
        axis = {"ConvTranspose": 1, "MatMul": -1}.get(self.node.op_type, 0)
        if self.node.op_type == "Gemm" and not self.number("transB", 0):
            axis = 1
        if not weight:
            return self.now(0)[1] if len(self.now(0)) > 1 else 0
        return weight[axis] * (group if self.node.op_type == "ConvTranspose" else 1)


def needed(stored: StoredTensors, node: ir.Node) -> Shapes:
    """The shapes that a layer needs its parameters in, by slot; slots may hold computed values."""
    rule = _RULES.get(node.op_type) if node.domain in values.DEFAULT_DOMAIN else None
    if rule is None and operators.of(node.op_type).broadcasting:
        rule = _stretched
    return rule(Reader(stored, node)) if rule is not None else {}


def _conv(reader: Reader) -> Shapes:
    kernel = tuple(values.attribute(reader.node, "kernel_shape"))
    inner = reader.now(0)[1] // reader.number("group", 1)
    return {1: (reader.features, inner, *kernel), 2: (reader.features,)}


def _conv_transpose(reader: Reader) -> Shapes:
    kernel = tuple(values.attribute(reader.node, "kernel_shape"))
    outer = reader.features // reader.number("group", 1)
    return {1: (reader.now(0)[1], outer, *kernel), 2: (reader.features,)}


def _gemm(reader: Reader) -> Shapes:
    inner = reader.now(0)[0 if reader.number("transA", 0) else -1]
    both = (reader.features, inner)
    bias = _like(reader.before(2), (reader.features,), reader.features_before)
    return {1: both if reader.number("transB", 0) else both[::-1], 2: bias}


def _like(before: Shape, new: Shape, features: int) -> Shape:
    """A bias that may be stretched: its last size follows where it was that of the output."""
    if not before:
        return new
    return (*before[:-1], *new) if before[-1] == features else before


def _matmul(reader: Reader) -> Shapes:
    a, b = reader.now(0), reader.now(1)
    second = (*reader.before(1)[:-2], a[-1], reader.features) if len(reader.before(1)) > 1 else b
    first = (*reader.before(0)[:-1], b[-2]) if len(b) > 1 else a
    return {0: first, 1: second}


def _per_channel(reader: Reader) -> Shapes:
    return dict.fromkeys(range(1, 5), reader.now(0)[1:2])


def _layer_norm(reader: Reader) -> Shapes:
    axis = reader.number("axis", -1)
    own = reader.now(0)[axis:]
    if reader.is_new or reader.before(1) == reader.before(0)[axis:]:
        return {1: own, 2: own}
    return {slot: _aligned(reader, slot, reader.before(0), reader.now(0)) for slot in (1, 2)}


def _slope(reader: Reader) -> Shapes:
    if reader.is_new:
        data = reader.now(0)
        return {1: (data[1], *[1] * (len(data) - 2)) if len(data) > 1 else data}
    return {1: _aligned(reader, 1, reader.before(0), reader.now(0))}


def _stretched(reader: Reader) -> Shapes:
    """Operands that are stretched to the shape of another keep to it."""
    slots = range(len(reader.node.inputs))
    shapes: Shapes = {}
    for slot in slots:
        others = [one for one in slots if one != slot and reader.node.inputs[one] is not None]
        if others:
            most = max(
                others, key=lambda one: (len(reader.before(one)), math.prod(reader.before(one)))
            )
            shapes[slot] = _aligned(reader, slot, reader.before(most), reader.now(most))
    return shapes


def _aligned(reader: Reader, slot: int, before: Shape, now: Shape) -> Shape:
    """The shape of an operand whose sizes, from the last on, follow those of another tensor."""
    own = list(reader.before(slot) or reader.now(slot))
    for back in range(1, min(len(own), len(before), len(now)) + 1):
        if own[-back] != 1 and own[-back] == before[-back]:
            own[-back] = now[-back]
    return tuple(own)


def _joined(reader: Reader) -> Shapes:
    """Pieces that are joined along one axis have the other sizes in common."""
    axis = reader.number("axis", 0)
    shapes: Shapes = {}
    slots = range(len(reader.node.inputs))
    computed = [slot for slot in slots if not reader.stored.holds(reader.node.inputs[slot])]
    for slot in slots:
        if slot not in computed and computed:
            before, now = reader.before(slot), reader.now(computed[0])
            place = axis % len(now)
            if len(before) == len(now):
                shapes[slot] = (*now[:place], before[place], *now[place + 1 :])
    return shapes


def _recurrent(reader: Reader) -> Shapes:
    gates = operators.of(reader.node.op_type).gates
    hidden, directions = reader.number("hidden_size", 1), (reader.before(1) or (1,))[0]
    return {
        1: (directions, gates * hidden, reader.now(0)[-1]),
        2: (directions, gates * hidden, hidden),
        3: (directions, 2 * gates * hidden),
        **({7: (directions, 3 * hidden)} if reader.node.op_type == "LSTM" else {}),
    }


_RULES: Final[Mapping[str, Callable[[Reader], Shapes]]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Gemm": _gemm,
    "MatMul": _matmul,
    **dict.fromkeys(
        ("BatchNormalization", "InstanceNormalization", "GroupNormalization"), _per_channel
    ),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), _layer_norm),
    "PRelu": _slope,
    "Concat": _joined,
    **dict.fromkeys(operators.named(family="recurrent") - {"Loop", "Scan", "If"}, _recurrent),
}
