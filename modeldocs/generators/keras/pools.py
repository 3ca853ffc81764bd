"""Pooling, and normalization across channels, in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import norms, windows
from modeldocs.generators.keras import pads
from modeldocs.generators.norms import NormTemplates
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.windows import pair

NORMS = NormTemplates(
    square_sum="ops.sum(ops.square(x), axis=axis, keepdims=True)",
    sum="ops.sum(ops.abs(x), axis=axis, keepdims=True)",
    root="ops.sqrt(x)",
    maximum="ops.maximum(x, least)",
)


def _settings(site: Site, padding: str) -> dict[str, object]:
    kernel, steps = site.layer.sizes("kernel_shape"), windows.strides(site)
    if max(windows.dilations(site)) > 1:
        raise site.unsupported("Keras has no dilated pooling")
    return {
        "pool_size": pair(kernel),
        "strides": None if tuple(steps) == tuple(kernel) else pair(steps),
        "padding": padding,
    }


def max_pool(site: Site) -> ast.expr:
    """`layers.MaxPooling2D` and its kin; other pads are added before it."""
    if len(site.layer.outputs) > 1:
        raise site.unsupported("the indices of its maxima are read")
    rank, kernel, amounts = (
        windows.spatial(site),
        site.layer.sizes("kernel_shape"),
        windows.reach(site),
    )
    source, padding = site.data(), "valid"
    if any(map(any, amounts)):
        if windows.is_same(site, kernel, amounts):
            padding = "same"
        else:
            source = site.before(pads.filled(source, amounts, float("-inf")))
    return call(call(f"layers.MaxPooling{rank}D", **_settings(site, padding)), source)


def average_pool(site: Site) -> ast.expr:
    """`layers.AveragePooling2D` and its kin; pads that are not counted are divided out."""
    rank, kernel, amounts = (
        windows.spatial(site),
        site.layer.sizes("kernel_shape"),
        windows.reach(site),
    )
    is_counted = bool(site.layer.number("count_include_pad", 0))
    if amounts != windows.pads(site) and is_counted:
        raise site.unsupported("Keras cannot count pads and leave out what lies behind them")
    source = site.data()
    if not any(map(any, amounts)):
        return call(call(f"layers.AveragePooling{rank}D", **_settings(site, "valid")), source)
    if not is_counted and windows.is_same(site, kernel, amounts):
        return call(call(f"layers.AveragePooling{rank}D", **_settings(site, "same")), source)
    if is_counted:
        padded = site.before(pads.zero_padding(source, amounts))
        return call(call(f"layers.AveragePooling{rank}D", **_settings(site, "valid")), padded)
    return call(
        "mean_inside",
        source,
        pool_size=pair(kernel),
        strides=pair(windows.strides(site)),
        pads=[[0, 0], *map(list, amounts), [0, 0]],
    )


def global_pool(name: str) -> Lowering:
    """A pool over all of an image, which keeps its axes."""

    def lowering(site: Site) -> ast.expr:
        rank = windows.spatial(site)
        return call(call(f"layers.Global{name}Pooling{rank}D", keepdims=True), site.data())

    return lowering


def lrn(site: Site) -> ast.expr:
    """Local response normalization, by a function of the program."""
    size = int(site.layer.number("size", 5))
    return call(
        "local_response_norm",
        site.data(),
        size=size,
        alpha=site.layer.number("alpha", 1e-4),
        beta=site.layer.number("beta", 0.75),
        k=site.layer.number("bias", 1.0),
    )


TABLE: dict[str, Lowering] = {
    "AveragePool": average_pool,
    "GlobalAveragePool": global_pool("Average"),
    "GlobalMaxPool": global_pool("Max"),
    "LRN": lrn,
    "LpNormalization": norms.lp_normalization(NORMS),
    "MaxPool": max_pool,
}
