"""The terms of an attention mask: which scores are masked, and what is added to the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import comparisons, factors, mask_products
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import matching

MASKED_SCORE = -1e4
"""A score of this or less gives a softmax weight of zero in any float type, float16 included."""

_DEPTH = 8
"""Nodes of a mask that are decomposed, one above the other."""


@dataclass(frozen=True)
class Mask:
    """A tensor that broadcasts over scores of dimensions `scores`: booleans, or numbers to add.

    `is_inverted` is whether true masks a score, not false. `scale` multiplies numbers to add;
    `scaled` are the nodes that did so.
    """

    value: ir.Value
    scores: tuple[int, ...] | None
    is_inverted: bool = False
    scale: float = 1.0
    scaled: tuple[ir.Node, ...] = ()

    def of_booleans(self, value: ir.Value, *, is_inverted: bool) -> Mask:
        """A mask of booleans over the same scores."""
        return replace(self, value=value, is_inverted=is_inverted, scale=1.0, scaled=())


def of_where(node: ir.Node) -> tuple[Mask, ir.Value] | None:
    """The mask of a Where that masks scores, and the scores; None for another Where."""
    kept, first, second = node.inputs
    for scores, masked, inverted in ((first, second, False), (second, first, True)):
        number = values.uniform(masked)
        if kept is None or scores is None or number is None:
            continue
        if number <= MASKED_SCORE:
            return Mask(kept, values.shape(node.outputs[0]), inverted), scores
    return None


def terms(mask: Mask, builder: GraphBuilder, at: ir.Node, depth: int = _DEPTH) -> list[Mask]:
    """The terms of a mask: conditions of Where, operands of And and Or, summands.

    New nodes go before `at`.
    """
    if not depth:
        return [mask]
    simpler = _of_where(mask) or _of_booleans(mask, builder, at)
    if simpler is None and not mask.is_inverted:
        factor_values = mask_products.factors(mask.value, builder, at)
        if factor_values is not None:
            return _terms_of_factors(mask, factor_values, builder, at, depth)
    simpler = simpler or _operands(mask)
    if simpler is None:
        return [mask]
    return [term for one in simpler for term in terms(one, builder, at, depth - 1)]


def _terms_of_factors(
    mask: Mask, factor_values: list[ir.Value], builder: GraphBuilder, at: ir.Node, depth: int
) -> list[Mask]:
    """The terms of the factors of a mask; nodes that were inserted on the way are removed."""
    all_terms = [
        term
        for value in factor_values
        for term in terms(replace(mask, value=value), builder, at, depth - 1)
    ]
    unused = [value for value in factor_values if all(one.value is not value for one in all_terms)]
    producers = [node for value in unused if (node := value.producer()) is not None]
    matching.remove_dead(builder.graph, producers)
    return all_terms


def _of_booleans(mask: Mask, builder: GraphBuilder, at: ir.Node) -> list[Mask] | None:
    """The mask as another one that it is computed from; None where it is computed otherwise."""
    node = mask.value.producer()
    if not mask.is_inverted:
        kept = mask_products.kept_by_sum(mask.value, MASKED_SCORE / mask.scale, builder, at)
        if kept is not None:
            return [mask.of_booleans(kept, is_inverted=False)]
    if values.is_operator(node, "Not") and node is not None and node.inputs[0] is not None:
        return [replace(mask, value=node.inputs[0], is_inverted=not mask.is_inverted)]
    compared = comparisons.condition(mask.value)
    if compared is not None:
        condition, inverted = compared
        return [replace(mask, value=condition, is_inverted=mask.is_inverted != inverted)]
    return _unscaled(mask, node)


def _unscaled(mask: Mask, node: ir.Node | None) -> list[Mask] | None:
    """A mask before it is multiplied or divided by a positive number."""
    if node is None or not values.is_operator(node, "Mul", "Div"):
        return None
    value, number = factors.factor(node)
    if value is None or number is None or number <= 0:
        return None
    if values.shape(value) is None or values.shape(value) != values.shape(mask.value):
        return None
    scaled = (*mask.scaled, node)
    return [replace(mask, value=value, scale=mask.scale * number, scaled=scaled)]


def _operands(mask: Mask) -> list[Mask] | None:
    """The operands of an Add, And or Or of which one is a mask by itself."""
    node = mask.value.producer()
    operator = (
        "Or" if mask.is_inverted else "And" if mask.value.dtype == ir.DataType.BOOL else "Add"
    )
    if node is None or not values.is_operator(node, operator):
        return None
    operands = [value for value in node.inputs if value is not None]
    if any(values.constant(one) is not None or _masks(one, mask.scale) for one in operands):
        return [replace(mask, value=value) for value in operands]
    return None


def _of_where(mask: Mask) -> list[Mask] | None:
    """The terms of a Where that masks some scores and adds to the others."""
    node = matching.producer(mask.value, "Where")
    if node is None or mask.value.dtype == ir.DataType.BOOL:
        return None
    condition, first, second = node.inputs
    for added, lowest, inverted in ((first, second, False), (second, first, True)):
        number = values.uniform(lowest)
        if (
            number is None
            or number * mask.scale > MASKED_SCORE
            or condition is None
            or added is None
        ):
            continue
        masked = mask.of_booleans(condition, is_inverted=inverted)
        return [masked] if values.uniform(added) == 0 else [masked, replace(mask, value=added)]
    return None


def _masks(value: ir.Value, scale: float) -> bool:
    """Whether a value to add is a product with a number that masks scores."""
    node = value.producer()
    if node is None or not values.is_operator(node, "Mul"):
        return False
    numbers = [values.uniform(operand) for operand in node.inputs]
    return any(number is not None and number * scale <= MASKED_SCORE for number in numbers)
