"""Weights that are a multiple of a stored tensor plus a number: `1 + scale`, `weight * 0.5`.

Norms whose scale is stored less 1, and layers with an equalized learning rate, are written so. The
layer that reads the result has the stored tensor as its parameter, with the factor and the offset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import onnx_ir as ir

from modeldocs.normal import values


class AffineForm(NamedTuple):
    """A value as `factor * x + offset` of another value `x`."""

    factor: float = 1.0
    offset: float = 0.0

    def after(self, inner: AffineForm) -> AffineForm:
        """The form that results where `x` is itself of the form `inner`."""
        return AffineForm(self.factor * inner.factor, self.factor * inner.offset + self.offset)


AS_STORED: Final = AffineForm()

_FORMS: Final[dict[tuple[str, int], Callable[[float], AffineForm]]] = {
    ("Add", 0): lambda number: AffineForm(1.0, number),
    ("Add", 1): lambda number: AffineForm(1.0, number),
    ("Sub", 0): lambda number: AffineForm(1.0, -number),
    ("Sub", 1): lambda number: AffineForm(-1.0, number),
    ("Mul", 0): lambda number: AffineForm(number),
    ("Mul", 1): lambda number: AffineForm(number),
    ("Div", 0): lambda number: AffineForm(1.0 / number if number else 0.0),
}
"""The form of a node's output, by its operator and the slot of `x`, of the other operand."""


def source(node: ir.Node) -> tuple[ir.Value, AffineForm] | None:
    """What a node computes an affine form of, and that form; None for other nodes.

    The node keeps the shape of what it reads, and its other operand is one number throughout.
    """
    dtype = node.outputs[0].dtype if node.outputs else None
    if dtype is not None and not dtype.is_floating_point():
        return None
    if values.is_operator(node, "Neg") and node.inputs[0] is not None:
        return node.inputs[0], AffineForm(-1.0)
    for slot in range(min(len(node.inputs), 2)):
        form = _FORMS.get((node.op_type, slot)) if values.is_operator(node, node.op_type) else None
        value, number = node.inputs[slot], values.uniform(values.operand(node, 1 - slot))
        if form is None or value is None or number is None or values.constant(value) is not None:
            continue
        shape = values.shape(value)
        made = form(number)
        if made.factor and shape is not None and shape == values.shape(node.outputs[0]):
            return value, made
    return None


def stored(value: ir.Value) -> ir.Value | None:
    """The parameter that a value is an affine form of; None for others."""
    while not values.is_parameter(value):
        node = value.producer()
        found = source(node) if node is not None else None
        if found is None:
            return None
        value = found[0]
    return value


def forms(value: ir.Value) -> dict[int, AffineForm]:
    """The form in which a value that is made of parameters alone has each of them, by their ids."""
    if values.is_parameter(value):
        return {id(value): AS_STORED}
    node = value.producer()
    if node is None:
        return {}
    found = source(node)
    if found is not None:
        return {part: found[1].after(form) for part, form in forms(found[0]).items()}
    operands = [one for one in node.inputs if one is not None]
    return {part: form for one in operands for part, form in forms(one).items()}
