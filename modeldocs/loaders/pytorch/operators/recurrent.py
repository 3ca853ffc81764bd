"""Emitters of LSTM, GRU and RNN: stacked, in one direction or both, with projections.

Torch has one weight for all gates, in another order than ONNX, and two biases. ONNX has no
projections. Where `h` is the projection `P s` of a state `s`, the gates read `R h = (R P) s`: an
LSTM whose recurrence is `R P`, and a product with `P` behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from modeldocs.loaders.emission.recurrent import GATES

_GATES = {"LSTM": "ifco", "GRU": "rzh", "RNN": "h"}
"""Torch's order of the gates."""


def emitter(
    kind: str, activation: str | None = None, **attributes: Any
) -> Callable[..., tuple[Any, ...]]:
    """The emitter of a kind of layer: all steps, and the last states (two of an LSTM).

    `activation` is that of an RNN, `attributes` are further ones of ONNX's operator.
    """

    def emit(
        x: Any,
        hx: Any,
        params: Sequence[Any],
        has_biases: bool,
        num_layers: int,
        dropout: float,  # noqa: ARG001
        train: bool,  # noqa: ARG001
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Any, ...]:
        stack = _RecurrentStack(kind, params, has_biases, num_layers, bidirectional)
        named = {"activations": [activation] * stack.directions} if activation else {}
        states = hx if kind == "LSTM" else [hx]
        return stack.emit(x, states, batch_first=batch_first, **attributes, **named)

    return emit


@dataclass(frozen=True)
class _RecurrentStack:
    """Recurrent layers on top of each other."""

    kind: str
    params: Sequence[Any]
    has_biases: bool
    layers: int
    bidirectional: bool

    @property
    def directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def projected(self) -> bool:
        """Whether each direction has a projection after its weights and biases."""
        return len(self.params) == self.layers * self.directions * (self._unprojected + 1)

    @property
    def _unprojected(self) -> int:
        return 4 if self.has_biases else 2

    def of(self, layer: int) -> list[Sequence[Any]]:
        """The parameters of each direction of a layer: W, R, two biases, the projection."""
        count = self._unprojected + self.projected
        first = layer * self.directions
        return [
            self.params[index * count : (index + 1) * count]
            for index in range(first, first + self.directions)
        ]

    def emit(
        self, x: Any, states: Sequence[Any], *, batch_first: bool, **attributes: Any
    ) -> tuple[Any, ...]:
        """All steps, and the last states of all layers."""
        if self.projected and not all(map(_is_zero, states)):
            raise NotImplementedError("a projected LSTM that does not start from zeros")
        op = _opset()
        value = op.Transpose(x, perm=[1, 0, 2]) if batch_first else x
        last: list[list[Any]] = [[] for _ in states]
        for layer in range(self.layers):
            value, states_after = self._layer(value, layer, states, attributes)
            for collected, state in zip(last, states_after, strict=True):
                collected.append(state)
        value = op.Transpose(value, perm=[1, 0, 2]) if batch_first else value
        return value, *map(_joined, last)

    def _layer(
        self, x: Any, layer: int, states: Sequence[Any], attributes: dict[str, Any]
    ) -> tuple[Any, list[Any]]:
        """All steps of one layer, (time, batch, directions · width), and its last states."""
        op, parts = _opset(), self.of(layer)
        projections = [part[-1] for part in parts] if self.projected else []
        hidden = int(parts[0][0].shape[0]) // len(_GATES[self.kind])
        recurrences = [self._ordered(part[1]) for part in parts]
        if projections:
            pairs = zip(recurrences, projections, strict=True)
            recurrences = [op.MatMul(recurrence, projection) for recurrence, projection in pairs]
        initial = [] if projections else [self._initial(state, layer) for state in states]
        y, *after = getattr(op, self.kind)(
            x,
            _stacked([self._ordered(part[0]) for part in parts]),
            _stacked(recurrences),
            self._biases(parts),
            None,
            *initial,
            hidden_size=hidden,
            direction="bidirectional" if self.bidirectional else "forward",
            **attributes,
        )
        width = hidden
        if projections:
            width = int(projections[0].shape[0])
            last = _stacked([op.Transpose(projection, perm=[1, 0]) for projection in projections])
            y, after[0] = (op.MatMul(value, last) for value in (y, after[0]))
        steps = op.Transpose(y, perm=[0, 2, 1, 3])
        return op.Reshape(steps, _axes([0, 0, self.directions * width])), after

    def _biases(self, parts: Sequence[Sequence[Any]]) -> Any:
        """The biases of input and recurrence of each direction as one operand."""
        if not self.has_biases:
            return None
        both = [_joined([self._ordered(one) for one in part[2:4]]) for part in parts]
        return _stacked(both)

    def _ordered(self, value: Any) -> Any:
        """A weight or bias with its gates in ONNX's order."""
        gates, wanted = _GATES[self.kind], GATES[self.kind]
        if gates == wanted:
            return value
        pieces = _opset().Split(value, axis=0, num_outputs=len(gates))
        by_gate = dict(zip(gates, pieces, strict=True))
        return _joined([by_gate[gate] for gate in wanted])

    def _initial(self, state: Any, layer: int) -> Any:
        """The initial states of one layer, of those of all."""
        if self.layers == 1:
            return state
        first = layer * self.directions
        return _opset().Slice(state, _axes([first]), _axes([first + self.directions]), _axes([0]))


def _opset() -> Any:
    from onnxscript import opset23

    return opset23


def _axes(numbers: Sequence[int]) -> Any:
    """A constant vector."""
    return _opset().Constant(value_ints=list(numbers))


def _joined(values: Sequence[Any]) -> Any:
    """Values concatenated along their first axis."""
    return values[0] if len(values) == 1 else _opset().Concat(*values, axis=0)


def _stacked(values: Sequence[Any]) -> Any:
    """What each direction has, as one operand."""
    return _joined([_opset().Unsqueeze(value, _axes([0])) for value in values])


def _is_zero(state: Any) -> bool:
    """Whether a state is zeros that the program makes: an Expand of a Constant 0."""
    node = state.producer()
    constant = node.inputs[0].producer() if node is not None and node.op_type == "Expand" else None
    if constant is None or constant.op_type != "Constant" or "value" not in constant.attributes:
        return False
    return not constant.attributes["value"].value.numpy().any()
