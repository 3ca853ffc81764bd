"""Emitter of MXNet's `RNN`: a stack of recurrent layers whose weights form one vector."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.loaders.dims import as_text, sizes
from modeldocs.loaders.emission import recurrent
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits
from modeldocs.loaders.mxnet.operators.creation import refill
from modeldocs.loaders.mxnet.operators.slicing import cut

_MODES = {
    "lstm": ("LSTM", "ifco", None),
    "gru": ("GRU", "rzh", None),
    "rnn_tanh": ("RNN", "h", "Tanh"),
    "rnn_relu": ("RNN", "h", "Relu"),
}
"""ONNX's operator, the order of the gates in MXNet's weights, and the activation if it varies."""

_UNSUPPORTED = ("projection_size", "use_sequence_length", "lstm_state_clip_min")
"""Settings that ONNX's operators do not have."""

Part = tuple[int, tuple[int, ...]]
"""Start and shape of a weight or bias in the vector."""


@dataclass(frozen=True, slots=True)
class StackSettings:
    """ONNX's operator, the order of the gates, the activation, and the sizes of a stack."""

    kind: str
    gates: str
    activation: str | None
    layers: int
    directions: int
    hidden: int
    width: int

    def parts(self) -> list[Part]:
        """The parts of the vector in order: W and R of each layer, then their biases."""
        rows = len(self.gates) * self.hidden
        weights: list[tuple[int, ...]] = []
        for layer in range(self.layers):
            width = self.width if layer == 0 else self.hidden * self.directions
            weights += [(rows, width), (rows, self.hidden)] * self.directions
        shapes = weights + [(rows,)] * len(weights)
        starts = itertools.accumulate((math.prod(shape) for shape in shapes), initial=0)
        return list(zip(starts, shapes, strict=False))


@emits("RNN")
def rnn(op: MxnetOperation) -> Outputs:
    """LSTM, GRU or RNN for each layer, with weights that are sliced from the vector."""
    steps, batch, width = op.sizes(least=3)[:3]
    stack = _stack(op, width)
    parts = stack.parts()
    vector = op.parameter("parameters", (sum(math.prod(shape) for _, shape in parts),))
    state_shape = (stack.layers * stack.directions, batch, stack.hidden)
    states = [_state(op, slot, state_shape) for slot in ((2, 3) if stack.kind == "LSTM" else (2,))]
    if any(
        op.settings.has(name) and op.settings.text(name) not in ("False", "0")
        for name in _UNSUPPORTED
    ):
        shapes = [(steps, batch, stack.hidden * stack.directions), state_shape, state_shape]
        return op.opaque(shapes[: max(1, op.outputs)], [op.input(), vector, *states])
    return _layers(op, stack, vector, parts, states)


def _stack(op: MxnetOperation, width: int) -> StackSettings:
    mode = op.settings.choice("mode", None, *_MODES)
    layers = op.settings.integer("num_layers", least=1)
    if layers > 1000:
        raise op.error(f"has {layers} layers", fix="give it at most 1000")
    directions = 2 if op.settings.flag("bidirectional", default=False) else 1
    hidden = op.settings.integer("state_size", least=1)
    return StackSettings(*_MODES[mode], layers, directions, hidden, width)


def _state(op: MxnetOperation, slot: int, shape: tuple[int, ...]) -> ir.Value:
    state = op.state(slot, shape)
    if shape_of(state) != shape and not refill(state, shape):
        raise op.error(
            f"has an initial state of {as_text(shape_of(state))}, it takes {as_text(shape)}",
            fix="correct the state's shape",
        )
    return state


def _layers(
    op: MxnetOperation,
    stack: StackSettings,
    vector: ir.Value,
    parts: list[Part],
    states: list[ir.Value],
) -> Outputs:
    value, directions = op.input(), stack.directions
    steps, batch = sizes(shape_of(value))[:2]
    last_states: list[list[ir.Value]] = [[] for _ in states]
    for layer in range(stack.layers):
        first = layer * directions
        initial = [
            cut(op, state, [0], [first], [first + directions]) if stack.layers > 1 else state
            for state in states
        ]
        output, *last = recurrent.recurrent(
            op,
            stack.kind,
            [value, *_weights(op, stack, vector, parts, first), None, *initial],
            hidden_size=stack.hidden,
            direction="bidirectional" if directions == 2 else "forward",
            linear_before_reset=1 if stack.kind == "GRU" else None,
            activations=[stack.activation] * directions if stack.activation else None,
        )
        by_step = op.transpose(output, (0, 2, 1, 3))
        value = op.reshaped(by_step, (steps, batch, directions * stack.hidden))
        for values, state in zip(last_states, last, strict=True):
            values.append(state)
    joined = (recurrent.stack_directions(op, values) for values in last_states)
    return [value, *joined][: max(1, op.outputs)]


def _weights(
    op: MxnetOperation, stack: StackSettings, vector: ir.Value, parts: list[Part], first: int
) -> list[ir.Value]:
    """W, R and B of a layer whose directions count from `first`, with gates in ONNX's order."""

    def weight(index: int) -> ir.Value:
        start, shape = parts[index]
        flat = cut(op, vector, [0], [start], [start + math.prod(shape)])
        ordered = recurrent.reorder_gates(op, flat, stack.gates, stack.kind)
        return op.reshaped(ordered, (1, *shape))

    # Each direction has two parts among the weights (W and R), and two among the biases.
    indices = range(2 * first, 2 * (first + stack.directions), 2)
    weights = [
        recurrent.stack_directions(op, [weight(index + offset) for index in indices])
        for offset in (0, 1)
    ]
    biases = [
        op.node("Concat", [weight(index), weight(index + 1)], axis=1)
        for index in (len(parts) // 2 + index for index in indices)
    ]
    return [*weights, recurrent.stack_directions(op, biases)]
