"""Recurrent layers with nothing said that ONNX takes for granted.

Exporters write initial states of zeros, activations that are the default, peepholes of zeros, and
lengths that are all of the sequence. `layout` 1 becomes Transposes around a layer of `layout` 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations

OPERATORS: Final = operators.named(recurrent=True)

_DEFAULTS: Final = {"direction": "forward", "linear_before_reset": 0, "input_forget": 0}
_LENGTHS, _STATES, _PEEPHOLES = 4, (5, 6), 7
"""Slots of operands; a cell state and peepholes are an LSTM's alone."""
_BIAS: Final = 3
_FILLED: Final = operators.moving("identity", "reshape", "transpose", "cut", "copy")


def simplify(model: ir.Model) -> None:
    """Leave out defaults of LSTM, GRU and RNN, and take time to be their first axis."""
    builder = GraphBuilder(model.graph)
    for node in list(model.graph):
        if values.is_operator(node, *OPERATORS):
            _drop_defaults(node)
            _drop_operands(node)
            if values.attribute(node, "layout", 0):
                _time_first(builder, node)


def _drop_defaults(node: ir.Node) -> None:
    """Attributes that say what they are without being said."""
    for name, default in _DEFAULTS.items():
        if values.attribute(node, name) == default:
            del node.attributes[name]
    functions = values.attribute(node, "activations")
    directions = 2 if values.attribute(node, "direction", "") == "bidirectional" else 1
    default = [name.lower() for name in operators.of(node.op_type).activations] * directions
    if functions is not None and [str(name).lower() for name in functions] == default:
        for name in ("activations", "activation_alpha", "activation_beta"):
            node.attributes.pop(name, None)


def _drop_operands(node: ir.Node) -> None:
    """Operands that are zeros, and lengths of whole sequences."""
    for slot in (_BIAS, *_STATES, _PEEPHOLES):
        if _is_zero(values.operand(node, slot)):
            node.replace_input_with(slot, None)
    lengths = values.constant(values.operand(node, _LENGTHS))
    shape = values.shape(values.operand(node, 0))
    time = 1 if values.attribute(node, "layout", 0) else 0
    if lengths is not None and shape is not None and bool((lengths == shape[time]).all()):
        node.replace_input_with(_LENGTHS, None)
    read = [slot for slot, value in enumerate(node.inputs) if value is not None]
    node.resize_inputs(max(read, default=-1) + 1)


def _is_zero(value: ir.Value | None) -> bool:
    """Whether every element of an operand is 0: of a constant, or one that is stretched."""
    while value is not None and values.constant(value) is None:
        node = value.producer()
        if values.is_operator(node, "ConstantOfShape"):
            filled = values.attribute(node, "value") if node is not None else None
            return filled is None or not np.any(filled.numpy())
        if node is None or not values.is_operator(node, *_FILLED):
            return False
        value = node.inputs[0]
    array = values.constant(value)
    return array is not None and array.dtype.kind == "f" and not array.any()


def _time_first(builder: GraphBuilder, node: ir.Node) -> None:
    """The same layer over (time, batch, …), between Transposes."""
    del node.attributes["layout"]
    for slot in (0, *_STATES):
        value = values.operand(node, slot)
        if value is not None:
            node.replace_input_with(slot, builder.before(node, builder.transpose(value, (1, 0, 2))))
    for index, output in enumerate(node.outputs):
        # All steps (batch, time, directions, hidden) of (time, directions, batch, hidden).
        order, back = ((2, 0, 1, 3), (1, 2, 0, 3)) if index == 0 else ((1, 0, 2), (1, 0, 2))
        shape = output.shape
        turned = builder.transpose(output, order)
        turned.outputs[0].shape = shape
        output.shape = ir.Shape([shape[axis] for axis in back]) if shape is not None else None
        ir.convenience.replace_all_uses_with(output, turned.outputs[0], replace_graph_outputs=True)
        turned.replace_input_with(0, output)
        builder.after(output, turned)


def stored_axes(value: ir.Value, part: ir.Value) -> permutations.Permutation:
    """The axes of a stored weight in the order in which a layer reads them in a composed operand.

    Empty where they are in that order already, or where the operand mixes them.
    """
    axes = [axis for axis in _axes_of(value, part) or () if axis is not None]
    is_whole = sorted(axes) == list(range(values.rank(part) or 0))
    return tuple(axes) if is_whole and axes != sorted(axes) else ()


def _axes_of(value: ir.Value, part: ir.Value) -> list[int | None] | None:
    """For each axis of a value, the axis of a stored weight that runs along it; None for others."""
    rank, node = values.rank(value), value.producer()
    if value is part and rank is not None:
        return list(range(rank))
    if node is None or rank is None:
        return None
    operands = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    sources = [(one, _axes_of(one, part)) for one in operands if one is not None]
    source, axes = next(((one, axes) for one, axes in sources if axes), (None, None))
    if axes is None:
        return None
    if values.is_operator(node, "Transpose"):
        order = permutations.of_node(node)
        return [axes[axis] for axis in order] if order is not None else None
    return axes if rank == len(axes) else _reshaped(axes, values.shape(source), values.shape(value))


def _reshaped(
    axes: list[int | None], before: tuple[int, ...] | None, after: tuple[int, ...] | None
) -> list[int | None] | None:
    """The axes behind a change of shape that adds or drops axes of size one; None for others."""
    if before is None or after is None:
        return None
    wide = [axis for axis, size in zip(axes, before, strict=True) if size != 1]
    if [size for size in before if size != 1] != [size for size in after if size != 1]:
        return None
    rest = iter(wide)
    return [next(rest) if size != 1 else None for size in after]
