"""Emitters of LSTM, GRU and SimpleRNN, in one direction or both.

Keras has the gates in one kernel (in, gates · units), in another order than ONNX, and sequences
(batch, time, features). ONNX has kernels (directions, gates · units, in), and sequences (time,
batch, features).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission import recurrent as emission
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.operation import KerasOperation

_GATES = {"LSTM": "ifco", "GRU": "zrh", "RNN": "h"}
"""Keras' order of the gates."""

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
def recurrent(op: KerasOperation) -> list[ir.Value]:
    """One direction; a layer that runs backwards returns its steps in the order it ran them."""
    layer = op.source
    direction = "reverse" if layer.go_backwards else "forward"
    steps, states = _run(op, [layer], direction)
    shape = op.output_shape()
    if layer.return_sequences:
        outputs = op.reshape(op.transpose(steps, [2, 0, 1, 3]), shape)
        if layer.go_backwards:
            outputs = cutting.turned_round(op, outputs, [1])
    else:
        outputs = op.reshape(states[0], shape)
    if not layer.return_state:
        return [outputs]
    last_states = [op.reshape(state, op.output_shape(1 + i)) for i, state in enumerate(states)]
    return [outputs, *last_states]


@emits("Bidirectional")
def bidirectional(op: KerasOperation) -> list[ir.Value]:
    """Both directions in one operator, merged."""
    wrapper = op.source
    layers = [wrapper.forward_layer, wrapper.backward_layer]
    if layers[0].go_backwards or wrapper.return_state or wrapper.stateful:
        raise NotImplementedError("it returns states, or its first layer runs backwards")
    steps, states = _run(op, layers, "bidirectional")
    if wrapper.return_sequences:
        both = op.transpose(steps, [2, 0, 1, 3])
    else:
        both = op.transpose(states[0], [1, 0, 2])
    return _merged(op, both, wrapper.merge_mode)


def _merged(op: KerasOperation, both: ir.Value, mode: str | None) -> list[ir.Value]:
    """The two directions, along the axis before the last, merged into one."""
    shape = op.output_shape()
    if mode == "concat":
        return [op.reshape(both, shape)]
    halves = cutting.split(op, both, [1, 1], len(op.shape_of(both)) - 2)
    forward, backward = (op.reshape(half, shape) for half in halves)
    if mode is None:
        return [forward, backward]
    if mode == "mul":
        return [op.node("Mul", [forward, backward])]
    total = op.node("Add", [forward, backward])
    return [total if mode == "sum" else op.node("Div", [total, op.number(2.0)])]


def _run(op: KerasOperation, layers: list[Any], direction: str) -> tuple[ir.Value, list[ir.Value]]:
    """All steps (time, directions, batch, units) and the last states (directions, batch, units)."""
    kind, cells = _kind(layers), [layer.cell for layer in layers]
    units, count = int(cells[0].units), len(layers)
    source = op.input()
    batch = op.shape_of(source)[0]
    operands = [
        op.transpose(source, [1, 0, 2]),
        emission.stack_directions(op, [_kernel(op, cell.kernel, kind) for cell in cells]),
        emission.stack_directions(op, [_kernel(op, cell.recurrent_kernel, kind) for cell in cells]),
        emission.stack_directions(op, [_biases(op, cell, kind) for cell in cells])
        if cells[0].use_bias
        else None,
        _lengths(op),
        *_initial(op, count, (count, batch, units)),
    ]
    steps, *states = emission.recurrent(
        op,
        kind,
        operands,
        direction=direction,
        hidden_size=units,
        linear_before_reset=int(cells[0].reset_after) if kind == "GRU" else None,
        **_functions(cells, kind),
    )
    return steps, states


def _kind(layers: list[Any]) -> str:
    cell_kinds = {type(layer.cell).__name__ for layer in layers}
    names = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "RNN"}
    settings = {(layer.cell.units, layer.cell.use_bias) for layer in layers}
    if len(cell_kinds) > 1 or len(settings) > 1 or not cell_kinds <= names.keys():
        raise NotImplementedError("ONNX has no operator for its cells")
    return names[cell_kinds.pop()]


def _functions(cells: list[Any], kind: str) -> dict[str, Any]:
    """Activations of each direction, with their parameters where a function has any."""
    functions = []
    for cell in cells:
        names = [cell.activation.__name__]
        if kind != "RNN":
            names.insert(0, cell.recurrent_activation.__name__)
        if kind == "LSTM":
            names.append(cell.activation.__name__)
        functions += names
    if not all(name in _ACTIVATIONS for name in functions):
        raise NotImplementedError(f"ONNX's {kind} has no activation {', '.join(functions)}")
    operators = [_ACTIVATIONS[name] for name in functions]
    if not any(name in _ALPHAS for name in operators):
        return {"activations": operators}
    return {
        "activations": operators,
        "activation_alpha": [_ALPHAS.get(name, 0.0) for name in operators],
        "activation_beta": [_BETAS.get(name, 0.0) for name in operators],
    }


def _kernel(op: KerasOperation, variable: Any, kind: str) -> ir.Value:
    """A kernel (in, gates · units) as ONNX has it: (1, gates · units, in)."""
    transposed = op.transpose(op.weight(variable), [1, 0])
    ordered = emission.reorder_gates(op, transposed, _GATES[kind], kind)
    return op.unsqueeze(ordered, [0])


def _biases(op: KerasOperation, cell: Any, kind: str) -> ir.Value:
    """Biases of input and recurrence in one vector; Keras may have the first alone."""
    bias = op.weight(cell.bias)
    if len(cell.bias.shape) == 2:
        biases = op.reshape(bias, [int(np.prod(cell.bias.shape))])
    else:
        ordered = emission.reorder_gates(op, bias, _GATES[kind], kind)
        size = int(cell.bias.shape[0])
        zeros = op.constant(np.zeros(size), ordered.dtype, "no_bias")
        biases = op.node("Concat", [ordered, zeros], axis=0)
    return op.unsqueeze(biases, [0])


def _lengths(op: KerasOperation) -> ir.Value | None:
    """The number of steps that a mask keeps in each sequence, taken to be the first ones."""
    argument = op.arguments.get("mask")
    mask = argument if isinstance(argument, ir.Value) else op.mask()
    if mask is None:
        return None
    op.notes.append(
        f"{op.name!r} reads a mask: ONNX has a length for each sequence instead, which is the "
        "same where the masked steps are the last"
    )
    kept = op.cast(mask, ir.DataType.INT32)
    return op.node("ReduceSum", [kept, op.integers([1], "axes")], keepdims=0, label="lengths")


def _initial(
    op: KerasOperation, directions: int, shape: tuple[int | None, ...]
) -> list[ir.Value | None]:
    """The initial states among the arguments, as ONNX has them."""
    argument = op.arguments.get("initial_state")
    if argument is None:
        return []
    states = list(argument) if isinstance(argument, list | tuple) else [argument]
    if directions > 1:
        raise NotImplementedError("it has initial states for both directions")
    return [op.reshape(state, shape) for state in states]
