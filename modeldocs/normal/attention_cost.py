"""Multiply-accumulates of attention: queries by keys, and weights by values."""

from __future__ import annotations

from modeldocs.ir import Dim, TensorType
from modeldocs.ir.totals import known_sum
from modeldocs.normal.products import OperatorCall, times


def attention(call: OperatorCall) -> int | None:
    """Each element of a query is multiplied for each key, each element of the output likewise.

    Tensors are (batch, heads, length, size) or (batch, length, heads · size); the keys of the past
    (slot 4) come before the others.
    """
    query, key, past = call.operand(0), call.operand(1), call.operand(4)
    if query is None or key is None or not key.shape or len(key.shape) < 3:
        return None
    return _products(query, call.output, _added(key.shape[-2], past, 2))


def multi_head(call: OperatorCall) -> int | None:
    """Attention of (batch, length, size) without projections; keys may be split into heads."""
    query, key, past = call.operand(0), call.operand(1), call.operand(6)
    if query is None or key is None or query.shape is None or len(query.shape) != 3:
        return None
    if key.shape is None or len(key.shape) not in (3, 4):
        return None
    length = _added(key.shape[-2], past, 2)
    value = call.operand(2)
    weighted = call.output
    if weighted is None or weighted.elements is None:
        weighted = _of_width(query, value.shape[-1] if value is not None and value.shape else None)
    return _products(query, weighted, length)


def group_query(call: OperatorCall) -> int | None:
    """Attention in which several heads of queries share one of keys."""
    query, key, past = call.operand(0), call.operand(1), call.operand(3)
    if query is None or query.shape is None or len(query.shape) != 3:
        return None
    length = _added(query.shape[1], past, 2)
    if key is None:  # queries, keys and values are one tensor
        heads, pairs = call.number("num_heads"), call.number("kv_num_heads")
        width = query.shape[2]
        if not isinstance(width, int) or not heads or width % (heads + 2 * pairs):
            return None
        query = _of_width(query, width // (heads + 2 * pairs) * heads)
    return _products(query, query, length)


def projected(call: OperatorCall) -> int | None:
    """The input times one matrix of queries, keys and values, then both products."""
    data, weight = call.operand(0), call.weight
    past = call.operand(4 if call.operator.endswith("::Attention") else 8)
    if data is None or data.shape is None or len(data.shape) != 3 or not weight:
        return None
    widths = call.attributes.get("qkv_hidden_sizes")
    total = weight[-1]
    if not isinstance(widths, list) and isinstance(total, int):
        widths = [total // 3] * 3
    if not isinstance(widths, list) or len(widths) != 3:
        return None
    queries, outputs = _of_width(data, widths[0]), _of_width(data, widths[2])
    projection = times(data, total)
    return known_sum((projection, _products(queries, outputs, _added(data.shape[1], past, 3))))


def _products(query: TensorType | None, weighted: TensorType | None, length: Dim) -> int | None:
    return known_sum((times(query, length), times(weighted, length)))


def _of_width(tensor: TensorType, width: Dim) -> TensorType:
    return TensorType(shape=(*(tensor.shape or ())[:-1], width), dtype=tensor.dtype)


def _added(length: Dim, past: TensorType | None, axis: int) -> Dim:
    """A length with that of the past, along an axis of its tensor."""
    if past is None:
        return length
    before = past.shape[axis] if past.shape and len(past.shape) > axis else None
    is_known = isinstance(length, int) and isinstance(before, int)
    return length + before if is_known else None  # type: ignore[operator]
