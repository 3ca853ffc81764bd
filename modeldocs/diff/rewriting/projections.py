"""Products by a weight, and the products of which they hold the parts."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.rewriting.slices import Span
from modeldocs.ir import Layer, Parameter

CHANNELS: Final = {"Gemm": (-1, 0), "MatMul": (-1, -1), "Conv": (1, 0)}
"""Axis of a product's output that is cut, and that axis of its weight."""

_ALONGCHANNELS: Final = frozenset({"weight", "bias"})


def is_divisible(layer: Layer) -> bool:
    """Whether a layer is a product by a weight that it alone has, and nothing else."""
    roles = {parameter.role for parameter in layer.parameters}
    ranks = {len(p.shape) for p in layer.parameters if p.role == "weight"}
    grouped = layer.attributes.get("group", 1) != 1 or layer.attributes.get("transA")
    flat = layer.operator == "Conv" or ranks == {2}
    constant = any(name in _ALONGCHANNELS | {"C"} for name in layer.attributes)
    known = all(isinstance(dim, int) for dim in layer.outputs[0].shape or (None,))
    return "weight" in roles <= _ALONGCHANNELS and flat and known and not (grouped or constant)


def with_bias(layer: Layer, shift: Layer) -> Layer:
    """A product with the bias that a sum behind it adds."""
    (added,) = shift.parameters
    bias = msgspec.structs.replace(added, role="bias", shape=(added.elements,))
    return msgspec.structs.replace(layer, parameters=(*layer.parameters, bias))


def part_of(layer: Layer, name: str, span: Span, period: int) -> Layer:
    """The product of some channels of each period alone."""
    axis, along = CHANNELS[layer.operator]
    shape = list(layer.outputs[0].shape or ())
    shape[axis] = int(shape[axis] or 0) // period * (span[1] - span[0])
    parameters = (
        _piece(parameter, along if parameter.role == "weight" else 0, span, period)
        for parameter in layer.parameters
    )
    return msgspec.structs.replace(
        layer,
        id=name,
        outputs=(msgspec.structs.replace(layer.outputs[0], shape=tuple(shape)),),
        parameters=tuple(parameters),
    )


def _piece(parameter: Parameter, axis: int, span: Span, period: int) -> Parameter:
    shape = list(parameter.shape)
    shape[axis] = int(shape[axis] or 0) // period * (span[1] - span[0])
    name = f"{parameter.name}[{span[0]}:{span[1]} of {period}]" if parameter.name else ""
    return msgspec.structs.replace(parameter, name=name, shape=tuple(shape))
