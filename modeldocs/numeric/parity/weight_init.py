"""Designed weights and inputs: such that mistakes common in ports show in the outputs.

Variances are as small as the epsilon beside them, inputs are signed, and every layer's weights are
scaled by the scale of its input, so that activations neither vanish nor grow through the network.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Layer, operators
from modeldocs.normal import values
from modeldocs.numeric.parity import scales, stored_weights
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph, Weight

Arrays = dict[str, np.ndarray]

_POOL_SIZE = 1_048_573
"""Normal numbers that are drawn; larger weights repeat them. It is prime, so that no two rows of a
weight are equal."""

_KEPT, _MAX_KEPT = 512, 65_536
"""Arrays of random numbers that are kept, as inputs of groups that run alone, and the numbers of
each: at most 128 MiB.
"""

_MEAN_SCALE = 0.3
"""Scale of means, per scale of what they are subtracted from: large enough to
show, and smaller than the spread of the values. Tests pass with 0.05
and with 1.5, too."""

_BIAS_SCALE = 0.1
"""Scale of biases, per scale of the output. With larger ones, rows of a deep encoder become alike.
"""

_OUTPUT_GAIN = 1.05
"""Scale of a weighted layer's output, bias included, per scale that it was designed for.
tests/numeric/parity pass with 1.0 and with 1.5, too."""

_VARIANCE_EXPONENTS = -2.0, 0.5
"""Powers of ten between which variances are drawn, relative to the epsilon added to them: for most
channels the epsilon counts. tests/numeric/parity pass with 0.0 to 2.0, too."""

_SPREAD = 0.7, 1.3
"""Bounds of scales: different for each channel, and of one order of magnitude."""

_SLOPES = 0.1, 0.3
"""Bounds of the slopes of a PRelu, away from 0 (a Relu) and 1 (no activation)."""


class SeededRandom:
    """Random numbers that depend on the seed and a name alone, on every machine."""

    def __init__(self, seed: int = 0) -> None:
        self.seed, self.numbers = seed, _numbers(seed)

    def normal(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Standard normal float32 numbers: those that are kept, in a circle."""
        count = math.prod(shape)
        start = zlib.crc32(name.encode()) % _POOL_SIZE
        drawn = np.empty(count, self.numbers.dtype)
        filled = 0
        while filled < count:
            part = self.numbers[start : start + count - filled]
            drawn[filled : filled + len(part)] = part
            filled, start = filled + len(part), 0
        return drawn.reshape(shape)

    def scaled(self, name: str, shape: tuple[int, ...], scale: float) -> np.ndarray:
        """Normal float32 numbers of a scale; read-only, since small arrays are drawn once."""
        if math.prod(shape) > _MAX_KEPT:
            return self.normal(name, shape) * np.float32(scale)
        return _scaled(self.seed, name, shape, scale)

    def uniform(self, name: str, shape: tuple[int, ...], low: float, high: float) -> np.ndarray:
        """float32 numbers, uniform between two bounds."""
        spread = (self.normal(f"{name} spread", shape) * 1e4) % 1.0
        return np.asarray(low + (high - low) * spread, dtype=np.float32)


@functools.cache
def _numbers(seed: int) -> np.ndarray:
    """Normal numbers, which are drawn once a process."""
    generator = np.random.Generator(np.random.PCG64(seed))
    numbers = generator.standard_normal(_POOL_SIZE, dtype=np.float32)
    numbers.flags.writeable = False
    return numbers


@functools.lru_cache(_KEPT)
def _scaled(seed: int, name: str, shape: tuple[int, ...], scale: float) -> np.ndarray:
    numbers = SeededRandom(seed).normal(name, shape)
    numbers *= np.float32(scale)
    numbers.flags.writeable = False
    return numbers


@dataclass
class WeightInitializer:
    """Designs a network's weights, layer by layer in the graph's order.

    `target_scales` are those that readers need, `scales` those of the outputs so far, by layer.
    With `usual`, variances are about 1, and not as small as the epsilon that is added to them.
    """

    graph: RunnableGraph
    random: SeededRandom
    target_scales: dict[str, float]
    usual: bool = False
    scales: dict[str, float] = field(default_factory=dict)
    weights: Arrays = field(default_factory=dict)

    def initialize(self) -> Arrays:
        """Every parameter of the network by name, in stored order."""
        for layer in self.graph.layer_graph.layers:
            self.initialize_layer(layer)
        self.weights = stored_weights.consistent(self.graph, self.weights)
        return self.weights

    def initialize_layer(self, layer: Layer) -> None:
        """Design a layer's weights, and record the scale of its output."""
        input_scales = [self.scales.get(edge.producer, 1.0) for edge in self.graph.edges[layer.id]]
        for weight in self.graph.weights[layer.id]:
            if weight.name not in self.weights:
                self.weights[weight.name] = self._stored(
                    layer, weight, input_scales[0] if input_scales else 1.0
                )
        self.scales[layer.id] = self._output(layer, input_scales or [1.0])

    def _output(self, layer: Layer, input_scales: list[float]) -> float:
        roles = {weight.role for weight in self.graph.weights[layer.id]}
        if layer.operator == "BatchNormalization" and "scale" not in roles:
            return max(input_scales, default=1.0) / math.sqrt(self._variance(layer))
        if roles & {"weight", "scale", "W"}:
            return self.target_scales[layer.id] * _OUTPUT_GAIN
        return scales.output_scale(layer.operator, input_scales)

    def _stored(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        """A parameter's stored values. Integers keep the model's own, or are 0."""
        dtype = weight.path.root.dtype
        if dtype is None or dtype.is_floating_point():
            array = weight.stored(self._values(layer, weight, scale))
            return np.asarray(array, _dtype(weight), order="C")
        constant = weight.path.root.const_value
        own_values = values.tensor(constant) if constant is not None else None
        return np.zeros(weight.stored_shape, _dtype(weight)) if own_values is None else own_values

    def _values(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        """A parameter's values in normal order."""
        by_role: dict[str, Callable[[Layer, Weight, float], np.ndarray]] = {
            "weight": self._weight,
            "scale": self._scale,
            "var": self._var,
            "mean": self._mean,
            "bias": self._bias,
        }
        return by_role.get(weight.role, self._other)(layer, weight, scale)

    def _weight(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        array = weight.normal(self.random.normal(weight.name, weight.stored_shape))
        target = self.target_scales[layer.id]
        if layer.operator == "Gather":
            array *= np.float32(target)
        else:
            fan = max(fan_in(layer, weight.shape), 1)
            array *= np.float32(target / (max(scale, 1e-12) * math.sqrt(fan)))
        return array

    def _var(self, layer: Layer, weight: Weight, _scale: float) -> np.ndarray:
        """Log-uniform around the epsilon that is added to it."""
        power = self.random.uniform(weight.name, weight.shape, *_VARIANCE_EXPONENTS)
        return np.asarray(self._variance(layer) * 10.0**power, np.float32)

    def _variance(self, layer: Layer) -> float:
        """The scale of a variance that a layer adds its epsilon to."""
        return 1.0 if self.usual else scales.epsilon(layer, 1e-8, 1e-2)

    def _scale(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        target = self.target_scales[layer.id]
        spread = self.random.uniform(weight.name, weight.shape, *_SPREAD) * np.float32(target)
        if layer.operator != "BatchNormalization":
            return spread
        var_weight = next((w for w in self.graph.weights[layer.id] if w.role == "var"), None)
        var = np.ones(1) if var_weight is None else self._var(layer, var_weight, scale)
        root = np.sqrt(var + scales.epsilon(layer, 0.0, 1.0))
        return np.asarray(spread * root / max(scale, 1e-12), np.float32)

    def _mean(self, _layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        return self.random.normal(weight.name, weight.shape) * np.float32(_MEAN_SCALE * scale)

    def _bias(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        std = self.target_scales[layer.id]
        if layer.operator == "BatchNormalization":
            std = self._output(layer, [scale])
        return self.random.normal(weight.name, weight.shape) * np.float32(_BIAS_SCALE * std)

    def _other(self, layer: Layer, weight: Weight, scale: float) -> np.ndarray:
        """Slopes, and parameters of elementwise and recurrent layers."""
        if weight.role == "slope":
            return self.random.uniform(weight.name, weight.shape, *_SLOPES)
        if layer.operator in ("Add", "Sub", "Sum"):
            return self.random.normal(weight.name, weight.shape) * np.float32(_BIAS_SCALE * scale)
        if operators.of(layer.operator).family == "arrangement":  # a token beside others
            return self.random.normal(weight.name, weight.shape) * np.float32(
                self.target_scales[layer.id]
            )
        if layer.operator in ("LSTM", "GRU", "RNN"):
            std = 1 / math.sqrt(max(weight.shape[-1], 1)) if weight.role in "WR" else 0.1
            return self.random.normal(weight.name, weight.shape) * np.float32(std)
        return self.random.uniform(weight.name, weight.shape, *_SPREAD)


def fan_in(layer: Layer, shape: tuple[int, ...]) -> float:
    """Products summed in one element of the output, for a weight of a shape in normal order."""
    if layer.operator == "ConvTranspose":
        strides = layer.sizes("strides")
        return float(shape[0] * math.prod(shape[2:]) / math.prod(strides))
    if layer.operator == "MatMul":
        return shape[-2] if len(shape) > 1 else math.prod(shape)
    return math.prod(shape[1:])


def random_inputs(graph: RunnableGraph, random: SeededRandom, *, opposite: bool = False) -> Arrays:
    """A network's inputs by name: signed numbers, or integers below the size of their tables.

    With `opposite`, integers are the others: conditions the other way, masks of what was not
    masked, so that rows may be empty.
    """
    return {
        str(value.name): _random_input(graph, name, value, random, opposite)
        for name, value in graph.inputs.items()
    }


def has_opposite(graph: RunnableGraph) -> bool:
    """Whether a network has inputs that are opposite to others: integers and booleans."""
    return any(
        value.dtype is not None and value.dtype.numpy().kind in "iub"
        for value in graph.inputs.values()
    )


def _random_input(
    graph: RunnableGraph, name: str, value: ir.Value, random: SeededRandom, opposite: bool
) -> np.ndarray:
    shape = tuple(dim if isinstance(dim, int) else 1 for dim in value.shape or ())
    dtype = value.dtype.numpy() if value.dtype is not None else np.dtype(np.float32)
    rows = [table_rows(graph, edge) for edge in graph.readers.get(str(value.name), [])]
    bound = min((count for count in rows if count), default=2)
    if dtype.kind in "fc" and not any(rows):
        return random.normal(f"input {name}", shape).astype(dtype)
    integers = random.uniform(f"input {name}", shape, 0, bound).astype(np.int64)
    # A mask of zeros alone would exclude everything from attention.
    integers[(..., slice(1)) if shape else ...] = 1
    integers = np.minimum(integers, bound - 1)
    return np.asarray(bound - 1 - integers if opposite else integers, dtype)


def table_rows(graph: RunnableGraph, edge: RunnableEdge) -> int | None:
    """Rows of the table that an edge's reader looks up its operand in; None where it is no lookup.

    A table that is not a parameter is taken to have 2.
    """
    if operators.of(graph.layers[edge.layer].operator).indices != edge.slot:
        return None
    tables = [weight for weight in graph.weights[edge.layer] if weight.role == "weight"]
    return tables[0].shape[0] if tables else 2


def _dtype(weight: Weight) -> np.dtype[np.generic]:
    dtype = weight.path.root.dtype
    return dtype.numpy() if dtype is not None else np.dtype(np.float32)
