"""Arithmetic between blobs, or with learned factors: Eltwise, Scale, Bias, Axpy."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.dims import Dims, joined, said
from modeldocs.loaders.emission.inference import shape_of


@emits("Eltwise")
def eltwise(layer: CaffeLayer) -> Tops:
    """Mul, Add (Sum of more than two) or Max of blobs of one shape."""
    layer.bottom(1)
    # One of unknown rank is of the others' shape.
    ranked = [index for index, bottom in enumerate(layer.bottoms) if bottom.shape is not None]
    shape = layer.shape(ranked[0] if ranked else 0)
    for index in ranked[1:]:
        both = joined(shape, layer.shape(index))
        if both is None:
            raise layer.error(
                f"reads {said(shape)} from {layer.source.bottoms[ranked[0]]!r} and "
                f"{said(layer.shape(index))} from {layer.source.bottoms[index]!r}",
                at="bottom",
                fix="give it blobs of one shape",
            )
        shape = both
    operation = layer.param("eltwise_param").text("operation")
    if operation == "MAX":
        return [layer.node("Max", layer.bottoms, shape=shape)]
    if operation == "SUM":
        return _weighted_sum(layer, shape)
    product = layer.bottom()
    for factor in layer.bottoms[1:]:
        product = layer.node("Mul", [product, factor], shape=shape)
    return [product]


def _weighted_sum(layer: CaffeLayer, shape: Dims) -> Tops:
    coefficients = [float(c) for c in layer.param("eltwise_param").all("coeff")]
    coefficients = coefficients or [1.0] * len(layer.bottoms)
    if len(coefficients) != len(layer.bottoms):
        raise layer.error(
            f"has {len(coefficients)} coefficients for {len(layer.bottoms)} blobs",
            at="eltwise_param",
            fix="give one coeff for each bottom",
        )
    if coefficients == [1, -1]:
        return [layer.node("Sub", layer.bottoms, shape=shape)]
    terms = [
        bottom if number == 1 else layer.node("Mul", [bottom, layer.scalar(number)], shape=shape)
        for bottom, number in zip(layer.bottoms, coefficients, strict=True)
    ]
    return [layer.node("Add" if len(terms) == 2 else "Sum", terms, shape=shape)]


@emits("Scale")
def scale(layer: CaffeLayer) -> Tops:
    """Mul, and Add where it has a bias: by learned factors, or by the second bottom."""
    param = layer.param("scale_param")
    factor = _operand(layer, param, "scale")
    made = layer.node("Mul", [layer.bottom(), factor])
    if not param.flag("bias_term"):
        return [made]
    index = 1 if len(layer.bottoms) == 1 else 0
    bias = layer.parameter("bias", shape_of(factor), index)
    return [layer.node("Add", [made, bias])]


@emits("Bias")
def bias(layer: CaffeLayer) -> Tops:
    """Add of a learned blob, or of the second bottom."""
    operand = _operand(layer, layer.param("bias_param"), "bias")
    return [layer.node("Add", [layer.bottom(), operand])]


def _operand(layer: CaffeLayer, param: Record, role: str) -> ir.Value:
    """The other operand, with the trailing ones that ONNX's broadcasting asks for."""
    shape = layer.shape()
    axis = layer.axis(param.integer("axis"), len(shape), f"{role}_param")
    if len(layer.bottoms) > 1:
        return _second_bottom(layer, axis)
    covered = param.integer("num_axes")
    end = len(shape) if covered < 0 else axis + covered
    if end > len(shape):
        raise layer.error(
            f"covers {covered} axes from axis {axis} of {len(shape)}",
            at=f"{role}_param",
            fix="use fewer num_axes",
        )
    own = (*shape[axis:end], *[1] * (len(shape) - end))
    return layer.parameter(role, own, 0)


def _second_bottom(layer: CaffeLayer, axis: int) -> ir.Value:
    shape, other = layer.shape(), layer.shape(1)
    if joined(other, shape[axis : axis + len(other)]) is None:
        raise layer.error(
            f"reads {said(shape)} and, from axis {axis} on, {said(other)}",
            at="bottom",
            fix="give blobs that agree from that axis on",
        )
    trailing = len(shape) - axis - len(other)
    if not trailing or not other:
        return layer.bottom(1)
    full = (*other, *[1] * trailing)
    return layer.reshape(layer.bottom(1), full)


@emits("Axpy")
def axpy(layer: CaffeLayer) -> Tops:
    """Axpy: a · x + y, a being one number a channel."""
    layer.bottom(2)
    factors = layer.shape()
    shape = joined(layer.shape(1), layer.shape(2))
    if shape is None or joined(factors[:2], shape[:2]) is None:
        raise layer.error("reads blobs that do not fit", at="bottom", fix="give a, x and y")
    a, x, y = layer.bottoms[:3]
    if len(factors) < len(shape):
        a = layer.reshape(a, (*factors[:2], *[1] * (len(shape) - 2)))
    return [layer.node("Add", [layer.node("Mul", [a, x]), y])]
