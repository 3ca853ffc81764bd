"""Pooling: SAME clips a window at the image, so that an average does not count what is outside."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.emission import Emission, Results, emits
from modeldocs.loaders.tensorflow.operators.layout import layout_of, pads


@emits("MaxPool", "MaxPool3D", "AvgPool", "AvgPool3D")
def pooling(emission: Emission) -> Results:
    """MaxPool or AveragePool, with its window as settings."""
    return _pool(emission, emission.listed("ksize"), emission.listed("strides"))


@emits("MaxPoolV2")
def pooling_of_operands(emission: Emission) -> Results:
    """MaxPool, with its window as operands."""
    return _pool(emission, emission.numbers(1), emission.numbers(2))


def _pool(emission: Emission, window: list[int], steps: list[int]) -> Results:
    layout = layout_of(emission)
    kernel, strides = layout.along(window, "a window"), layout.along(steps, "strides")
    sizes = layout.turned(emission.shape(0))[2:]
    settings = pads(emission, layout, sizes, kernel, strides, [1] * len(kernel))
    emission.padding = emission.attribute("padding")
    op = "MaxPool" if emission.operation.kind.startswith("Max") else "AveragePool"
    made = emission.node(
        op,
        [layout.first(emission, emission.value(0))],
        kernel_shape=kernel,
        strides=strides,
        **settings,
    )
    return [layout.back(emission, emission.is_main(made))]
