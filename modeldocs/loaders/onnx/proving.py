"""The file as it stands in onnxruntime, with seeded values for the weights that it lacks."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import onnx_ir as ir
import onnxruntime

from modeldocs import origin, runtime
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, seeding
from modeldocs.loaders.reference import Reference
from modeldocs.normal import values
from modeldocs.operators import role

_KINDS: dict[str, seeding.Kind] = {
    "weight": "weight",
    "scale": "scale",
    "var": "var",
    "mean": "mean",
    "slope": "slope",
}
_MOVES = ("Identity", "Cast", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten")


def fill(model: ir.Model, seed: int) -> dict[str, ir.TensorProtocol]:
    """Give each weight without values some, in place; all initializers' tensors by name."""
    for name, value in model.graph.initializers.items():
        held = value.const_value
        if isinstance(held, ir.ExternalTensor) and origin.parameter_kind(value) is not None:
            made = _drawn(seed, name, value).astype(held.dtype.numpy())
            value.const_value = ir.tensor(made, name=name)
    tensors = {name: v.const_value for name, v in model.graph.initializers.items()}
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def _drawn(seed: int, name: str, value: ir.Value) -> np.ndarray:
    shape = values.shape(value) or ()
    for node, slot in _readers(value):
        kind = _KINDS.get(role(node.op_type, slot))
        if kind is not None:
            return seeding.draw(seed, name, shape, kind, _fan_in(node, shape))
    return seeding.draw(seed, name, shape, "bias")


def _readers(value: ir.Value) -> Iterable[tuple[ir.Node, int]]:
    """Who reads a value, plumbing looked through."""
    for usage in value.uses():
        if values.is_operator(usage.node, *_MOVES):
            yield from _readers(usage.node.outputs[0])
        else:
            yield usage.node, usage.idx


def _fan_in(node: ir.Node, shape: tuple[int, ...]) -> int:
    if values.is_operator(node, "Conv"):
        return math.prod(shape[1:])
    if values.is_operator(node, "Gemm") and values.attribute(node, "transB", 0):
        return math.prod(shape[1:])
    return math.prod(shape[:-1])


def reference(
    original: ir.Model,
    tensors: dict[str, ir.TensorProtocol],
    request: LoadRequest,
    seed: int,
    wanted: list[str],
) -> Reference:
    """Run the file as it was parsed, with these tensors; `wanted` are values of single layers."""
    for name, value in original.graph.initializers.items():
        value.const_value = tensors.get(name, value.const_value)
    inputs = {}
    for value in original.graph.inputs:
        if str(value.name) not in original.graph.initializers:
            inputs[str(value.name)] = _sample(value, request, seed)
    names = [str(value.name) for value in original.graph.outputs]
    made = runtime.run(original, inputs, [*names, *wanted])
    return Reference(
        software=f"onnxruntime {onnxruntime.__version__}",
        inputs=inputs,
        outputs={name: made[name] for name in names},
        activations={name: made[name] for name in wanted if name in made},
    )


def _sample(value: ir.Value, request: LoadRequest, seed: int) -> np.ndarray:
    name = str(value.name)
    told = request.inputs.get(name) or request.inputs.get("")
    dims = told or tuple(dim if isinstance(dim, int) else 1 for dim in value.shape or ())
    if value.dtype is None:
        raise ModeldocsError(f"the type of the input {name!r} is not known", file=request.source)
    return seeding.sample(seed, name, tuple(dims), np.dtype(value.dtype.numpy()).name)
