"""What a mask of attention is made of: which scores are shut, and what is added to the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import combined, comparing, scalings
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import algebra, matching

SHUT = -1e4
"""A score below this gives a weight of zero in any float type."""

_DEPTH = 8
"""Nodes that are taken apart, one above the other."""


@dataclass(frozen=True)
class Mask:
    """A tensor spread over scores of these dimensions; `shuts` where true, not false, is shut.

    `scale` multiplies numbers that are added; `scaled` are the nodes that did so.
    """

    value: ir.Value
    scores: tuple[int, ...] | None
    shuts: bool = False
    scale: float = 1.0
    scaled: tuple[ir.Node, ...] = ()

    def of_booleans(self, value: ir.Value, *, shuts: bool) -> Mask:
        """The mask that booleans tell, of the same scores."""
        return replace(self, value=value, shuts=shuts, scale=1.0, scaled=())


def of_where(node: ir.Node) -> tuple[Mask, ir.Value] | None:
    """The mask of a Where that shuts scores, and the scores."""
    kept, first, second = node.inputs
    for scores, shut, inverted in ((first, second, False), (second, first, True)):
        lowest = algebra.uniform(shut)
        if kept is not None and scores is not None and lowest is not None and lowest <= SHUT:
            return Mask(kept, values.shape(node.outputs[0]), inverted), scores
    return None


def plain(mask: Mask, builder: Builder, at: ir.Node, depth: int = _DEPTH) -> list[Mask]:
    """A mask taken apart: what a Where or an And says of which scores are shut, sums of two.

    New nodes go before `at`.
    """
    if not depth:
        return [mask]
    found = _of_numbers(mask) or _inside(mask, builder, at)
    if found is None and not mask.shuts:
        parts = combined.apart(mask.value, builder, at)
        if parts is not None:
            return _plain_parts(mask, parts, builder, at, depth)
    found = found or _terms(mask)
    if found is None:
        return [mask]
    return [part for one in found for part in plain(one, builder, at, depth - 1)]


def _plain_parts(
    mask: Mask, parts: list[ir.Value], builder: Builder, at: ir.Node, depth: int
) -> list[Mask]:
    """What a combined mask is made of, taken apart in turn; nodes made on the way are removed."""
    plainer = [plain(replace(mask, value=part), builder, at, depth - 1) for part in parts]
    held = [one for found in plainer for one in found]
    passed = [part for part in parts if all(one.value is not part for one in held)]
    makers = [maker for part in passed if (maker := part.producer()) is not None]
    matching.remove_dead(builder.graph, makers)
    return held


def _inside(mask: Mask, builder: Builder, at: ir.Node) -> list[Mask] | None:
    """The booleans that a mask is made of; None where it is of none."""
    node = mask.value.producer()
    if not mask.shuts:
        kept = combined.kept(mask.value, SHUT / mask.scale, builder, at)
        if kept is not None:
            return [mask.of_booleans(kept, shuts=False)]
    if values.is_operator(node, "Not") and node is not None and node.inputs[0] is not None:
        return [replace(mask, value=node.inputs[0], shuts=not mask.shuts)]
    compared = comparing.chosen(mask.value)
    if compared is not None:
        condition, inverted = compared
        return [replace(mask, value=condition, shuts=mask.shuts != inverted)]
    return _unscaled(mask, node)


def _unscaled(mask: Mask, node: ir.Node | None) -> list[Mask] | None:
    """A mask before a number multiplied or divided it."""
    if node is None or not values.is_operator(node, "Mul", "Div"):
        return None
    value, number = scalings.factor(node)
    if value is None or number is None or number <= 0:
        return None
    if values.shape(value) is None or values.shape(value) != values.shape(mask.value):
        return None
    scaled = (*mask.scaled, node)
    return [replace(mask, value=value, scale=mask.scale * number, scaled=scaled)]


def _terms(mask: Mask) -> list[Mask] | None:
    """The operands of a sum, an And or an Or of which one is a mask of its own."""
    node = mask.value.producer()
    splits = "Or" if mask.shuts else "And" if mask.value.dtype == ir.DataType.BOOL else "Add"
    if node is None or not values.is_operator(node, splits):
        return None
    held = [value for value in node.inputs if value is not None]
    if any(values.constant(value) is not None or _shuts(value, mask.scale) for value in held):
        return [replace(mask, value=value) for value in held]
    return None


def _of_numbers(mask: Mask) -> list[Mask] | None:
    """A Where that shuts some scores and adds to the others, nothing where it adds zeros."""
    node = matching.producer(mask.value, "Where")
    if node is None or mask.value.dtype == ir.DataType.BOOL:
        return None
    condition, first, second = node.inputs
    for added, lowest, inverted in ((first, second, False), (second, first, True)):
        number = algebra.uniform(lowest)
        if number is None or number * mask.scale > SHUT or condition is None or added is None:
            continue
        shut = mask.of_booleans(condition, shuts=inverted)
        return [shut] if algebra.uniform(added) == 0 else [shut, replace(mask, value=added)]
    return None


def _shuts(value: ir.Value, scale: float) -> bool:
    """Whether a value is nothing but a mask that is added: zeros, and numbers that shut scores."""
    node = value.producer()
    if node is None or not values.is_operator(node, "Mul"):
        return False
    numbers = [algebra.uniform(operand) for operand in node.inputs]
    return any(number is not None and number * scale <= SHUT for number in numbers)
