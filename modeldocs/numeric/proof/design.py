"""Design of values for a port's parameters and inputs that show each attribute of each operator."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs import normal
from modeldocs.ir import origin
from modeldocs.loaders.reference import Arrays, Designed, spare
from modeldocs.loaders.samples import seeded
from modeldocs.normal import values
from modeldocs.numeric.parity import scales, weight_init
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.numeric.parity.weight_init import SeededRandom, WeightInitializer


def designs(model: ir.Model) -> list[Designed]:
    """The designed values of a graph, and small ones where the first hide differences."""
    values_of_runs = [design(model)]
    if scales.has_conflicting_targets(_normal_graph(model)):
        values_of_runs.append(design(model, small=True))
    return values_of_runs


def design(model: ir.Model, *, small: bool = False, usual: bool = False) -> Designed:
    """Values for a graph's parameters and inputs, as parity designs them: variances near the
    epsilon beside them, small rows before norms, signed inputs, activations of moderate scale.

    `small` values reach norms behind activations, too; `usual` ones are of the size that networks
    are initialized with. Parameters that only bodies of loops read
    get spare values.
    """
    graph = _normal_graph(model)
    random = SeededRandom()
    target_scales = scales.target_scales(graph, small=small, usual=usual)
    weights = WeightInitializer(graph, random, target_scales, usual=usual).initialize()
    weights |= _part_weights(graph, weights)
    parameters: Arrays = {}
    for name, value in model.graph.initializers.items():
        if origin.parameter_kind(value) is not None and value.dtype is not None:
            array = _parameter(name, value, weights)
            parameters[name] = _plain(array.astype(value.dtype.numpy()))
    inputs = {
        name: _plain(array) for name, array in weight_init.random_inputs(graph, random).items()
    }
    return Designed(parameters, inputs)


def _normal_graph(model: ir.Model) -> RunnableGraph:
    normal_model = model.clone()
    normal.apply(normal_model)
    return runnable_graph(normal_model)


def _parameter(name: str, value: ir.Value, weights: Arrays) -> np.ndarray:
    if name in weights:
        return weights[name]
    own = values.tensor(value.const_value) if value.const_value is not None else None
    is_float = value.dtype is not None and value.dtype.is_floating_point()
    if is_float or own is None:
        return spare(name, values.shape(value) or ())
    return own  # indices and quantised weights keep their values, which have a meaning


def _part_weights(graph: RunnableGraph, weights: Arrays) -> Arrays:
    """Parameters that a layer reads joined or cut, drawn from the values of the whole."""
    parts: Arrays = {}
    for name, value in graph.composed.items():
        for part in _source_parameters(value):
            shape = values.shape(part)
            if part.name not in weights and shape is not None:
                random = seeded(str(part.name))
                parts[str(part.name)] = random.choice(weights[name].reshape(-1), shape)
    return parts


def _source_parameters(value: ir.Value) -> list[ir.Value]:
    """The parameters that a value is composed of."""
    parameters: list[ir.Value] = []
    pending: list[ir.Value | None] = [value]
    while pending:
        current = pending.pop()
        if current is not None and values.is_parameter(current):
            parameters.append(current)
        elif current is not None and current.producer() is not None:
            pending += current.producer().inputs  # type: ignore[union-attr]
    return parameters


def _plain(array: np.ndarray) -> np.ndarray:
    """An array of a type that numpy has; bfloat16 as float32."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array
