"""The function that a layer computes, whatever operator it is written with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from modeldocs.diff.function import recurrent, windows
from modeldocs.diff.function.attributes import TRAINING, declared, effective
from modeldocs.ir import Layer, operators

INPUT: Final = "input"
"""The operator of graph inputs, which are matched like layers."""

DENSE: Final = "dense"
"""The operator of all products with a weight: Gemm, MatMul, a convolution of one window."""

_RESIZING: Final = operators.named(moves="copy") | {"Resize"}
"""Operators that compute nothing where they change no size."""

_WINDOW: Final = frozenset({"kernel_shape", "strides", "dilations", "pads", "group", "transA"})
_PLANE: Final = _WINDOW | {
    "axes",
    "ceil_mode",
    "count_include_pad",
    "keepdims",
    "noop_with_empty_axes",
}
_UNITS: Final = (("alpha", 1), ("beta", 1))

Items = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class CanonicalOp:
    """Operator, effective attributes and parameter shapes: equal for layers that compute the same.

    `declared` are the attributes as the layer has them, with defaults filled in. Layers that are
    equal otherwise may declare different ones: a difference of spelling.
    """

    operator: str
    attributes: Items
    parameters: Items
    declared: Items

    def same_function(self, other: CanonicalOp) -> bool:
        """Whether both compute the same, given the same parameters."""
        return self.operator == other.operator and self.attributes == other.attributes


def canonical_op(layer: Layer) -> CanonicalOp:
    """The function of a layer."""
    attributes = declared(layer)
    operator, remaining = _function(layer, effective(layer, attributes))
    return CanonicalOp(
        operator=operator,
        attributes=_items({k: v for k, v in remaining.items() if k not in TRAINING}),
        parameters=_parameters(layer, operator),
        declared=_items(attributes),
    )


def transparent(layer: Layer) -> bool:
    """Whether the layer passes its input on unchanged at inference."""
    if layer.operator == "Dropout":
        return not layer.attributes.get("training_mode") and len(layer.inputs) == 1
    if operators.of(layer.operator).over_plane:
        return _single_values(layer)
    if layer.operator in _RESIZING:
        return _same_shape(layer)
    return layer.operator == "Identity"


def _single_values(layer: Layer) -> bool:
    """Whether each window of a pooling has one value, which it passes on."""
    attributes = declared(layer)
    if layer.operator in ("AveragePool", "MaxPool"):
        windows_of_one = all(set(attributes.get(n, ())) == {1} for n in ("kernel_shape", "strides"))
        if windows_of_one and not any(attributes.get("pads", ())):
            return True
    plane = windows.spatial(windows.input_shape(layer))
    return plane is not None and set(plane) == {1} and _covers_all(layer, attributes)


def _same_shape(layer: Layer) -> bool:
    """Whether a layer that only stretches leaves every size as it is."""
    before, after = windows.input_shape(layer), windows.output_shape(layer)
    known = before is not None and all(isinstance(dim, int) for dim in before)
    return known and before == after


def _function(layer: Layer, attributes: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    one = operators.of(layer.operator)
    if one.over_plane and _covers_all(layer, attributes):
        return one.over_plane, _without(attributes, _PLANE)
    if _is_dense(layer, attributes):
        return DENSE, _without(
            {k: v for k, v in attributes.items() if (k, v) not in _UNITS}, _WINDOW
        )
    if one.window == "fixed":
        attributes = windows.effective_windows(layer, attributes)
    if layer.operator == "Resize":
        attributes = windows.resized(layer, attributes)
    return "Add" if layer.operator == "Sum" else layer.operator, attributes


def _without(attributes: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in names}


def _covers_all(layer: Layer, attributes: dict[str, Any]) -> bool:
    """Whether a pooling or reduction takes each channel's whole plane at once."""
    if layer.operator.startswith("Global"):
        return True
    shape = windows.input_shape(layer)
    if shape is None or len(shape) < 3:
        return False
    if layer.operator.startswith("Reduce"):
        return attributes.get("axes") == tuple(range(2, len(shape)))
    return _one_window(layer, attributes)


def _one_window(layer: Layer, attributes: dict[str, Any]) -> bool:
    """Whether the kernel is as large as the unpadded input, so that it fits exactly once."""
    plane = windows.spatial(windows.input_shape(layer))
    return (
        plane is not None
        and attributes.get("kernel_shape") == plane
        and not any(attributes["pads"])
    )


def _is_dense(layer: Layer, attributes: dict[str, Any]) -> bool:
    if not any(parameter.role == "weight" for parameter in layer.parameters):
        return False
    if layer.operator == "Conv":
        return attributes.get("group") == 1 and _one_window(layer, attributes)
    return layer.operator == "MatMul" or (layer.operator == "Gemm" and not attributes.get("transA"))


def _parameters(layer: Layer, operator: str) -> Items:
    if operators.of(operator).recurrent:
        return _items(recurrent.parameter_shapes(layer))
    shapes: dict[str, Any] = {}
    for parameter in layer.parameters:
        role = parameter.role
        # A size that is not known is like no other.
        shape = tuple(dim if isinstance(dim, int) else 0 for dim in parameter.shape)
        if operator == DENSE and role == "weight":
            shape = _matrix(layer, shape, parameter.elements)
        if role == "A" and operators.of(operator).commutative:
            role = "B"
        if operators.of(operator).broadcasting:
            shape = _broadcast(shape, windows.output_shape(layer))
        shapes[role if role not in shapes else f"{role} {len(shapes)}"] = shape
    return _items(shapes)


def role_of(parameter: str) -> str:
    """The role of one of an operator's `parameters`: `bias` of a second one, `bias 2`."""
    return parameter.partition(" ")[0]


def _broadcast(shape: tuple[int, ...], output: tuple[Any, ...] | None) -> tuple[int, ...]:
    """A parameter's shape without leading ones.

    A shape with a single axis that does not fit the output there is put along the only axis that
    it fits: normal form transposes tensors, but no parameters.
    """
    while shape[:1] == (1,):
        shape = shape[1:]
    if output and len(shape) <= len(output) and len(wide := [dim for dim in shape if dim > 1]) == 1:
        axis = len(output) - len(shape) + shape.index(wide[0])
        fitting = [place for place, dim in enumerate(output) if dim == wide[0]]
        if output[axis] not in (wide[0], None) and len(fitting) == 1:
            return (wide[0],) + (1,) * (len(output) - 1 - fitting[0])
    return shape


def _matrix(layer: Layer, shape: tuple[int, ...], elements: int) -> tuple[int, ...]:
    """A dense weight's shape as (out, in), whichever operator has it."""
    if layer.operator != "MatMul":
        out = shape[0] if shape else 1
    else:
        last = (windows.output_shape(layer) or (None,))[-1]
        out = last if isinstance(last, int) else shape[-1]
    return (out, elements // out) if out else shape


def _items(mapping: dict[str, Any]) -> Items:
    return tuple(sorted(mapping.items()))
