"""RNN: MXNet's fused stack of recurrent layers, whose weights all lie in one vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import said, sizes
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.operators.creation import refill
from modeldocs.loaders.mxnet.operators.cutting import cut

_MODES = {"lstm": ("LSTM", 4), "gru": ("GRU", 3), "rnn_tanh": ("RNN", 1), "rnn_relu": ("RNN", 1)}

_ORDER = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}
"""ONNX's gates among MXNet's: i o f c of i f c o, z r h of r z h."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The sizes of a stack of recurrent layers."""

    mode: str
    layers: int
    directions: int
    hidden: int
    width: int

    @property
    def gates(self) -> int:
        """Matrices in one layer's weight."""
        return _MODES[self.mode][1]

    def inputs(self, layer: int) -> int:
        """What a layer reads: the network's input, or all directions of the layer below."""
        return self.width if layer == 0 else self.hidden * self.directions

    def weights(self) -> list[tuple[int, int]]:
        """Shapes in the order that the vector has them: all weights, then all biases."""
        rows = self.gates * self.hidden
        found = []
        for layer in range(self.layers):
            found += [(rows, self.inputs(layer)), (rows, self.hidden)] * self.directions
        return found

    @property
    def count(self) -> int:
        """Values in the vector."""
        biases = 2 * self.layers * self.directions * self.gates * self.hidden
        return sum(rows * columns for rows, columns in self.weights()) + biases


@emits("RNN")
def rnn(op: Operation) -> Outputs:
    """LSTM, GRU or RNN for each layer; their weights are cut out of the one vector."""
    steps, batch, width = op.sizes(least=3)[:3]
    stack = _stack(op, width)
    vector = op.parameter("parameters", (stack.count,))
    states = [_state(op, slot, stack, batch) for slot in ((2, 3) if stack.mode == "lstm" else (2,))]
    shape = (steps, batch, stack.hidden * stack.directions)
    plain = not any(
        op.settings.has(name) and op.settings.text(name) not in ("False", "0")
        for name in ("projection_size", "use_sequence_length", "lstm_state_clip_min")
    )
    state_shape = (stack.layers * stack.directions, batch, stack.hidden)
    if not plain:
        inputs = [op.value(), vector, *states]
        return op.opaque([shape, state_shape, state_shape][: max(1, op.outputs)], inputs)
    return _layers(op, stack, vector, states)


def _stack(op: Operation, width: int) -> Stack:
    mode = op.settings.choice("mode", None, *_MODES)
    layers = op.settings.integer("num_layers", least=1)
    if layers > 1000:
        raise op.error(f"has {layers} layers", fix="give it at most 1000")
    return Stack(
        mode=mode,
        layers=layers,
        directions=2 if op.settings.flag("bidirectional", default=False) else 1,
        hidden=op.settings.integer("state_size", least=1),
        width=width,
    )


def _state(op: Operation, slot: int, stack: Stack, batch: int) -> ir.Value:
    shape = (stack.layers * stack.directions, batch, stack.hidden)
    held = op.state(slot, shape)
    if shape_of(held) != shape and not refill(held, shape):
        raise op.error(
            f"begins with a state of {said(shape_of(held))}, it takes {said(shape)}",
            fix="correct the state's shape",
        )
    return held


def _layers(op: Operation, stack: Stack, vector: ir.Value, states: list[ir.Value]) -> Outputs:
    value = op.value()
    steps, batch = sizes(shape_of(value))[:2]
    ends: list[list[ir.Value]] = [[] for _ in states]
    packed = _Packed(op, stack, vector)
    for layer in range(stack.layers):
        first = layer * stack.directions
        begins = [
            cut(op, state, [0], [first], [first + stack.directions]) if stack.layers > 1 else state
            for state in states
        ]
        made = _one(op, stack, value, packed.layer(layer), begins)
        turned = op.transpose(made[0], (0, 2, 1, 3))
        value = op.reshaped(turned, (steps, batch, stack.directions * stack.hidden))
        for held, end in zip(ends, made[1:], strict=True):
            held.append(end)
    return [value, *(_concatenated(op, held, 0) for held in ends)][: max(1, op.outputs)]


def _one(
    op: Operation,
    stack: Stack,
    value: ir.Value,
    weights: list[ir.Value],
    begins: list[ir.Value],
) -> list[ir.Value]:
    kind = _MODES[stack.mode][0]
    attributes: dict[str, Any] = {
        "hidden_size": stack.hidden,
        "direction": "bidirectional" if stack.directions == 2 else "forward",
    }
    if kind == "GRU":
        attributes["linear_before_reset"] = 1
    if kind == "RNN":
        name = "Relu" if stack.mode == "rnn_relu" else "Tanh"
        attributes["activations"] = [name] * stack.directions
    inputs = [value, *weights, None, *begins]
    return op.node_of_several(kind, inputs, 1 + len(begins), **attributes)


def _concatenated(op: Operation, values: list[ir.Value], axis: int) -> ir.Value:
    return values[0] if len(values) == 1 else op.node("Concat", values, axis=axis)


class _Packed:
    """The vector of all weights, cut into what ONNX reads."""

    def __init__(self, op: Operation, stack: Stack, vector: ir.Value) -> None:
        self.op, self.stack, self.vector = op, stack, vector
        self.starts = [0]
        for rows, columns in stack.weights():
            self.starts.append(self.starts[-1] + rows * columns)

    def layer(self, layer: int) -> list[ir.Value]:
        """W, R and B of a layer: directions first, the gates in ONNX's order."""
        stack = self.stack
        first = 2 * layer * stack.directions
        weights = [
            self._stacked([first + 2 * d + part for d in range(stack.directions)])
            for part in (0, 1)
        ]
        return [*weights, self._biases(layer)]

    def _stacked(self, indices: list[int]) -> ir.Value:
        shapes = self.stack.weights()
        made = [self._gates(self.starts[i], shapes[i], (1, *shapes[i])) for i in indices]
        return _concatenated(self.op, made, 0)

    def _biases(self, layer: int) -> ir.Value:
        rows = self.stack.gates * self.stack.hidden
        made = []
        for direction in range(self.stack.directions):
            at = self.starts[-1] + 2 * rows * (layer * self.stack.directions + direction)
            both = [self._gates(at + part * rows, (rows,), (1, rows)) for part in (0, 1)]
            made.append(_concatenated(self.op, both, 1))
        return _concatenated(self.op, made, 0)

    def _gates(self, start: int, shape: tuple[int, ...], wanted: tuple[int, ...]) -> ir.Value:
        """A part of the vector, its gates reordered."""
        op, columns = self.op, shape[1] if len(shape) > 1 else 1
        whole = cut(op, self.vector, [0], [start], [start + shape[0] * columns])
        order = _ORDER.get(self.stack.mode)
        if order is None:
            return op.reshaped(whole, wanted)
        size = self.stack.hidden * columns
        parts = cutting.split(op, whole, [size] * len(order), 0)
        return op.reshaped(_concatenated(self.op, [parts[gate] for gate in order], 0), wanted)
