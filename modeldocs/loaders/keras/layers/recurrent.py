"""LSTM, GRU and SimpleRNN, alone and in both directions.

Keras keeps the gates side by side in one kernel, in another order than ONNX, and runs batches of
sequences; ONNX keeps them below each other, a direction each, and runs sequences of batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits

_GATES = {"LSTM": (0, 3, 1, 2), "GRU": (0, 1, 2), "RNN": (0,)}
"""Keras' gates in the order of ONNX: i f c o to i o f c, and z r h as they are."""

_ACTIVATIONS = {
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "relu": "Relu",
    "softsign": "Softsign",
    "softplus": "Softplus",
    "hard_sigmoid": "HardSigmoid",
    "linear": "Affine",
}
_ALPHAS = {"HardSigmoid": 1 / 6, "Affine": 1.0}
_BETAS = {"HardSigmoid": 0.5, "Affine": 0.0}


@emits("LSTM", "GRU", "SimpleRNN")
def recurrent(call: Call) -> list[ir.Value]:
    """One direction; a layer that goes backwards gives its steps in the order it took them."""
    layer = call.operation
    direction = "reverse" if layer.go_backwards else "forward"
    steps, states = _run(call, [layer], direction)
    shape = call.output_shape()
    if layer.return_sequences:
        made = call.reshape(call.transpose(steps, [2, 0, 1, 3]), shape)
        if layer.go_backwards:
            made = _reversed(call, made)
    else:
        made = call.reshape(states[0], shape)
    if not layer.return_state:
        return [made]
    rest = [call.reshape(state, call.output_shape(1 + i)) for i, state in enumerate(states)]
    return [made, *rest]


@emits("Bidirectional")
def bidirectional(call: Call) -> list[ir.Value]:
    """Both directions in one operator, merged."""
    wrapper = call.operation
    layers = [wrapper.forward_layer, wrapper.backward_layer]
    if layers[0].go_backwards or wrapper.return_state or wrapper.stateful:
        raise NotImplementedError("it gives states, or starts backwards")
    steps, states = _run(call, layers, "bidirectional")
    if wrapper.return_sequences:
        both = call.transpose(steps, [2, 0, 1, 3])
    else:
        both = call.transpose(states[0], [1, 0, 2])
    return _merged(call, both, wrapper.merge_mode)


def _merged(call: Call, both: ir.Value, mode: str | None) -> list[ir.Value]:
    """The two directions, which lie along the axis before the last, as one."""
    shape = call.output_shape()
    if mode == "concat":
        return [call.reshape(both, shape)]
    halves = cutting.split(call, both, [1, 1], len(call.shape(both)) - 2)
    forward, backward = (call.reshape(half, shape) for half in halves)
    if mode is None:
        return [forward, backward]
    if mode == "mul":
        return [call.node("Mul", [forward, backward])]
    total = call.node("Add", [forward, backward])
    return [total if mode == "sum" else call.node("Div", [total, call.number(2.0)])]


def _run(call: Call, layers: list[Any], direction: str) -> tuple[ir.Value, list[ir.Value]]:
    """All steps (time, directions, batch, units) and the last states (directions, batch, units)."""
    kind, cells = _kind(layers), [layer.cell for layer in layers]
    units, count = int(cells[0].units), len(layers)
    source = call.input
    batch = call.shape(source)[0]
    operands = [
        call.transpose(source, [1, 0, 2]),
        _joined(call, [_kernel(call, cell.kernel, kind) for cell in cells]),
        _joined(call, [_kernel(call, cell.recurrent_kernel, kind) for cell in cells]),
        _joined(call, [_biases(call, cell, kind) for cell in cells]) if cells[0].use_bias else None,
        _lengths(call),
        *_initial(call, count, (count, batch, units)),
    ]
    made = call.node_of_several(
        kind,
        operands,
        3 if kind == "LSTM" else 2,
        direction=direction,
        hidden_size=units,
        linear_before_reset=int(cells[0].reset_after) if kind == "GRU" else None,
        **_functions(cells, kind),
    )
    return made[0], made[1:]


def _kind(layers: list[Any]) -> str:
    kinds = {type(layer.cell).__name__ for layer in layers}
    names = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "RNN"}
    same = {(layer.cell.units, layer.cell.use_bias) for layer in layers}
    if len(kinds) > 1 or len(same) > 1 or not kinds <= names.keys():
        raise NotImplementedError("ONNX has no operator for its cells")
    return names[kinds.pop()]


def _functions(cells: list[Any], kind: str) -> dict[str, Any]:
    """Activations of each direction, where they are not ONNX's defaults."""
    wanted = []
    for cell in cells:
        names = [cell.activation.__name__]
        if kind != "RNN":
            names.insert(0, cell.recurrent_activation.__name__)
        if kind == "LSTM":
            names.append(cell.activation.__name__)
        wanted += names
    if not all(name in _ACTIVATIONS for name in wanted):
        raise NotImplementedError(f"ONNX's {kind} has no activation {', '.join(wanted)}")
    found = [_ACTIVATIONS[name] for name in wanted]
    if not any(name in _ALPHAS for name in found):
        return {"activations": found}
    return {
        "activations": found,
        "activation_alpha": [_ALPHAS.get(name, 0.0) for name in found],
        "activation_beta": [_BETAS.get(name, 0.0) for name in found],
    }


def _kernel(call: Call, variable: Any, kind: str) -> ir.Value:
    """A kernel (in, gates · units) as ONNX has it: (1, gates · units, in)."""
    turned = call.transpose(call.weight(variable), [1, 0])
    ordered = _in_order(call, turned, kind)
    return call.node("Unsqueeze", [ordered, call.integers([0], "axes")])


def _biases(call: Call, cell: Any, kind: str) -> ir.Value:
    """The biases of input and recurrence behind each other; Keras may have the first alone."""
    bias = call.weight(cell.bias)
    if len(cell.bias.shape) == 2:
        both = call.reshape(bias, [int(np.prod(cell.bias.shape))])
    else:
        ordered = _in_order(call, bias, kind)
        size = int(cell.bias.shape[0])
        none = call.constant(np.zeros(size), ordered.dtype, "no_bias")
        both = call.node("Concat", [ordered, none], axis=0)
    return call.node("Unsqueeze", [both, call.integers([0], "axes")])


def _in_order(call: Call, value: ir.Value, kind: str) -> ir.Value:
    """Gates along the first axis in the order of ONNX."""
    order = _GATES[kind]
    if list(order) == sorted(order):
        return value
    part = call.size(call.shape(value)[0]) // len(order)
    gates = cutting.split(call, value, [part] * len(order), 0)
    return call.node("Concat", [*(gates[i] for i in order)], axis=0)


def _joined(call: Call, values: list[ir.Value]) -> ir.Value:
    return values[0] if len(values) == 1 else call.node("Concat", [*values], axis=0)


def _lengths(call: Call) -> ir.Value | None:
    """How many steps of each sequence a mask leaves; they are taken to be the first ones."""
    given = call.arguments.get("mask")
    mask = given if isinstance(given, ir.Value) else call.mask()
    if mask is None:
        return None
    call.notes.append(
        f"{call.name!r} reads a mask: ONNX has a length for each sequence instead, which is the "
        "same where the masked steps are the last"
    )
    counted = call.cast(mask, ir.DataType.INT32)
    return call.node(
        "ReduceSum", [counted, call.integers([1], "axes")], keepdims=0, label="lengths"
    )


def _initial(call: Call, directions: int, shape: tuple[int | None, ...]) -> list[ir.Value | None]:
    """States that the call was given, as ONNX wants them."""
    given = call.arguments.get("initial_state")
    if given is None:
        return []
    states = list(given) if isinstance(given, list | tuple) else [given]
    if directions > 1:
        raise NotImplementedError("it is given states for both directions")
    return [call.reshape(state, shape) for state in states]


def _reversed(call: Call, value: ir.Value) -> ir.Value:
    """The steps in the order that a layer going backwards takes them."""
    return cutting.turned_round(call, value, [1])
