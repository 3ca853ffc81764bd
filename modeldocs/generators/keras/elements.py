"""Functions of single elements in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import elements, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call

_shrink = elements.shrink("ops")


def thresholded_relu(site: Site) -> ast.expr:
    """`ops.threshold`."""
    alpha = site.layer.number("alpha", 1.0)
    return call("ops.threshold", site.data(), syntax.literal(alpha), syntax.literal(0))


def shrink(site: Site) -> ast.expr:
    """`ops.soft_shrink`, `ops.hard_shrink`, or what neither is."""
    bound, bias = elements.bounds(site)
    if bound < 0 or bias not in (0, bound):
        return _shrink(site)
    name = "hard" if bias == 0 else "soft"
    return call(f"ops.{name}_shrink", site.data(), threshold=bound)


TABLE: dict[str, Lowering] = elements.table("ops") | {
    "MeanVarianceNormalization": elements.mean_variance(
        "ops.mean(x, axis=axis, keepdims=True)", "ops.std(x, axis=axis, keepdims=True)"
    ),
    "Shrink": shrink,
    "ThresholdedRelu": thresholded_relu,
}
