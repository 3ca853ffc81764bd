"""Emitters of TensorFlow's pooling: SAME clips windows at the image, so averages skip the pads."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.operation import Outputs, TensorFlowOperation, emits
from modeldocs.loaders.tensorflow.operators.layout import layout_of


@emits("MaxPool", "MaxPool3D", "AvgPool", "AvgPool3D")
def pooling(op: TensorFlowOperation) -> Outputs:
    """MaxPool or AveragePool, with its window as attributes."""
    return _pool(op, op.list_attribute("ksize"), op.list_attribute("strides"))


@emits("MaxPoolV2")
def pooling_of_operands(op: TensorFlowOperation) -> Outputs:
    """MaxPool, with its window as operands."""
    return _pool(op, op.numbers(1), op.numbers(2))


def _pool(op: TensorFlowOperation, ksize: list[int], steps: list[int]) -> Outputs:
    layout = layout_of(op)
    kernel, strides = layout.spatial(ksize, "a window"), layout.spatial(steps, "strides")
    sizes = layout.shape(op.shape(0))[2:]
    pads = layout.pads(sizes, kernel, strides, [1] * len(kernel))
    operator = "MaxPool" if op.kind.startswith("Max") else "AveragePool"
    image = layout.first(op.input(0))
    value = op.node(operator, [image], kernel_shape=kernel, strides=strides, **pads)
    return layout.result(value)
