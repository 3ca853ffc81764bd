"""Values for a port's parameters and inputs that show each attribute of each operator."""

from __future__ import annotations

import zlib

import numpy as np
import onnx_ir as ir

from modeldocs import normal
from modeldocs.ir import origin
from modeldocs.loaders.reference import Arrays, Designed, spare
from modeldocs.normal import values
from modeldocs.parity import scales, weight_init
from modeldocs.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.parity.weight_init import SeededRandom, WeightInitializer


def design(model: ir.Model, *, small: bool = False) -> Designed:
    """Values for what a graph reads, as parity designs them: variances near the epsilon beside
    them, small rows before norms, signed inputs, activations that neither vanish nor grow.

    `small` ones reach norms behind activations, too. What only bodies of loops read is spare.
    """
    form = model.clone()
    normal.apply(form)
    graph = runnable_graph(form)
    random = SeededRandom()
    weights = WeightInitializer(
        graph, random, scales.target_scales(graph, small=small)
    ).initialize()
    weights |= _parts(graph, weights)
    parameters: Arrays = {}
    for name, value in model.graph.initializers.items():
        if origin.parameter_kind(value) is not None and value.dtype is not None:
            kind, shape = value.dtype.numpy(), values.shape(value) or ()
            own = values.tensor(value.const_value) if value.const_value is not None else None
            if name in weights:
                array = weights[name]
            elif value.dtype.is_floating_point() or own is None:
                array = spare(name, shape)
            else:
                array = own  # indices and quantised weights mean something
            parameters[name] = _plain(array.astype(kind))
    inputs = {
        name: _plain(array) for name, array in weight_init.random_inputs(graph, random).items()
    }
    return Designed(parameters, inputs, torn=not small and scales.has_conflicting_targets(graph))


def _parts(graph: RunnableGraph, weights: Arrays) -> Arrays:
    """Parameters that a layer reads joined or cut, drawn from the values of the whole."""
    parts: Arrays = {}
    for name, value in graph.composed.items():
        for part in _joined(value):
            shape = values.shape(part)
            if part.name not in weights and shape is not None:
                random = np.random.default_rng(zlib.crc32(str(part.name).encode()))
                parts[str(part.name)] = random.choice(weights[name].reshape(-1), shape)
    return parts


def _joined(value: ir.Value) -> list[ir.Value]:
    """The parameters that a value is made of."""
    parameters: list[ir.Value] = []
    waiting: list[ir.Value | None] = [value]
    while waiting:
        one = waiting.pop()
        if one is not None and values.is_parameter(one):
            parameters.append(one)
        elif one is not None and one.producer() is not None:
            waiting += one.producer().inputs  # type: ignore[union-attr]
    return parameters


def _plain(array: np.ndarray) -> np.ndarray:
    """Types that numpy itself has no name for (bfloat16) as float32, which holds them."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array
