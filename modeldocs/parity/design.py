"""Designed weights and inputs: such that what ports get wrong shows in the numbers.

Statistics are as small as the epsilon beside them, inputs are signed, and every layer's weights
are scaled by what it reads, so that activations neither vanish nor grow through the network.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Layer
from modeldocs.normal import values
from modeldocs.parity import sizes
from modeldocs.parity.side import Edge, Side, Weight

Arrays = dict[str, np.ndarray]

_DRAWN = 1_048_573
"""Normal numbers that are drawn; larger weights repeat them. It is prime: no two rows are alike."""

_INDICES = {("Gather", 1), ("GatherElements", 1), ("OneHot", 0)}
"""Operands by operator and slot that are indices, which some frameworks keep as floats."""

_MEAN = 0.3
"""Size of means, by that of what they are taken from."""

_BIAS = 0.1
"""The same of biases. Larger ones would make all rows of a deep encoder alike."""


class Draws:
    """Normal numbers, the same for a name on every machine."""

    def __init__(self, seed: int = 0) -> None:
        generator = np.random.Generator(np.random.PCG64(seed))
        self.numbers = generator.standard_normal(_DRAWN, dtype=np.float32)

    def normal(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Standard normal numbers of float32."""
        count = math.prod(shape)
        start = zlib.crc32(name.encode()) % _DRAWN
        first = self.numbers[start : start + count]
        if len(first) == count:
            return first.reshape(shape).copy()
        rest = np.resize(self.numbers, count - len(first))
        return np.concatenate([first, rest]).reshape(shape)

    def uniform(self, name: str, shape: tuple[int, ...], low: float, high: float) -> np.ndarray:
        """Numbers spread evenly between two bounds."""
        spread = (self.normal(f"{name} spread", shape) * 1e4) % 1.0
        return np.asarray(low + (high - low) * spread, dtype=np.float32)


@dataclass
class Designer:
    """Goes through a network's layers in order, and knows how large what they read is."""

    side: Side
    draws: Draws
    wanted: dict[str, float]
    size: dict[str, float] = field(default_factory=dict)
    made: Arrays = field(default_factory=dict)

    def all(self) -> Arrays:
        """Every parameter of the network, as it is stored, by name."""
        for layer in self.side.graph.layers:
            self.layer(layer)
        return self.made

    def layer(self, layer: Layer) -> None:
        """Design a layer's weights, and tell how large its output is."""
        read = [self.size.get(edge.maker, 1.0) for edge in self.side.edges[layer.id]]
        for weight in self.side.weights[layer.id]:
            if weight.name not in self.made:
                self.made[weight.name] = self._stored(layer, weight, read[0] if read else 1.0)
        self.size[layer.id] = self._output(layer, read)

    def _output(self, layer: Layer, read: list[float]) -> float:
        roles = {weight.role for weight in self.side.weights[layer.id]}
        if layer.operator == "BatchNormalization" and "scale" not in roles:
            return max(read, default=1.0) / math.sqrt(sizes.epsilon(layer, 1e-8, 1e-2))
        if roles & {"weight", "scale", "W"}:
            return self.wanted[layer.id] * 1.05
        return sizes.given(layer.operator, read)

    def _stored(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        """A parameter's values as it is kept. What is no float (positions) keeps its own."""
        held = weight.route.root.dtype
        if held is None or held.is_floating_point():
            array = weight.stored(self._drawn(layer, weight, read))
            return np.asarray(array, _kind(weight), order="C")
        own = weight.route.root.const_value
        found = values.tensor(own) if own is not None else None
        return np.zeros(weight.stored_shape, _kind(weight)) if found is None else found

    def _drawn(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        """A parameter's values in normal order."""
        by_role: dict[str, Callable[[Layer, Weight, float], np.ndarray]] = {
            "weight": self._weight,
            "scale": self._scale,
            "var": self._var,
            "mean": self._mean,
            "bias": self._bias,
        }
        return by_role.get(weight.role, self._other)(layer, weight, read)

    def _weight(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        drawn = weight.normal(self.draws.normal(weight.name, weight.stored_shape))
        wanted = self.wanted[layer.id]
        if layer.operator == "Gather":
            drawn *= np.float32(wanted)
        else:
            fan = max(fan_in(layer, weight.shape), 1)
            drawn *= np.float32(wanted / (max(read, 1e-12) * math.sqrt(fan)))
        return drawn

    def _var(self, layer: Layer, weight: Weight, _read: float) -> np.ndarray:
        """Log-uniform around the epsilon that is added to it."""
        power = self.draws.uniform(weight.name, weight.shape, -2.0, 0.5)
        return np.asarray(sizes.epsilon(layer, 1e-8, 1e-2) * 10.0**power, np.float32)

    def _scale(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        wanted = self.wanted[layer.id]
        spread = self.draws.uniform(weight.name, weight.shape, 0.7, 1.3) * np.float32(wanted)
        if layer.operator != "BatchNormalization":
            return spread
        held = next((w for w in self.side.weights[layer.id] if w.role == "var"), None)
        var = np.ones(1) if held is None else self._var(layer, held, read)
        root = np.sqrt(var + sizes.epsilon(layer, 0.0, 1.0))
        return np.asarray(spread * root / max(read, 1e-12), np.float32)

    def _mean(self, _layer: Layer, weight: Weight, read: float) -> np.ndarray:
        return self.draws.normal(weight.name, weight.shape) * np.float32(_MEAN * read)

    def _bias(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        size = self.wanted[layer.id]
        if layer.operator == "BatchNormalization":
            size = self._output(layer, [read])
        return self.draws.normal(weight.name, weight.shape) * np.float32(_BIAS * size)

    def _other(self, layer: Layer, weight: Weight, read: float) -> np.ndarray:
        """Parameters of element-wise layers, slopes, and those of recurrent cells."""
        if weight.role == "slope":
            return self.draws.uniform(weight.name, weight.shape, 0.1, 0.3)
        if layer.operator in ("Add", "Sub", "Sum"):
            return self.draws.normal(weight.name, weight.shape) * np.float32(_BIAS * read)
        if layer.operator in ("LSTM", "GRU", "RNN"):
            size = 1 / math.sqrt(max(weight.shape[-1], 1)) if weight.role in "WR" else 0.1
            return self.draws.normal(weight.name, weight.shape) * np.float32(size)
        return self.draws.uniform(weight.name, weight.shape, 0.7, 1.3)


def fan_in(layer: Layer, shape: tuple[int, ...]) -> float:
    """Products in one element of a layer's output, of the weight's shape in normal order."""
    if layer.operator == "ConvTranspose":
        strides = layer.sizes("strides")
        return float(shape[0] * math.prod(shape[2:]) / math.prod(strides))
    if layer.operator == "MatMul":
        return shape[-2] if len(shape) > 1 else math.prod(shape)
    return math.prod(shape[1:])


def inputs(side: Side, draws: Draws) -> Arrays:
    """What a network is fed: signed numbers, or integers that its tables have rows for."""
    return {
        str(value.name): _sample(side, name, value, draws) for name, value in side.entries.items()
    }


def _sample(side: Side, name: str, value: ir.Value, draws: Draws) -> np.ndarray:
    shape = tuple(dim if isinstance(dim, int) else 1 for dim in value.shape or ())
    kind = value.dtype.numpy() if value.dtype is not None else np.dtype(np.float32)
    rows = [_rows(side, edge) for edge in side.readers.get(str(value.name), [])]
    bound = min((count for count in rows if count), default=2)
    if kind.kind in "fc" and not any(rows):
        return draws.normal(f"input {name}", shape).astype(kind)
    made = draws.uniform(f"input {name}", shape, 0, bound).astype(np.int64)
    made[..., :1] = 1  # a mask of zeros alone would leave nothing to attend to
    return np.minimum(made, bound - 1).astype(kind)


def _rows(side: Side, edge: Edge) -> int | None:
    """Rows of the table that a layer looks up what it reads in; None where it looks up nothing.

    Where the table is no parameter it has two at least.
    """
    if (side.layers[edge.layer].operator, edge.slot) not in _INDICES:
        return None
    tables = [weight for weight in side.weights[edge.layer] if weight.role == "weight"]
    return tables[0].shape[0] if tables else 2


def _kind(weight: Weight) -> np.dtype[np.generic]:
    kind = weight.route.root.dtype
    return kind.numpy() if kind is not None else np.dtype(np.float32)
