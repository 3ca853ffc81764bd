"""Layers with weights, and norms, in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import syntax, windows
from modeldocs.generators.keras import pads
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import product, subscript
from modeldocs.generators.windows import pair


def conv(site: Site) -> ast.expr:
    """`layers.Conv1D`, `2D`, `3D`, or `layers.DepthwiseConv1D`, `2D`."""
    outputs, inputs, *kernel = site.shape(1)
    groups = int(site.layer.number("group", 1))
    rank = windows.spatial(site)
    source, padding = pads.padded(site, kernel)
    steps, rates = windows.strides(site), windows.dilations(site)
    if max(steps) > 1 and max(rates) > 1:
        raise site.unsupported("Keras has no convolution with strides and dilations")
    settings: dict[str, object] = {
        "strides": pair(steps),
        "padding": padding,
        "dilation_rate": pair(rates),
    }
    if inputs == 1 and groups > 1 and rank < 3 and len(set(steps)) == 1:
        layer = call(
            f"layers.DepthwiseConv{rank}D",
            kernel_size=pair(kernel),
            depth_multiplier=outputs // groups,
            **settings,
            use_bias=site.has_bias(2),
        )
    else:
        layer = call(
            f"layers.Conv{rank}D",
            filters=outputs,
            kernel_size=pair(kernel),
            **settings,
            groups=groups,
            use_bias=site.has_bias(2),
        )
    return call(site.member(layer, kernel=1, bias=2), source)


def conv_transpose(site: Site) -> ast.expr:
    """`layers.Conv1DTranspose`, `2D` or `3D`; what Keras does not cut is cut behind it."""
    _, outputs, *kernel = site.shape(1)
    rank = windows.spatial(site)
    if site.layer.number("group", 1) != 1:
        raise site.unsupported("Keras has no transposed convolution in groups")
    steps, rates = windows.strides(site), windows.dilations(site)
    if max(rates) > 1:
        raise site.unsupported("Keras has no transposed convolution with strides and dilations")
    extra = site.layer.sizes("output_padding") or (0,) * rank
    reach = [max(width, stride) for width, stride in zip(kernel, steps, strict=True)]
    # Keras' full output has (n - 1) * stride + max(kernel, stride): the rest of it is cut.
    cut = tuple(
        (before, after - more + full - width)
        for (before, after), more, full, width in zip(
            windows.pads(site), extra, reach, kernel, strict=True
        )
    )
    if min(min(both) for both in cut) < 0:
        raise site.unsupported("Keras cannot add to the end of its output")
    totals = [width - stride for width, stride in zip(reach, steps, strict=True)]
    is_same = any(totals) and all(
        both == (total // 2, total - total // 2) for both, total in zip(cut, totals, strict=True)
    )
    layer = site.member(
        call(
            f"layers.Conv{rank}DTranspose",
            filters=outputs,
            kernel_size=pair(kernel),
            strides=pair(steps),
            padding="same" if is_same else "valid",
            use_bias=site.has_bias(2),
        ),
        kernel=1,
        bias=2,
    )
    result = call(layer, site.data())
    if is_same or not any(map(any, cut)):
        return result
    return call(call(f"layers.Cropping{rank}D", cropping=pads.short(cut)), result)


def dense(site: Site) -> ast.expr:
    """`layers.Dense`, an embedding in reverse, or a product of two tensors."""
    if not site.has_parameter(1):
        return _product(site)
    sizes = site.shape(1)
    if site.transposes(1) and "Gather" in site.sharers(1):
        product = call(_table(site, 1, sizes), site.rows(), reverse=True)
        if not site.has_bias(2):
            return product
        return syntax.expression("a + b", a=product, b=site.parameter(2))
    units = sizes[0] if site.transposes(1) else sizes[1]
    layer = site.member(
        call("layers.Dense", units=units, use_bias=site.has_bias(2)), kernel=1, bias=2
    )
    return call(layer, site.rows())


_product = product("ops.swapaxes(x, -2, -1)")
"""A product of two tensors."""


def batch_norm(site: Site) -> ast.expr:
    """`layers.BatchNormalization`, in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it normalizes with the statistics of the batch")
    layer = site.member(
        call(
            "layers.BatchNormalization",
            epsilon=site.layer.number("epsilon", 1e-5),
            center=site.has_bias(2),
            scale=site.has_parameter(1),
        ),
        gamma=1,
        beta=2,
        moving_mean=3,
        moving_variance=4,
    )
    return call(layer, site.data())


def layer_norm(site: Site) -> ast.expr:
    """`layers.LayerNormalization` over the last axes."""
    rank = len(site.shape(0))
    axis = int(site.layer.number("axis", -1)) % rank
    axes = [one - rank for one in range(axis, rank)]
    return _norm(
        site,
        "layers.LayerNormalization",
        axis=axes[0] if len(axes) == 1 else axes,
        epsilon=site.layer.number("epsilon", 1e-5),
    )


def rms_norm(site: Site) -> ast.expr:
    """`layers.RMSNormalization` over the last axis."""
    rank = len(site.shape(0))
    if int(site.layer.number("axis", -1)) % rank != rank - 1:
        raise site.unsupported("Keras normalizes along one axis")
    epsilon = site.layer.number("epsilon", 1e-5)
    if not site.has_parameter(1):
        normalized = syntax.expression(
            "x * ops.rsqrt(ops.mean(ops.square(x), axis=-1, keepdims=True) + epsilon)",
            x=site.data(),
            epsilon=epsilon,
        )
        if not site.has(1):
            return normalized
        return syntax.expression("x * scale", x=normalized, scale=site.operand(1))
    layer = site.member(call("layers.RMSNormalization", axis=-1, epsilon=epsilon), scale=1)
    return call(layer, site.data())


def _norm(site: Site, name: str, **settings: object) -> ast.expr:
    """A norm that may have a scale and a bias."""
    constructor = call(name, **settings, center=site.has_bias(2), scale=site.has_parameter(1))
    return call(site.member(constructor, gamma=1, beta=2), site.data())


def group_norm(site: Site) -> ast.expr:
    """`layers.GroupNormalization`."""
    return _norm(
        site,
        "layers.GroupNormalization",
        groups=int(site.layer.number("num_groups", 1)),
        epsilon=site.layer.number("epsilon", 1e-5),
    )


def instance_norm(site: Site) -> ast.expr:
    """`layers.GroupNormalization` of as many groups as channels."""
    epsilon = site.layer.number("epsilon", 1e-5)
    return _norm(site, "layers.GroupNormalization", groups=-1, epsilon=epsilon)


def prelu(site: Site) -> ast.expr:
    """`layers.PReLU`, with one slope for each channel."""
    shape, rank = site.shape(1), len(site.shape(0))
    channels = site.shape(0)[1] if rank > 1 else 1
    if not site.has_parameter(1) or max(shape, default=1) != channels:
        return syntax.expression(
            "ops.where(x < 0, slope * x, x)", x=site.data(), slope=site.operand(1)
        )
    shared = list(range(1, rank - 1)) or None
    return call(site.member(call("layers.PReLU", shared_axes=shared), alpha=1), site.data())


def embedding(site: Site) -> ast.expr:
    """`layers.Embedding` of a table of weights; else rows of a tensor."""
    axis = site.place(int(site.layer.number("axis", 0)))
    if site.has_parameter(0) and axis == 0 and len(site.shape(0)) == 2 and site.edge(1):
        return call(_table(site, 0, site.shape(0)), site.data(1))
    source, index = site.operand(0), site.array(1)
    only = site.without_axis(axis) if index is not None and index.ndim == 0 else None
    if only is not None:
        return only
    if index is not None and index.ndim == 0:
        before = [ast.Slice() for _ in range(axis)]
        return subscript(source, [*before, syntax.literal(int(index))])
    indices = site.operand(1)
    if index is not None and index.ndim == 1 and index.size <= 16:
        indices = syntax.literal([int(one) for one in index])
    return call("ops.take", source, indices, axis=axis)


def _table(site: Site, slot: int, sizes: tuple[int, ...]) -> ast.expr:
    """A table of weights; one that a product reads, too, is `layers.ReversibleEmbedding`."""
    rows, width = sizes
    is_reversed = site.layer.operator == "Gemm" or "Gemm" in site.sharers(slot)
    name = "layers.ReversibleEmbedding" if is_reversed else "layers.Embedding"
    return site.member(call(name, input_dim=rows, output_dim=width), embeddings=slot)


TABLE: dict[str, Lowering] = {
    "BatchNormalization": batch_norm,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Gather": embedding,
    "Gemm": dense,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm,
    "MatMul": _product,
    "PRelu": prelu,
    "RMSNormalization": rms_norm,
}
