"""Projections: products of a tensor with a weight, and parts of them."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.rewriting.slices import Span
from modeldocs.ir import Layer, Parameter, operators

CHANNELS: Final = {
    name: axes
    for name in sorted(operators.named(projection=True))
    if (axes := operators.of(name).projects) is not None
}
"""The axis of a projection's output that has the channels, and that of its weight."""

_DIVISIBLE_ROLES: Final = frozenset({"weight", "bias"})


def is_divisible(layer: Layer) -> bool:
    """Whether a layer is a projection by parameters alone, without groups, of known size."""
    roles = {parameter.role for parameter in layer.parameters}
    ranks = {len(p.shape) for p in layer.parameters if p.role == "weight"}
    grouped = layer.attributes.get("group", 1) != 1 or layer.attributes.get("transA")
    flat = layer.operator == "Conv" or ranks == {2}
    constant = any(name in _DIVISIBLE_ROLES | {"C"} for name in layer.attributes)
    known = all(isinstance(dim, int) for dim in layer.outputs[0].shape or (None,))
    return "weight" in roles <= _DIVISIBLE_ROLES and flat and known and not (grouped or constant)


def with_bias(layer: Layer, addition: Layer) -> Layer:
    """A projection with the bias that a sum behind it adds."""
    (added,) = addition.parameters
    bias = msgspec.structs.replace(added, role="bias", shape=(added.elements,))
    return msgspec.structs.replace(layer, parameters=(*layer.parameters, bias))


def part_of(layer: Layer, name: str, span: Span, period: int) -> Layer:
    """The projection with the id `name` to some channels of each period alone."""
    axis, weight_axis = CHANNELS[layer.operator]
    shape = list(layer.outputs[0].shape or ())
    shape[axis] = int(shape[axis] or 0) // period * (span[1] - span[0])
    parameters = (
        _part_of(parameter, weight_axis if parameter.role == "weight" else 0, span, period)
        for parameter in layer.parameters
    )
    return msgspec.structs.replace(
        layer,
        id=name,
        outputs=(msgspec.structs.replace(layer.outputs[0], shape=tuple(shape)),),
        parameters=tuple(parameters),
    )


def _part_of(parameter: Parameter, axis: int, span: Span, period: int) -> Parameter:
    shape = list(parameter.shape)
    shape[axis] = int(shape[axis] or 0) // period * (span[1] - span[0])
    name = f"{parameter.name}[{span[0]}:{span[1]} of {period}]" if parameter.name else ""
    return msgspec.structs.replace(parameter, name=name, shape=tuple(shape))
