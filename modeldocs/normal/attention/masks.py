"""All masks of an attention combined: one tensor, and whether they are causal.

A constant mask of zeros and very negative numbers becomes booleans; one by which each position
attends to itself and earlier ones becomes `is_causal`; one that masks nothing is dropped.
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
from modeldocs.normal.attention import mask_shapes, mask_terms
from modeldocs.normal.attention.mask_terms import MASKED_SCORE, Mask
from modeldocs.normal.builder import GraphBuilder

Array = np.ndarray[Any, Any]


@dataclass
class CombinedMask:
    """All masks of one attention: their tensor, None where there is none, and `is_causal`."""

    value: ir.Value | None = None
    causal: bool = False


def combine(
    masks: Sequence[Mask], dims: tuple[int, ...] | None, builder: GraphBuilder, at: ir.Node
) -> CombinedMask | None:
    """The masks as one over scores of `dims`: (batch, heads, queries, keys); None where impossible.

    New nodes go before `at`.
    """
    combined, tensors = CombinedMask(), []
    for mask in [term for one in masks for term in mask_terms.terms(one, builder, at)]:
        array = values.constant(mask.value)
        if array is not None:
            array = _as_booleans(_scale_constant(array, mask.scale), inverted=mask.is_inverted)
            if array.dtype == np.bool_ and bool(array.all()):
                continue
            if array.dtype.kind == "f" and not array.any():
                continue
            if _is_causal(array):
                combined.causal = True
                continue
            array = mask_shapes.reshape_constant(array, mask.scores, dims)
            if array is None:
                return None
            tensors.append(builder.constant(_compact(array), f"{mask.value.name}/mask"))
            continue
        value = _reshape(mask, dims, builder, at)
        if value is None:
            return None
        value = _scale(value, mask, builder, at)
        if mask.is_inverted:
            value = builder.before(at, builder.node("Not", [value], like=value))
        tensors.append(value)
    for tensor in tensors:
        before = combined.value
        combined.value = tensor if before is None else _combine_two(before, tensor, builder, at)
    return combined


def _scale_constant(array: Array, scale: float) -> Array:
    """A constant mask multiplied like the scores it is added to."""
    return array if scale == 1 else (array * scale).astype(array.dtype)


def _scale(value: ir.Value, mask: Mask, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    """A computed mask multiplied like the scores it is added to."""
    if mask.scale == 1:
        return value
    product = builder.node("Mul", [value, builder.scalar(mask.scale, value)], like=value)
    origin.merge(product, *mask.scaled)
    return builder.before(at, product)


def _as_booleans(array: Array, *, inverted: bool) -> Array:
    """A constant as booleans that are true where a score is kept; itself where it adds numbers."""
    if array.dtype == np.bool_:
        return ~array if inverted else array
    is_masked = array <= MASKED_SCORE
    return ~is_masked if bool(((array == 0) | is_masked).all()) else array


def _is_causal(kept: Array) -> bool:
    """Whether each position attends to itself and all earlier ones, and no other."""
    if kept.dtype != np.bool_ or kept.ndim < 2 or kept.shape[-1] != kept.shape[-2]:
        return False
    length = kept.shape[-1]
    return length > 1 and bool((kept == np.tri(length, dtype=bool)).all())


def _compact(array: Array) -> Array:
    """A constant with size 1 along axes before the last two on which it does not depend."""
    for axis in range(array.ndim - 2):
        first = array.take([0], axis)
        if bool((array == first).all()):
            array = first
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    return array


def _reshape(
    mask: Mask, dims: tuple[int, ...] | None, builder: GraphBuilder, at: ir.Node
) -> ir.Value | None:
    """A computed mask reshaped like the scores on their way to the softmax."""
    own_dims = values.shape(mask.value)
    if own_dims is None or mask.scores is None or dims is None:
        return mask.value if mask.scores == dims else None
    shapes = mask_shapes.broadcast_and_reshaped(own_dims, mask.scores, dims)
    if shapes is None or math.prod(shapes[0]) != math.prod(own_dims):
        return None
    if shapes[1] == own_dims:
        return mask.value
    return builder.before(at, builder.reshape(mask.value, shapes[1]))


def _combine_two(first: ir.Value, second: ir.Value, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    """Two masks as one."""
    shape = _broadcast(first, second)
    are_booleans = (first.dtype == ir.DataType.BOOL, second.dtype == ir.DataType.BOOL)
    if are_booleans[0] == are_booleans[1]:
        operator = "And" if are_booleans[0] else "Add"
        return builder.before(at, builder.node(operator, [first, second], like=first, shape=shape))
    kept, added = (first, second) if are_booleans[0] else (second, first)
    known, numbers = values.constant(kept), values.constant(added)
    if known is not None and numbers is not None:
        array = np.where(known, numbers, MASKED_SCORE).astype(numbers.dtype)
        return builder.constant(array, f"{added.name}/mask")
    masked = builder.scalar(MASKED_SCORE, added)
    where = builder.node("Where", [kept, added, masked], like=added, shape=shape)
    return builder.before(at, where)


def _broadcast(first: ir.Value, second: ir.Value) -> tuple[int, ...] | None:
    shapes = [values.shape(value) for value in (first, second)]
    known = [dims for dims in shapes if dims is not None]
    return np.broadcast_shapes(*known) if len(known) == 2 else None
