"""Masks of attention: what is added to scores, or which scores are kept.

A constant one that is shut everywhere or nowhere is of booleans, one that shows each place itself
and those before it is no tensor but `is_causal`, and one that shuts nothing is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import combined, spreading
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import algebra, matching

_SHUT = -1e4
"""A score below this gives a weight of zero in any float type."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Mask:
    """A tensor spread over scores of these dimensions; `shuts` where true, not false, is shut."""

    value: ir.Value
    scores: tuple[int, ...] | None
    shuts: bool = False


@dataclass
class Told:
    """All masks of one attention: the tensor that they come to, and whether they are causal."""

    value: ir.Value | None = None
    causal: bool = False


def of_where(node: ir.Node) -> tuple[Mask, ir.Value] | None:
    """The mask of a Where that shuts scores, and the scores."""
    kept, first, second = node.inputs
    for scores, shut, inverted in ((first, second, False), (second, first, True)):
        lowest = algebra.uniform(shut)
        if kept is not None and scores is not None and lowest is not None and lowest <= _SHUT:
            return Mask(kept, values.shape(node.outputs[0]), inverted), scores
    return None


def told(
    masks: Sequence[Mask], dims: tuple[int, ...] | None, builder: Builder, at: ir.Node
) -> Told | None:
    """The masks as one tensor over batch x heads x queries x keys; None where they cannot be.

    New nodes go before `at`.
    """
    found, parts = Told(), []
    for mask in [part for given in masks for part in _plain(given, builder, at)]:
        array = values.constant(mask.value)
        if array is not None:
            array = _opened(array, inverted=mask.shuts)
            if array.dtype == np.bool_ and bool(array.all()):
                continue
            if array.dtype.kind == "f" and not array.any():
                continue
            if _is_causal(array):
                found.causal = True
                continue
            array = spreading.reshaped(array, mask.scores, dims)
            if array is None:
                return None
            parts.append(builder.constant(_compact(array), f"{mask.value.name}/mask"))
            continue
        value = _spread(mask, dims, builder, at)
        if value is None:
            return None
        if mask.shuts:
            value = builder.before(at, builder.node("Not", [value], like=value))
        parts.append(value)
    for part in parts:
        found.value = part if found.value is None else _both(found.value, part, builder, at)
    return found


def _plain(mask: Mask, builder: Builder, at: ir.Node, depth: int = 8) -> list[Mask]:
    """A mask taken apart: what a Where or an And says of which scores are shut, sums of two."""
    node = mask.value.producer() if depth else None
    if (
        values.is_operator(node, "Where")
        and node is not None
        and mask.value.dtype != ir.DataType.BOOL
    ):
        kept, first, second = node.inputs
        numbers = (algebra.uniform(first), algebra.uniform(second))
        for opened, shut, inverted in ((*numbers, False), (*numbers[::-1], True)):
            if kept is not None and opened == 0 and shut is not None and shut <= _SHUT:
                return _plain(replace(mask, value=kept, shuts=inverted), builder, at, depth - 1)
    kept = combined.kept(mask.value, _SHUT, builder, at) if depth and not mask.shuts else None
    if kept is not None:
        return _plain(replace(mask, value=kept), builder, at, depth - 1)
    if values.is_operator(node, "Not") and node is not None and node.inputs[0] is not None:
        turned = replace(mask, value=node.inputs[0], shuts=not mask.shuts)
        return _plain(turned, builder, at, depth - 1)
    parts = combined.apart(mask.value, builder, at) if depth and not mask.shuts else None
    if parts is not None:
        plain = [_plain(replace(mask, value=part), builder, at, depth - 1) for part in parts]
        found = [one for held in plain for one in held]
        passed = [part for part in parts if all(one.value is not part for one in found)]
        makers = [maker for part in passed if (maker := part.producer()) is not None]
        matching.remove_dead(builder.graph, makers)
        return found
    splits = "Or" if mask.shuts else "And" if mask.value.dtype == ir.DataType.BOOL else "Add"
    if values.is_operator(node, splits) and node is not None:
        held = [value for value in node.inputs if value is not None]
        if any(values.constant(value) is not None or _shuts(value) for value in held):
            return [
                part
                for value in held
                for part in _plain(replace(mask, value=value), builder, at, depth - 1)
            ]
    return [mask]


def _shuts(value: ir.Value) -> bool:
    """Whether a value is nothing but a mask that is added: zeros, and numbers that shut scores."""
    node = value.producer()
    if node is None or not values.is_operator(node, "Mul"):
        return False
    numbers = [algebra.uniform(operand) for operand in node.inputs]
    return any(number is not None and number <= _SHUT for number in numbers)


def _opened(array: Array, *, inverted: bool) -> Array:
    """A constant as booleans that are true where a score is kept, where it can be."""
    if array.dtype == np.bool_:
        return ~array if inverted else array
    shut = array <= _SHUT
    return ~shut if bool(((array == 0) | shut).all()) else array


def _is_causal(kept: Array) -> bool:
    """Whether each place sees itself and those before it, and no other."""
    if kept.dtype != np.bool_ or kept.ndim < 2 or kept.shape[-1] != kept.shape[-2]:
        return False
    steps = kept.shape[-1]
    return steps > 1 and bool((kept == np.tri(steps, dtype=bool)).all())


def _compact(array: Array) -> Array:
    """A constant without axes before the last two along which it is all the same."""
    for axis in range(array.ndim - 2):
        first = array.take([0], axis)
        if bool((array == first).all()):
            array = first
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return array


def _spread(
    mask: Mask, dims: tuple[int, ...] | None, builder: Builder, at: ir.Node
) -> ir.Value | None:
    """A computed mask as one of the scores that the softmax reads."""
    held = values.shape(mask.value)
    if held is None or mask.scores is None or dims is None:
        return mask.value if mask.scores == dims else None
    told = spreading.shapes(held, mask.scores, dims)
    if told is None or math.prod(told[0]) != math.prod(held):
        return None
    if told[1] == held:
        return mask.value
    return builder.before(at, builder.reshape(mask.value, told[1]))


def _both(first: ir.Value, second: ir.Value, builder: Builder, at: ir.Node) -> ir.Value:
    """Two masks as one."""
    shape = _broadcast(first, second)
    kinds = (first.dtype == ir.DataType.BOOL, second.dtype == ir.DataType.BOOL)
    if kinds[0] == kinds[1]:
        operator = "And" if kinds[0] else "Add"
        return builder.before(at, builder.node(operator, [first, second], like=first, shape=shape))
    kept, added = (first, second) if kinds[0] else (second, first)
    lowest = builder.scalar(_SHUT, added)
    made = builder.node("Where", [kept, added, lowest], like=added, shape=shape)
    return builder.before(at, made)


def _broadcast(first: ir.Value, second: ir.Value) -> tuple[int, ...] | None:
    held = [values.shape(value) for value in (first, second)]
    known = [dims for dims in held if dims is not None]
    return np.broadcast_shapes(*known) if len(known) == 2 else None
