"""Layers with weights, and norms, in Flax."""

from __future__ import annotations

import ast
import math

from modeldocs.generators import syntax, windows
from modeldocs.generators.flax import moves
from modeldocs.generators.flax.padding import padding
from modeldocs.generators.operation import Part
from modeldocs.generators.site import Lowering, Site, WeightSlot
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import product
from modeldocs.generators.windows import pair

_product = product("jnp.swapaxes(x, -2, -1)")
"""A product of two tensors."""


def conv(site: Site) -> ast.expr:
    """`nnx.Conv`."""
    outputs, inputs, *kernel = site.shape(1)
    groups = int(site.layer.number("group", 1))
    windows.spatial(site)
    layer = call(
        "nnx.Conv",
        in_features=inputs * groups,
        out_features=outputs,
        kernel_size=tuple(kernel),
        strides=pair(windows.strides(site)),
        padding=padding(site, kernel),
        kernel_dilation=pair(windows.dilations(site)),
        feature_group_count=groups,
        use_bias=site.has_bias(2),
    )
    return call(site.member(layer, kernel=_kernel(len(kernel)), bias=2), site.data())


def _kernel(rank: int) -> WeightSlot:
    """The kernel of a convolution, which Flax has with its spatial axes first."""
    return WeightSlot(1, order=(*range(2, rank + 2), 1, 0))


def conv_transpose(site: Site) -> ast.expr:
    """`nnx.ConvTranspose`, with the kernel of the convolution that it is the gradient of."""
    inputs, outputs, *kernel = site.shape(1)
    rank = windows.spatial(site)
    if site.layer.number("group", 1) != 1:
        raise site.unsupported("Flax has no transposed convolution in groups")
    steps, rates = windows.strides(site), windows.dilations(site)
    extra = site.layer.sizes("output_padding") or (0,) * rank
    reach = [rate * (width - 1) for width, rate in zip(kernel, rates, strict=True)]
    # JAX pads the stretched image, where ONNX cuts the full output.
    amounts = tuple(
        (full - before, full - after + more)
        for full, (before, after), more in zip(reach, windows.pads(site), extra, strict=True)
    )
    kinds = {_transposed_padding(*one) for one in zip(reach, steps, amounts, strict=True)}
    layer = call(
        "nnx.ConvTranspose",
        in_features=inputs,
        out_features=outputs,
        kernel_size=tuple(kernel),
        strides=pair(steps),
        padding=kinds.pop() if len(kinds) == 1 and None not in kinds else amounts,
        kernel_dilation=pair(rates),
        use_bias=site.has_bias(2),
        transpose_kernel=True,
    )
    return call(site.member(layer, kernel=_kernel(rank), bias=2), site.data())


def _transposed_padding(reach: int, stride: int, amount: tuple[int, int]) -> str | None:
    """The name that JAX has for the pads along one axis of a transposed convolution.

    `reach` is the width of the kernel less 1, with its dilation.
    """
    same = reach + stride - 1
    before = reach if stride > reach else -(-same // 2)
    if amount == (before, same - before):
        return "SAME"
    valid = same + max(reach + 1 - stride, 0)
    return "VALID" if amount == (reach, valid - reach) else None


def linear(site: Site) -> ast.expr:
    """`nnx.Linear`; `Embed.attend` of a table of words; else a product of two tensors."""
    if not site.has_parameter(1):
        return _product(site)
    sizes, transposes = site.shape(1), site.transposes(1)
    outputs, inputs = sizes if transposes else tuple(reversed(sizes))
    table = _embedding_of(site) if transposes and not site.has_bias(2) else None
    if table is not None:
        return syntax.method(site.use(table), "attend", site.data())
    axes, order = site.row_axes()
    if axes and transposes:
        kernel = WeightSlot(1, (outputs, *axes), (*(axis + 1 for axis in order), 0))
    elif axes:
        kernel = WeightSlot(1, (*axes, outputs), (*order, len(axes)))
    else:
        kernel = WeightSlot(1, order=(1, 0) if transposes else ())
    layer = call("nnx.Linear", in_features=inputs, out_features=outputs, use_bias=site.has_bias(2))
    return call(site.member(layer, kernel=kernel, bias=2), site.rows())


def _embedding_of(site: Site) -> Part | None:
    """The embedding that holds the layer's weight; None where there is none."""
    return next((one for one in site.holders(1) if "embedding" in one.weights), None)


def batch_norm(site: Site) -> ast.expr:
    """`nnx.BatchNorm`, in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it normalizes with the statistics of the batch")
    layer = call(
        "nnx.BatchNorm",
        num_features=site.shape(0)[1],
        epsilon=site.layer.number("epsilon", 1e-5),
        use_bias=site.has_bias(2),
        use_scale=site.has_parameter(1),
    )
    return call(site.member(layer, scale=1, bias=2, mean=3, var=4), site.data())


def layer_norm(site: Site) -> ast.expr:
    """`nnx.LayerNorm` over the last axes."""
    return _norm(site, "nnx.LayerNorm", **_normalized(site))


def rms_norm(site: Site) -> ast.expr:
    """`nnx.RMSNorm` over the last axes."""
    settings = _normalized(site)
    epsilon = site.layer.number("epsilon", 1e-5)
    layer = call("nnx.RMSNorm", **settings, epsilon=epsilon, use_scale=site.has_parameter(1))
    return call(site.member(layer, scale=1), site.data())


def _normalized(site: Site) -> dict[str, object]:
    """The axes that are normalized, which are the last ones."""
    shape = site.shape(0)
    axis = int(site.layer.number("axis", -1)) % len(shape)
    axes = tuple(range(axis - len(shape), 0))
    settings: dict[str, object] = {"num_features": math.prod(shape[axis:])}
    return settings | ({"reduction_axes": axes, "feature_axes": axes} if len(axes) > 1 else {})


def _norm(site: Site, name: str, **settings: object) -> ast.expr:
    """A norm that may have a scale and a bias."""
    layer = call(
        name,
        **settings,
        epsilon=site.layer.number("epsilon", 1e-5),
        use_bias=site.has_bias(2),
        use_scale=site.has_parameter(1),
    )
    return call(site.member(layer, scale=1, bias=2), site.data())


def group_norm(site: Site) -> ast.expr:
    """`nnx.GroupNorm`."""
    groups = int(site.layer.number("num_groups", 1))
    return _norm(site, "nnx.GroupNorm", num_features=site.shape(0)[1], num_groups=groups)


def instance_norm(site: Site) -> ast.expr:
    """`nnx.InstanceNorm`."""
    return _norm(site, "nnx.InstanceNorm", num_features=site.shape(0)[1])


def prelu(site: Site) -> ast.expr:
    """`nnx.PReLU`, which has one slope; else a slope for each channel."""
    if site.has_parameter(1) and math.prod(site.shape(1)) == 1:
        return call(site.member(call("nnx.PReLU"), negative_slope=1), site.data())
    template = "jnp.where(x >= 0, x, slope * x)"
    return syntax.expression(template, x=site.data(), slope=site.operand(1))


def embedding(site: Site) -> ast.expr:
    """`nnx.Embed`, of a table of weights; else rows of a tensor."""
    axis = site.place(int(site.layer.number("axis", 0)))
    if site.has_parameter(0) and axis == 0 and len(site.shape(0)) == 2 and site.edge(1):
        rows, width = site.shape(0)
        table = site.member(call("nnx.Embed", num_embeddings=rows, features=width), embedding=0)
        return call(table, site.data(1))
    source, index = site.operand(0), site.array(1)
    if index is not None and index.ndim == 0:
        before = [ast.Slice() for _ in range(axis)]
        return moves.part(source, [*before, syntax.literal(int(index))])
    return call("jnp.take", source, site.operand(1), axis=axis)


TABLE: dict[str, Lowering] = {
    "BatchNormalization": batch_norm,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Gather": embedding,
    "Gemm": linear,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm,
    "MatMul": _product,
    "PRelu": prelu,
    "RMSNormalization": rms_norm,
}
