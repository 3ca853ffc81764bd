"""Constants and attributes that speak of axes: told anew for another order of the axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder
from modeldocs.normal.permutations import Permutation, keeps_order, text


def may_spread(value: ir.Value | None, rank: int) -> bool:
    """Whether a tensor that is spread over one of `rank` axes can be put in another order."""
    if value is None or values.rank(value) == 0:
        return True
    dims = values.shape(value)
    return dims is not None and len(dims) <= rank


def move_spread(node: ir.Node, slot: int, order: Permutation, builder: Builder) -> None:
    """Put an operand that is spread over the others in their order of axes."""
    value = node.inputs[slot]
    dims = values.shape(value)
    concatenated = node.op_type == "Concat"
    if value is None or dims is None or (math.prod(dims) == 1 and not concatenated):
        return
    full = (1,) * (len(order) - len(dims)) + dims
    if order == tuple(range(len(order))):
        return
    array = values.constant(value)
    if array is not None:
        moved = array.reshape(full).transpose(order)
        named = f"{value.name}/{text(order)}"
        node.replace_input_with(slot, builder.constant(_plain(moved, whole=concatenated), named))
        return
    wanted = tuple(full[axis] for axis in order)
    if keeps_order(order, full):
        made = builder.reshape(value, wanted if concatenated else _short(wanted))
        node.replace_input_with(slot, builder.before(node, made))
        return
    if len(dims) < len(order):
        value = builder.before(node, builder.reshape(value, full))
    node.replace_input_with(slot, builder.before(node, builder.transpose(value, order)))


def _short(dims: tuple[int, ...]) -> tuple[int, ...]:
    """Without the leading axes of one element, which broadcasting adds by itself."""
    first = next((index for index, dim in enumerate(dims) if dim != 1), len(dims))
    return dims[first:]


def _plain(array: np.ndarray[Any, Any], *, whole: bool) -> np.ndarray[Any, Any]:
    return array if whole else array.reshape(_short(array.shape))


def axes(node: ir.Node, slot: int) -> list[int] | None:
    """Axes in an attribute or an operand; empty where the node names none, None if computed."""
    operand = values.operand(node, slot)
    if operand is None:
        return [int(axis) for axis in values.attribute(node, "axes", ())]
    array = values.constant(operand)
    return None if array is None else [int(axis) for axis in array.reshape(-1)]


def set_axes(node: ir.Node, slot: int, found: Sequence[int], builder: Builder) -> None:
    """Name other axes where the node named its axes."""
    if values.operand(node, slot) is None:
        node.attributes["axes"] = ir.AttrInt64s("axes", list(found))
    else:
        _put(node, slot, list(found), builder)


def known(node: ir.Node) -> bool:
    """Whether the operands of a node that speak of axes are constants."""
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


def _put(node: ir.Node, slot: int, items: Sequence[float], builder: Builder) -> None:
    """A constant operand of other values, of the type it had."""
    old = node.inputs[slot]
    assert old is not None
    held = values.constant(old)
    kind = held.dtype if held is not None else np.dtype(np.int64)
    made = builder.constant(np.array(items, dtype=kind), f"{old.name}/moved")
    node.replace_input_with(slot, made)


def _moved_list(node: ir.Node, slot: int, order: Permutation, builder: Builder) -> None:
    """One number for each axis, in an operand."""
    items = _array(node, slot).tolist()
    if len(items) == len(order):
        _put(node, slot, [items[axis] for axis in order], builder)


def _pad(node: ir.Node, order: Permutation, builder: Builder) -> None:
    if values.operand(node, 1) is None:
        name = "pads" if "pads" in node.attributes else "paddings"
        flat = list(values.attribute(node, name, ()))
        node.attributes[name] = ir.AttrInt64s(name, _both_ends(flat, order))
    elif values.operand(node, 3) is not None:
        _rename(node, 3, order, builder)
    else:
        _put(node, 1, _both_ends(_array(node, 1).tolist(), order), builder)


def _both_ends(flat: list[Any], order: Permutation) -> list[Any]:
    rank = len(order)
    return [flat[axis] for axis in order] + [flat[rank + axis] for axis in order]


def _rename(node: ir.Node, slot: int, order: Permutation, builder: Builder) -> None:
    found = [order.index(int(axis) % len(order)) for axis in axes(node, slot) or ()]
    set_axes(node, slot, found, builder)


def _slice(node: ir.Node, order: Permutation, builder: Builder) -> None:
    named = axes(node, 3)
    if named:
        _rename(node, 3, order, builder)
        return
    starts = len(_array(node, 1)) or len(values.attribute(node, "starts", ()))
    found = [order.index(axis) for axis in range(starts)]
    if values.operand(node, 1) is None:
        node.attributes["axes"] = ir.AttrInt64s("axes", found)
        return
    if len(node.inputs) < 4:
        node.resize_inputs(4)
    made = builder.constant(np.array(found, np.int64), f"{node.outputs[0].name}/axes")
    node.replace_input_with(3, made)


def _resize(node: ir.Node, order: Permutation, builder: Builder) -> None:
    if values.attribute(node, "axes") is not None:
        _rename(node, len(node.inputs) + 1, order, builder)
        return
    if "scales" in node.attributes:
        scales = list(values.attribute(node, "scales"))
        node.attributes["scales"] = ir.AttrFloat32s("scales", [scales[axis] for axis in order])
        return
    regions = _array(node, 1) if len(node.inputs) > 2 else np.zeros(0)
    if regions.size:
        _put(node, 1, _both_ends(regions.tolist(), order), builder)
    for slot in (1,) if len(node.inputs) == 2 else (2, 3):
        if _array(node, slot).size:
            _moved_list(node, slot, order, builder)


def _expand(node: ir.Node, order: Permutation, builder: Builder) -> None:
    items = _array(node, 1).tolist()
    items = [1] * (len(order) - len(items)) + items
    _put(node, 1, [items[axis] for axis in order], builder)


def _tile(node: ir.Node, order: Permutation, builder: Builder) -> None:
    _moved_list(node, 1, order, builder)


CHANGES: dict[str, Callable[[ir.Node, Permutation, Builder], None]] = {
    "Pad": _pad,
    "Slice": _slice,
    "Resize": _resize,
    "Upsample": _resize,
    "Expand": _expand,
    "Tile": _tile,
}
"""Operators whose arguments hold a number for each axis, or name axes."""
