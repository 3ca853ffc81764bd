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
    operands: Sequence[ir.Value | None],
    window: Window,
    *,
    groups: int = 1,
    shape: Sequence[Dim] | None = None,
) -> ir.Value:
    """Conv of a value, a weight and a bias or None.

    The weight is output channels × input channels per group × kernel. `shape` is the output's,
    where that cannot be inferred.
    """
    return layer.node("Conv", _given(operands), shape=shape, group=groups, **window.attributes)


def transposed_convolution(
    layer: NodeBuilder,
    operands: Sequence[ir.Value | None],
    window: Window,
    *,
    groups: int = 1,
    extra: Sequence[int] = (),
    shape: Sequence[Dim] | None = None,
) -> ir.Value:
    """ConvTranspose of a value, a weight and a bias or None.

    The weight is input channels × output channels per group × kernel. `extra` elements along each
    spatial axis are added at the end of the output, whose `shape` is given where it cannot be
    inferred.
    """
    return layer.node(
        "ConvTranspose",
        _given(operands),
        shape=shape,
        group=groups,
        output_padding=list(extra) if any(extra) else None,
        **window.attributes,
    )


def _given(operands: Sequence[ir.Value | None]) -> list[ir.Value]:
    """The operands without a bias that is not there."""
    return [operand for operand in operands if operand is not None]


def weight_shape(
    inputs: Dim, outputs: int, kernel: Sequence[int], *, groups: int = 1, transposed: bool = False
) -> Dims:
    """Shape of a weight between these numbers of channels, of which `inputs` may be unknown."""
    if transposed:
        return inputs, outputs // groups, *kernel
    return outputs, inputs // groups if isinstance(inputs, int) else None, *kernel
