"""Definitions in Lua written for one test, loaded and run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs import normal
from modeldocs.ir import Layer, LayerGraph, origin
from modeldocs.loaders import LoadRequest, loader
from modeldocs.numeric.execution import runtime

HEAD = "require 'nn'; INPUTS = {x = {1, 4, 9, 9}}\n"


def request(folder: Path, body: str, **changes) -> LoadRequest:
    """A request for a definition that begins with `HEAD`."""
    file = folder / "net.lua"
    file.write_text(HEAD + body, encoding="utf-8")
    return LoadRequest(root=str(folder), path=str(file), name="net", **changes)


def model_of(folder: Path, body: str, **changes) -> ir.Model:
    return loader("torch7").load(request(folder, body, **changes))


def graph_of(folder: Path, body: str, **changes) -> LayerGraph:
    model = model_of(folder, body, **changes)
    onnx.checker.check_model(ir.to_proto(_filled(model)))
    return normal.normalise(model)


def _filled(model: ir.Model) -> ir.Model:
    """A copy with zeros in its parameters: the checker wants to see values."""
    copy = model.clone()
    for name, value in copy.graph.initializers.items():
        if origin.parameter_kind(value) is not None:
            value.const_value = ir.tensor(np.zeros(tuple(value.shape), np.float32), name=name)
    return copy


def ran(folder: Path, body: str, x: np.ndarray, **weights: np.ndarray) -> list[np.ndarray]:
    """What a network makes of `x`, with weights by the end of their names."""
    model = model_of(folder, body, inputs={"x": x.shape})
    for name, value in model.graph.initializers.items():
        if origin.parameter_kind(value) is not None:
            held = next(array for end, array in weights.items() if name.endswith(end))
            value.const_value = ir.tensor(held.reshape(tuple(value.shape)), name=name)
    names = [str(value.name) for value in model.graph.outputs]
    made = runtime.run(model, {str(model.graph.inputs[0].name): x}, names)
    return [made[name] for name in names]


def operators(graph: LayerGraph) -> list[str]:
    return [layer.operator for layer in graph.layers]


def only_layer(folder: Path, lua: str) -> Layer:
    """The layer of a network of one module."""
    (layer,) = graph_of(folder, f"return {lua}").layers
    return layer
