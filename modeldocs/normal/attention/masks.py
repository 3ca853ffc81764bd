"""All masks of an attention as one tensor, and whether they are causal.

A constant one that is shut everywhere or nowhere is of booleans, one that shows each place itself
and those before it is no tensor but `is_causal`, and one that shuts nothing is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.attention import parts, spreading
from modeldocs.normal.attention.parts import SHUT, Mask
from modeldocs.normal.building import Builder

Array = np.ndarray[Any, Any]


@dataclass
class Told:
    """All masks of one attention: the tensor that they come to, and whether they are causal."""

    value: ir.Value | None = None
    causal: bool = False


def told(
    masks: Sequence[Mask], dims: tuple[int, ...] | None, builder: Builder, at: ir.Node
) -> Told | None:
    """The masks as one tensor over batch x heads x queries x keys; None where they cannot be.

    New nodes go before `at`.
    """
    found, tensors = Told(), []
    for mask in [part for given in masks for part in parts.plain(given, builder, at)]:
        array = values.constant(mask.value)
        if array is not None:
            array = _opened(_scaled(array, mask.scale), inverted=mask.shuts)
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
            tensors.append(builder.constant(_compact(array), f"{mask.value.name}/mask"))
            continue
        value = _spread(mask, dims, builder, at)
        if value is None:
            return None
        value = _multiplied(value, mask, builder, at)
        if mask.shuts:
            value = builder.before(at, builder.node("Not", [value], like=value))
        tensors.append(value)
    for part in tensors:
        found.value = part if found.value is None else _both(found.value, part, builder, at)
    return found


def _scaled(array: Array, scale: float) -> Array:
    """A constant as it is added to scores that a number has multiplied."""
    return array if scale == 1 else (array * scale).astype(array.dtype)


def _multiplied(value: ir.Value, mask: Mask, builder: Builder, at: ir.Node) -> ir.Value:
    """A computed mask as it is added to scores that a number has multiplied."""
    if mask.scale == 1:
        return value
    made = builder.node("Mul", [value, builder.scalar(mask.scale, value)], like=value)
    origin.merge(made, *mask.scaled)
    return builder.before(at, made)


def _opened(array: Array, *, inverted: bool) -> Array:
    """A constant as booleans that are true where a score is kept, where it can be."""
    if array.dtype == np.bool_:
        return ~array if inverted else array
    shut = array <= SHUT
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
    lowest = builder.scalar(SHUT, added)
    made = builder.node("Where", [kept, added, lowest], like=added, shape=shape)
    return builder.before(at, made)


def _broadcast(first: ir.Value, second: ir.Value) -> tuple[int, ...] | None:
    held = [values.shape(value) for value in (first, second)]
    known = [dims for dims in held if dims is not None]
    return np.broadcast_shapes(*known) if len(known) == 2 else None
