"""Emitters of MXNet's convolutions, transposed and deformable ones included."""

from __future__ import annotations

import dataclasses

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission import convolution as emission
from modeldocs.loaders.emission.layouts import inverse, permuted
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits
from modeldocs.loaders.mxnet.operators.spatial import channels_first, spatial_rank, window


@emits("Convolution")
def convolution(op: MxnetOperation) -> Outputs:
    """Conv, between Transposes where the layout is not channels-first, as that of the weight."""
    rank = spatial_rank(op)
    order, view = channels_first(op, rank), window(op, rank)
    filters, groups = _counts(op)
    (channels,) = sizes(permuted(op.shape(), order)[1:2])
    _check_groups(op, channels, filters, groups)
    operands = _operands(op, order, (filters, channels // groups, *view.kernel), filters)
    output = emission.convolution(op, operands, view, groups=groups)
    return [op.transpose(output, inverse(order))]


@emits("Deconvolution")
def deconvolution(op: MxnetOperation) -> Outputs:
    """ConvTranspose; there is no bias by default, and `target_shape` determines the pads."""
    rank = spatial_rank(op)
    order, view = channels_first(op, rank), window(op, rank)
    filters, groups = _counts(op)
    channels, *spatial = sizes(permuted(op.shape(), order))[1:]
    _check_groups(op, channels, filters, groups)
    pads, extra = _pads(op, view, spatial)
    shape = (channels, filters // groups, *view.kernel)
    operands = _operands(op, order, shape, filters, no_bias=True)
    view = dataclasses.replace(view, pad=pads)
    output = emission.transposed_convolution(op, operands, view, groups=groups, extra=extra)
    return [op.transpose(output, inverse(order))]


@emits("DeformableConvolution", "ModulatedDeformableConvolution")
def deformable_convolution(op: MxnetOperation) -> Outputs:
    """MXNet's own operator, with weight and bias as its parameters."""
    batch, channels, *spatial = op.image()
    view = window(op, len(spatial))
    filters, group = _counts(op)
    _check_groups(op, channels, filters, group)
    weight = op.parameter("weight", (filters, channels // group, *view.kernel))
    data = [op.input(slot) for slot in range(3 if op.kind.startswith("Modulated") else 2)]
    bias = _bias(op, filters)
    inputs = [*data, weight] if bias is None else [*data, weight, bias]
    return op.opaque([(batch, filters, *view.forward(spatial))], inputs)


def _counts(op: MxnetOperation) -> tuple[int, int]:
    filters = op.settings.integer("num_filter", least=1)
    return filters, op.settings.integer("num_group", 1, least=1)


def _check_groups(op: MxnetOperation, channels: int, filters: int, group: int) -> None:
    if channels % group or filters % group:
        raise op.error(
            f"takes {channels} channels to {filters} in {group} groups",
            fix="use a num_group that divides both",
        )


def _operands(
    op: MxnetOperation,
    order: tuple[int, ...],
    shape: tuple[int, ...],
    filters: int,
    *,
    no_bias: bool = False,
) -> tuple[ir.Value, ir.Value, ir.Value | None]:
    """Input and weight, both channels-first, and the bias; `shape` is the weight's in ONNX."""
    weight = op.parameter("weight", permuted(shape, inverse(order)), dtype=op.dtype)
    value, weight = op.transpose(op.input(), order), op.transpose(weight, order)
    return value, weight, _bias(op, filters, no_bias=no_bias)


def _bias(op: MxnetOperation, filters: int, *, no_bias: bool = False) -> ir.Value | None:
    if op.settings.flag("no_bias", default=no_bias):
        return None
    return op.parameter("bias", (filters,), dtype=op.dtype)


def _pads(op: MxnetOperation, view: Window, spatial: list[int]) -> tuple[list[int], list[int]]:
    """Pads of both ends and output padding of a transposed convolution, one for each axis."""
    target = op.settings.sizes("target_shape")
    adjust = list(op.settings.sizes("adj") or (0,) * len(spatial))
    rank = len(spatial)
    if len(adjust) != rank or min(adjust) < 0 or (target and len(target) != rank):
        raise op.error("has an `adj` or `target_shape` of another rank", fix="give one an axis")
    if not any(target):
        return list(view.pad), adjust
    excess = [
        stride * (size - 1) + reach - wanted
        for stride, size, reach, wanted in zip(
            view.stride, spatial, view.reach, target, strict=True
        )
    ]
    if min(excess) < 0:
        raise op.error("cannot reach its `target_shape`", fix="ask for a smaller one")
    return [(extra + 1) // 2 for extra in excess], [extra % 2 for extra in excess]
