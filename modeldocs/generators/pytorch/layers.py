"""Layers with weights, norms and pooling in PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import product, subscript


def pair(sizes: Sequence[int]) -> int | tuple[int, ...]:
    """Sizes along each axis, as one number where they are equal."""
    return sizes[0] if len(set(sizes)) == 1 else tuple(sizes)


def _spatial(site: Site) -> int:
    """The number of spatial axes of what a layer reads.

    Raises:
        NoProgramError: PyTorch has no such layer for it.
    """
    rank = len(site.shape(0)) - 2
    if rank not in (1, 2, 3):
        raise site.unsupported(f"PyTorch has no such layer for {rank} spatial axes")
    return rank


def _padded(site: Site, fill: float = 0.0) -> tuple[ast.expr, int | tuple[int, ...]]:
    """What a windowed layer reads, and its `padding`; unequal pads are added before it."""
    pads = site.layer.sizes("pads")
    half = len(pads) // 2
    before, after = pads[:half], pads[half:]
    if before == after:
        return site.data(), pair(before) if before else 0
    return pad(site.data(), before, after, fill), 0


def pad(source: ast.expr, before: Sequence[int], after: Sequence[int], fill: float) -> ast.expr:
    """A tensor with values added around its last axes."""
    amounts = [
        amount for both in zip(reversed(before), reversed(after), strict=True) for amount in both
    ]
    value = {} if fill == 0 else {"value": fill}
    return call("F.pad", source, syntax.literal(tuple(amounts)), **value)


def conv(site: Site) -> ast.expr:
    """`nn.Conv1d`, `2d` or `3d`."""
    outputs, inputs, *kernel = site.shape(1)
    groups = int(site.layer.number("group", 1))
    rank = _spatial(site)
    source, padding = _padded(site)
    layer = site.member(
        call(
            f"nn.Conv{rank}d",
            in_channels=inputs * groups,
            out_channels=outputs,
            kernel_size=pair(kernel),
            stride=pair(site.layer.sizes("strides") or (1,)),
            padding=padding,
            dilation=pair(site.layer.sizes("dilations") or (1,)),
            groups=groups,
            bias=site.has_bias(2),
        ),
        weight=1,
        bias=2,
    )
    return call(layer, source)


def conv_transpose(site: Site) -> ast.expr:
    """`nn.ConvTranspose1d`, `2d` or `3d`."""
    inputs, outputs, *kernel = site.shape(1)
    groups = int(site.layer.number("group", 1))
    rank = _spatial(site)
    pads = site.layer.sizes("pads") or (0,) * 2 * rank
    extra = site.layer.sizes("output_padding") or (0,) * rank
    # ONNX may cut more at the end than at the beginning: that is a smaller output padding.
    extra = tuple(
        more + begin - end for more, begin, end in zip(extra, pads[:rank], pads[rank:], strict=True)
    )
    if min(extra) < 0:
        raise site.unsupported("PyTorch cannot cut more at the end than at the beginning")
    layer = site.member(
        call(
            f"nn.ConvTranspose{rank}d",
            in_channels=inputs,
            out_channels=outputs * groups,
            kernel_size=pair(kernel),
            stride=pair(site.layer.sizes("strides") or (1,)),
            padding=pair(pads[:rank]),
            output_padding=pair(extra),
            groups=groups,
            bias=site.has_bias(2),
            dilation=pair(site.layer.sizes("dilations") or (1,)),
        ),
        weight=1,
        bias=2,
    )
    return call(layer, site.data())


def gemm(site: Site) -> ast.expr:
    """`nn.Linear`, or a product of two tensors."""
    if not site.has_parameter(1):
        return _product(site)
    sizes = site.shape(1)
    outputs, inputs = sizes if site.transposes(1) else tuple(reversed(sizes))
    layer = site.member(
        call("nn.Linear", in_features=inputs, out_features=outputs, bias=site.has_bias(2)),
        weight=1,
        bias=2,
    )
    return call(layer, site.data())


_product = product("x.transpose(-2, -1)")
"""A product of two tensors."""


def batch_norm(site: Site) -> ast.expr:
    """`nn.BatchNorm1d`, `2d` or `3d`, in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it normalizes with the statistics of the batch")
    rank = max(len(site.shape(0)) - 2, 1)
    settings: dict[str, object] = {
        "num_features": site.shape(0)[1],
        "eps": site.layer.number("epsilon", 1e-5),
    }
    if site.has_parameter(2) and not site.has_parameter(1):
        name = f"BatchNormWithoutScale{rank}d"
    else:
        name = f"nn.BatchNorm{rank}d"
        settings["affine"] = site.has_parameter(1)
    layer = site.member(
        call(name, **settings),
        weight=1,
        bias=2,
        running_mean=3,
        running_var=4,
    )
    return call(layer, site.data())


def layer_norm(site: Site) -> ast.expr:
    """`nn.LayerNorm` over the last axes."""
    return _norm(
        site,
        "nn.LayerNorm",
        normalized_shape=_normalized(site),
        eps=site.layer.number("epsilon", 1e-5),
        elementwise_affine=site.has(1) or site.has(2),
        bias=site.has_bias(2),
    )


def rms_norm(site: Site) -> ast.expr:
    """`nn.RMSNorm` over the last axes."""
    layer = site.member(
        call(
            "nn.RMSNorm",
            normalized_shape=_normalized(site),
            eps=site.layer.number("epsilon", 1e-5),
            elementwise_affine=site.has_parameter(1),
        ),
        **({"weight": 1} if site.has_parameter(1) else {}),
    )
    normalized = call(layer, site.data())
    if site.has_parameter(1) or not site.has(1):
        return normalized
    return syntax.expression("x * scale", x=normalized, scale=site.operand(1))


def _norm(site: Site, name: str, **settings: object) -> ast.expr:
    """A norm that may have a scale and a bias."""
    return call(site.member(call(name, **settings), weight=1, bias=2), site.data())


def _normalized(site: Site) -> int | tuple[int, ...]:
    """The sizes of the axes that are normalized, which are the last ones; a number for one axis."""
    shape = site.shape(0)
    axis = int(site.layer.number("axis", -1))
    sizes = shape[axis % len(shape) :]
    return sizes[0] if len(sizes) == 1 else sizes


def group_norm(site: Site) -> ast.expr:
    """`nn.GroupNorm`."""
    return _norm(
        site,
        "nn.GroupNorm",
        num_groups=int(site.layer.number("num_groups", 1)),
        num_channels=site.shape(0)[1],
        eps=site.layer.number("epsilon", 1e-5),
        affine=site.has(1) or site.has(2),
    )


def instance_norm(site: Site) -> ast.expr:
    """`nn.InstanceNorm1d`, `2d` or `3d`."""
    return _norm(
        site,
        f"nn.InstanceNorm{_spatial(site)}d",
        num_features=site.shape(0)[1],
        eps=site.layer.number("epsilon", 1e-5),
        affine=site.has_parameter(1),
    )


def lrn(site: Site) -> ast.expr:
    """`nn.LocalResponseNorm`; PyTorch centres an even window elsewhere than ONNX does."""
    size = int(site.layer.number("size", 5))
    if size % 2 == 0:
        raise site.unsupported("PyTorch centres a window of even size elsewhere")
    settings = {
        "alpha": site.layer.number("alpha", 1e-4),
        "beta": site.layer.number("beta", 0.75),
        "k": site.layer.number("bias", 1.0),
    }
    site.alone = call("nn.LocalResponseNorm", size=size, **settings)
    return call("F.local_response_norm", site.data(), size=size, **settings)


def lp_normalization(site: Site) -> ast.expr:
    """`F.normalize`, where it adds epsilon as the layer does."""
    order = int(site.layer.number("p", 2))
    axis = int(site.layer.number("axis", -1))
    epsilon = site.layer.number("epsilon", 0.0)
    mode = site.attributes.get("epsilon_mode", "")
    if epsilon == 0 or mode == "minimum":
        return call("F.normalize", site.data(), p=float(order), dim=axis, eps=epsilon)
    norm = syntax.method(site.data(), "norm", order, dim=axis, keepdim=True)
    if mode == "added":
        return syntax.expression("x / (norm + eps)", x=site.data(), norm=norm, eps=epsilon)
    squared = syntax.expression("x.square().sum(axis, keepdim=True)", x=site.data(), axis=axis)
    return syntax.expression(
        "x / (total + eps).sqrt()", x=site.data(), total=squared, eps=epsilon**2
    )


def embedding(site: Site) -> ast.expr:
    """`nn.Embedding` of a table of weights; else rows of a tensor."""
    axis = int(site.layer.number("axis", 0))
    if site.has_parameter(0) and axis == 0 and len(site.shape(0)) == 2 and site.edge(1):
        rows, width = site.shape(0)
        table = site.member(
            call("nn.Embedding", num_embeddings=rows, embedding_dim=width), weight=0
        )
        return call(table, site.data(1))
    source = site.operand(0)
    index = site.array(1)
    before = [syntax.expression("x[:]", x=source).slice] * axis  # type: ignore[attr-defined]
    if index is not None and index.ndim == 0:
        return subscript(source, [*before, syntax.literal(int(index))])
    if index is not None and index.ndim == 1 and index.size <= 16:
        return subscript(source, [*before, syntax.literal([int(one) for one in index])])
    return subscript(source, [*before, site.operand(1)])


def _ceil_mode(site: Site, rank: int) -> bool | None:
    """Whether PyTorch's rounding gives the layer's windows: upwards, or down; None if neither.

    A window of PyTorch's starts inside of the image or of the padding before it.
    """
    if site.layer.number("ceil_mode", 0):
        return True
    pads = site.layer.sizes("pads") or (0,) * 2 * rank
    before, after = pads[:rank], pads[rank:]
    if before == after:
        return False
    kernel, strides = site.layer.sizes("kernel_shape"), site.layer.sizes("strides")
    dilations = site.layer.sizes("dilations") or (1,) * rank
    sizes = zip(
        site.shape(0)[2:],
        (site.layer.outputs[0].shape or ())[2:],
        kernel,
        strides,
        dilations,
        before,
        strict=True,
    )
    for size, windows, width, stride, dilation, begin in sizes:
        reach = size + 2 * begin - dilation * (width - 1) - 1
        count = -(-reach // stride) + 1
        if (count - 1) * stride >= size + begin:
            count -= 1
        if count != windows:
            return None
    return True


def _half(site: Site, padding: int | tuple[int, ...]) -> bool:
    """Whether pads are at most half the window, as PyTorch wants them."""
    kernel = site.layer.sizes("kernel_shape")
    pads = padding if isinstance(padding, tuple) else (padding,) * len(kernel)
    return all(2 * amount <= width for amount, width in zip(pads, kernel, strict=True))


def _pool(site: Site, name: str, fill: float, **settings: object) -> ast.expr:
    """A pooling layer; pads that PyTorch's does not have are added before it."""
    rank = _spatial(site)
    kernel, strides = site.layer.sizes("kernel_shape"), site.layer.sizes("strides") or (1,)
    pads = site.layer.sizes("pads") or (0,) * 2 * rank
    before, after = pads[:rank], pads[rank:]
    ceil = _ceil_mode(site, rank)
    source = site.data()
    padding = pair(before)
    if ceil is None or not _half(site, padding):
        if site.layer.number("ceil_mode", 0):
            raise site.unsupported("PyTorch has no pads of more than half a window")
        source, padding, ceil = pad(source, before, after, fill), 0, False
    settings = {
        "kernel_size": pair(kernel),
        "stride": pair(strides) if tuple(strides) != tuple(kernel) else None,
        "padding": padding,
        **({"dilation": pair(site.layer.sizes("dilations") or (1,))} if name == "max" else {}),
        "ceil_mode": ceil,
        **settings,
    }
    if source is not None and not isinstance(source, ast.Call):
        site.alone = call(f"nn.{name.capitalize()}Pool{rank}d", **settings)
    return call(f"F.{name}_pool{rank}d", source, **settings)


def max_pool(site: Site) -> ast.expr:
    """`F.max_pool2d` and its kin."""
    if len(site.layer.outputs) > 1:
        raise site.unsupported("the indices of its maxima are read")
    return _pool(site, "max", float("-inf"))


def average_pool(site: Site) -> ast.expr:
    """`F.avg_pool2d` and its kin."""
    counted = bool(site.layer.number("count_include_pad", 0))
    if any(size != 1 for size in site.layer.sizes("dilations")):
        raise site.unsupported("PyTorch has no dilated mean")
    rank = _spatial(site)
    pads = site.layer.sizes("pads") or (0,) * 2 * rank
    if pads[:rank] != pads[rank:]:
        if not counted and _ceil_mode(site, rank) is None:
            raise site.unsupported("PyTorch cannot leave unequal pads out of a mean")
        if counted:
            padded = pad(site.data(), pads[:rank], pads[rank:], 0.0)
            strides = site.layer.sizes("strides") or (1,)
            return call(
                f"F.avg_pool{rank}d",
                padded,
                kernel_size=pair(site.layer.sizes("kernel_shape")),
                stride=pair(strides),
            )
    return _pool(site, "avg", 0.0, count_include_pad=counted if any(pads) else True)


def global_pool(name: str) -> Lowering:
    """A pool over all of an image."""

    def lowering(site: Site) -> ast.expr:
        rank = _spatial(site)
        kind = "Avg" if name == "avg" else "Max"
        site.alone = call(f"nn.Adaptive{kind}Pool{rank}d", output_size=1)
        return call(f"F.adaptive_{name}_pool{rank}d", site.data(), output_size=1)

    return lowering


TABLE: dict[str, Lowering] = {
    "AveragePool": average_pool,
    "BatchNormalization": batch_norm,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Gather": embedding,
    "Gemm": gemm,
    "GlobalAveragePool": global_pool("avg"),
    "GlobalMaxPool": global_pool("max"),
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LRN": lrn,
    "LayerNormalization": layer_norm,
    "LpNormalization": lp_normalization,
    "MatMul": _product,
    "MaxPool": max_pool,
    "RMSNormalization": rms_norm,
}
