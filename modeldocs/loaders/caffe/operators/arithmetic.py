"""Emitters of Caffe's arithmetic with several blobs or learned factors."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims, as_text, each, joined
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs


@emits("Eltwise")
def eltwise(op: CaffeOperation) -> Outputs:
    """Mul, Add (Sum of more than two) or Max of blobs of one shape.

    A blob of unknown rank is taken to have the shape of the others.
    """
    op.input(1)
    ranked = [index for index, bottom in enumerate(op.inputs) if bottom.shape is not None]
    shape = op.shape(ranked[0] if ranked else 0)
    for index in ranked[1:]:
        common = joined(shape, op.shape(index))
        if common is None:
            raise op.error(
                f"reads {as_text(shape)} from {op.layer.bottoms[ranked[0]]!r} and "
                f"{as_text(op.shape(index))} from {op.layer.bottoms[index]!r}",
                at="bottom",
                fix="give it blobs of one shape",
            )
        shape = common
    operation = op.param("eltwise_param").text("operation")
    if operation == "MAX":
        return [op.node("Max", op.inputs, shape=shape)]
    if operation == "SUM":
        return _weighted_sum(op, shape)
    product = op.input()
    for factor in op.inputs[1:]:
        product = op.node("Mul", [product, factor], shape=shape)
    return [product]


def _weighted_sum(op: CaffeOperation, shape: Dims) -> Outputs:
    coefficients = [float(c) for c in op.param("eltwise_param").all("coeff")]
    coefficients = coefficients or [1.0] * len(op.inputs)
    if len(coefficients) != len(op.inputs):
        raise op.error(
            f"has {len(coefficients)} coefficients for {len(op.inputs)} blobs",
            at="eltwise_param",
            fix="give one coeff for each bottom",
        )
    if coefficients == [1, -1]:
        return [op.node("Sub", op.inputs, shape=shape)]
    terms = [
        bottom if number == 1 else op.node("Mul", [bottom, op.scalar(number)], shape=shape)
        for bottom, number in zip(op.inputs, coefficients, strict=True)
    ]
    return [op.node("Add" if len(terms) == 2 else "Sum", terms, shape=shape)]


@emits("Scale")
def scale(op: CaffeOperation) -> Outputs:
    """Mul by learned factors or the second bottom, and Add of a learned bias."""
    param = op.param("scale_param")
    factor = _operand(op, param, "scale")
    product = op.node("Mul", [op.input(), factor])
    if not param.flag("bias_term"):
        return [product]
    index = 1 if len(op.inputs) == 1 else 0
    bias = op.parameter("bias", shape_of(factor), index)
    return [op.node("Add", [product, bias])]


@emits("Bias")
def bias(op: CaffeOperation) -> Outputs:
    """Add of a learned blob or of the second bottom."""
    operand = _operand(op, op.param("bias_param"), "bias")
    return [op.node("Add", [op.input(), operand])]


def _operand(op: CaffeOperation, param: CaffeMessage, role: str) -> ir.Value:
    """The second operand, with ones behind its own axes as ONNX's broadcasting asks for."""
    shape = op.shape()
    axis = op.axis(f"{role}_param", len(shape))
    if len(op.inputs) > 1:
        return _second_bottom(op, axis)
    covered = param.integer("num_axes")
    end = len(shape) if covered < 0 else axis + covered
    if end > len(shape):
        raise op.error(
            f"covers {covered} axes from axis {axis} of {len(shape)}",
            at=f"{role}_param",
            fix="use fewer num_axes",
        )
    own = (*shape[axis:end], *[1] * (len(shape) - end))
    return op.parameter(role, own, 0)


def _second_bottom(op: CaffeOperation, axis: int) -> ir.Value:
    shape, other = op.shape(), op.shape(1)
    if joined(other, shape[axis : axis + len(other)]) is None:
        raise op.error(
            f"reads {as_text(shape)} and, from axis {axis} on, {as_text(other)}",
            at="bottom",
            fix="give blobs that agree from that axis on",
        )
    trailing = len(shape) - axis - len(other)
    if not trailing or not other:
        return op.input(1)
    full = (*other, *[1] * trailing)
    return op.reshape(op.input(1), full)


@emits("Axpy")
def axpy(op: CaffeOperation) -> Outputs:
    """A · x + y, with one number a per channel."""
    op.input(2)
    factors = op.shape()
    shape = joined(op.shape(1), op.shape(2))
    if shape is None or joined(factors[:2], shape[:2]) is None:
        raise op.error("reads blobs that do not fit", at="bottom", fix="give a, x and y")
    a, x, y = op.inputs[:3]
    if len(factors) < len(shape):
        a = op.reshape(a, (*factors[:2], *[1] * (len(shape) - 2)))
    return [op.node("Add", [op.node("Mul", [a, x]), y])]


@emits("Correlation")
def correlation(op: CaffeOperation) -> Outputs:
    """FlowNet's products of patches of two images, with a channel per displacement."""
    param = op.param("correlation_param")
    reach, step = param.integer("max_displacement"), param.integer("stride_2")
    stride, pad = param.integer("stride_1"), param.integer("pad")
    if step < 1 or stride < 1:
        raise op.error("has a stride below 1", at="correlation_param", fix="use at least 1")
    border = reach + (param.integer("kernel_size") - 1) // 2
    batch, _, *spatial = op.images()
    final = each(
        lambda known: [-(-(size + 2 * (pad - border)) // stride) for size in known], spatial
    )
    displacements = (2 * (reach // step) + 1) ** 2
    return op.opaque([(batch, displacements, *final)], param="correlation_param")
