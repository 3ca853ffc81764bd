"""Convolution, Deconvolution and their deformable kin."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.layouts import permuted
from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.window import Layout, spatial, window


@emits("Convolution")
def convolution(op: Operation) -> Outputs:
    """Conv; channels last are transposed around it, as is the weight, which is then O…I."""
    rank = spatial(op)
    layout, view = Layout(op, rank), window(op, rank)
    filters, group = _counts(op)
    (channels,) = sizes(permuted(op.shape(), layout.to_first)[1:2])
    _check_groups(op, channels, filters, group)
    first = (filters, channels // group, *view.kernel)
    dtype = op.dtype
    weight = op.parameter("weight", layout.own(first), dtype=dtype)
    inputs = [layout.first(op.value()), layout.first(weight), *_bias(op, filters, no_bias=False)]
    return [layout.restored(op.node("Conv", inputs, group=group, **view.attributes))]


def _counts(op: Operation) -> tuple[int, int]:
    filters = op.settings.integer("num_filter", least=1)
    return filters, op.settings.integer("num_group", 1, least=1)


def _check_groups(op: Operation, channels: int, filters: int, group: int) -> None:
    if channels % group or filters % group:
        raise op.error(
            f"takes {channels} channels to {filters} in {group} groups",
            fix="use a num_group that divides both",
        )


def _bias(op: Operation, filters: int, *, no_bias: bool) -> list[ir.Value]:
    if op.settings.flag("no_bias", default=no_bias):
        return []
    return [op.parameter("bias", (filters,), dtype=op.dtype)]


@emits("Deconvolution")
def deconvolution(op: Operation) -> Outputs:
    """ConvTranspose; its bias is off unless asked for, and `target_shape` decides its pads."""
    rank = spatial(op)
    layout, view = Layout(op, rank), window(op, rank)
    filters, group = _counts(op)
    channels, *size = sizes(permuted(op.shape(), layout.to_first))[1:]
    _check_groups(op, channels, filters, group)
    pad, adjust = _pads(op, view, size)
    first = (channels, filters // group, *view.kernel)
    weight = op.parameter("weight", layout.own(first), dtype=op.dtype)
    inputs = [layout.first(op.value()), layout.first(weight), *_bias(op, filters, no_bias=True)]
    attributes = {
        **view.attributes,
        "pads": [*pad, *pad],
        "output_padding": list(adjust) if any(adjust) else None,
    }
    return [layout.restored(op.node("ConvTranspose", inputs, group=group, **attributes))]


def _pads(op: Operation, view: Window, size: list[int]) -> tuple[list[int], list[int]]:
    target = op.settings.sizes("target_shape")
    adjust = list(op.settings.sizes("adj") or (0,) * len(size))
    if len(adjust) != len(size) or min(adjust) < 0 or (target and len(target) != len(size)):
        raise op.error("has an `adj` or `target_shape` of another rank", fix="give one an axis")
    if not any(target):
        return list(view.pad), adjust
    over = [
        s * (n - 1) + reach - wanted
        for s, n, reach, wanted in zip(view.stride, size, view.reach, target, strict=True)
    ]
    if min(over) < 0:
        raise op.error("cannot reach its `target_shape`", fix="ask for a smaller one")
    return [(extra + 1) // 2 for extra in over], [extra % 2 for extra in over]


@emits("DeformableConvolution", "ModulatedDeformableConvolution")
def deformable_convolution(op: Operation) -> Outputs:
    """Drawn as it is, with weight and bias as its parameters."""
    batch, channels, *size = op.image()
    view = window(op, len(size))
    filters, group = _counts(op)
    _check_groups(op, channels, filters, group)
    shape = (filters, channels // group, *view.kernel)
    weight = op.parameter("weight", shape)
    steered = [op.value(slot) for slot in range(3 if op.source.op.startswith("Mod") else 2)]
    inputs = [*steered, weight, *_bias(op, filters, no_bias=False)]
    return op.opaque([(batch, filters, *view.forward(size))], inputs)
