"""Convolutions and transposed convolutions of tensors whose channels are at axis 1."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.windows import Window


def convolution(
    layer: NodeBuilder,
    value: ir.Value,
    weight: ir.Value,
    bias: ir.Value | None,
    window: Window,
    *,
    groups: int = 1,
    shape: Sequence[Dim] | None = None,
) -> ir.Value:
    """Conv; the weight is output channels × input channels per group × kernel.

    `shape` is the output's, where that cannot be inferred.
    """
    operands = [value, weight] if bias is None else [value, weight, bias]
    return layer.node("Conv", operands, shape=shape, group=groups, **window.attributes)


def transposed_convolution(
    layer: NodeBuilder,
    value: ir.Value,
    weight: ir.Value,
    bias: ir.Value | None,
    window: Window,
    *,
    groups: int = 1,
    extra: Sequence[int] = (),
    shape: Sequence[Dim] | None = None,
) -> ir.Value:
    """ConvTranspose; the weight is input channels × output channels per group × kernel.

    `extra` elements along each spatial axis are added at the end of the output, whose `shape` is
    given where it cannot be inferred.
    """
    return layer.node(
        "ConvTranspose",
        [value, weight] if bias is None else [value, weight, bias],
        shape=shape,
        group=groups,
        output_padding=list(extra) if any(extra) else None,
        **window.attributes,
    )


def weight_shape(
    inputs: Dim, outputs: int, kernel: Sequence[int], *, groups: int = 1, transposed: bool = False
) -> Dims:
    """Shape of a weight between these numbers of channels, of which `inputs` may be unknown."""
    if transposed:
        return inputs, outputs // groups, *kernel
    return outputs, inputs // groups if isinstance(inputs, int) else None, *kernel
