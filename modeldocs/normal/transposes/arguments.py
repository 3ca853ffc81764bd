"""Constants and attributes that refer to axes, rewritten for another order of the axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement.permutations import Permutation, keeps_order, text


def can_permute_broadcast(value: ir.Value | None, rank: int) -> bool:
    """Whether an operand that broadcasts over tensors of this rank can be permuted like them."""
    if value is None or values.rank(value) == 0:
        return True
    dims = values.shape(value)
    return dims is not None and len(dims) <= rank


def permute_broadcast(node: ir.Node, slot: int, order: Permutation, builder: GraphBuilder) -> None:
    """Permute an operand that broadcasts over the others like these."""
    value = node.inputs[slot]
    dims = values.shape(value)
    is_concat = node.op_type == "Concat"
    if value is None or dims is None or (math.prod(dims) == 1 and not is_concat):
        return
    full = (1,) * (len(order) - len(dims)) + dims
    if order == tuple(range(len(order))):
        return
    array = values.constant(value)
    if array is not None:
        permuted = array.reshape(full).transpose(order)
        if not is_concat:
            permuted = permuted.reshape(_without_leading_ones(permuted.shape))
        name = f"{value.name}/{text(order)}"
        node.replace_input_with(slot, builder.constant(permuted, name))
        return
    shape = tuple(full[axis] for axis in order)
    if keeps_order(order, full):
        reshape = builder.reshape(value, shape if is_concat else _without_leading_ones(shape))
        node.replace_input_with(slot, builder.before(node, reshape))
        return
    if len(dims) < len(order):
        value = builder.before(node, builder.reshape(value, full))
    node.replace_input_with(slot, builder.before(node, builder.transpose(value, order)))


def _without_leading_ones(dims: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without leading axes of size 1, which broadcasting adds by itself."""
    first = next((index for index, dim in enumerate(dims) if dim != 1), len(dims))
    return dims[first:]


def axes(node: ir.Node, slot: int) -> list[int] | None:
    """Axes in an operand: empty where the node has none, None if computed."""
    operand = values.operand(node, slot)
    if operand is None:
        return []
    array = values.constant(operand)
    return None if array is None else [int(axis) for axis in array.reshape(-1)]


def set_axes(node: ir.Node, slot: int, new_axes: Sequence[int], builder: GraphBuilder) -> None:
    """Replace the axes in the operand that `axes` reads."""
    if values.operand(node, slot) is not None:
        _replace_constant(node, slot, list(new_axes), builder)


def are_constant(node: ir.Node) -> bool:
    """Whether all operands of a node that refer to axes are constants."""
    rank = values.rank(node.inputs[0])
    operands = node.inputs[1:]
    if node.op_type == "Pad":
        operands = (*operands[:1], *operands[2:])
    if rank is None or any(v is not None and values.constant(v) is None for v in operands):
        return False
    return node.op_type != "Expand" or _array(node, 1).size <= rank


def _array(node: ir.Node, slot: int) -> np.ndarray[Any, Any]:
    array = values.constant(values.operand(node, slot))
    return np.zeros(0, np.int64) if array is None else array.reshape(-1)


def _replace_constant(
    node: ir.Node, slot: int, items: Sequence[float], builder: GraphBuilder
) -> None:
    """Replace a constant operand by other values of its type."""
    old = node.inputs[slot]
    assert old is not None
    array = values.constant(old)
    dtype = array.dtype if array is not None else np.dtype(np.int64)
    new = builder.constant(np.array(items, dtype=dtype), f"{old.name}/moved")
    node.replace_input_with(slot, new)


def _permute_per_axis(node: ir.Node, slot: int, order: Permutation, builder: GraphBuilder) -> None:
    """Permute an operand with one number for each axis."""
    items = _array(node, slot).tolist()
    if len(items) == len(order):
        _replace_constant(node, slot, [items[axis] for axis in order], builder)


def _pad(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    if values.operand(node, 3) is not None:
        _permute_axes(node, 3, order, builder)
    else:
        _replace_constant(node, 1, _permute_ends(_array(node, 1).tolist(), order), builder)


def _permute_ends(flat: list[Any], order: Permutation) -> list[Any]:
    """Permute a list with a number for each axis' start, then one for each axis' end."""
    rank = len(order)
    return [flat[axis] for axis in order] + [flat[rank + axis] for axis in order]


def _permute_axes(node: ir.Node, slot: int, order: Permutation, builder: GraphBuilder) -> None:
    new_axes = [order.index(int(axis) % len(order)) for axis in axes(node, slot) or ()]
    set_axes(node, slot, new_axes, builder)


def _slice(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    if axes(node, 3):
        _permute_axes(node, 3, order, builder)
        return
    new_axes = [order.index(axis) for axis in range(len(_array(node, 1)))]
    if len(node.inputs) < 4:
        node.resize_inputs(4)
    operand = builder.constant(np.array(new_axes, np.int64), f"{node.outputs[0].name}/axes")
    node.replace_input_with(3, operand)


def _resize(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    if (of_axes := values.attribute(node, "axes")) is not None:
        new_axes = [order.index(int(axis) % len(order)) for axis in of_axes]
        node.attributes["axes"] = ir.AttrInt64s("axes", new_axes)
        return
    regions = _array(node, 1)
    if regions.size:
        _replace_constant(node, 1, _permute_ends(regions.tolist(), order), builder)
    for slot in (2, 3):
        if _array(node, slot).size:
            _permute_per_axis(node, slot, order, builder)


def _expand(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    items = _array(node, 1).tolist()
    items = [1] * (len(order) - len(items)) + items
    _replace_constant(node, 1, [items[axis] for axis in order], builder)


def _tile(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    _permute_per_axis(node, 1, order, builder)


CHANGES: dict[str, Callable[[ir.Node, Permutation, GraphBuilder], None]] = {
    "Pad": _pad,
    "Slice": _slice,
    "Resize": _resize,
    "Expand": _expand,
    "Tile": _tile,
}
"""By operator with arguments that refer to axes: the function that permutes these."""
