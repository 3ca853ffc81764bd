"""Functions of single elements in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import elements
from modeldocs.generators.elements import is_inf, mean_variance
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import function

_shrink = elements.shrink("torch")


def thresholded_relu(site: Site) -> ast.expr:
    """`F.threshold`."""
    settings = {"threshold": site.layer.number("alpha", 1.0), "value": 0}
    site.alone = call("nn.Threshold", **settings)
    return call("F.threshold", site.data(), **settings)


def shrink(site: Site) -> ast.expr:
    """`F.softshrink`, `F.hardshrink`, or what neither is."""
    bound, bias = elements.bounds(site)
    if bound < 0 or bias not in (0, bound):
        return _shrink(site)
    name = "hard" if bias == 0 else "soft"
    site.alone = call(f"nn.{name.capitalize()}shrink", lambd=bound)
    return call(f"F.{name}shrink", site.data(), lambd=bound)


TABLE: dict[str, Lowering] = {
    "Acos": function("torch.acos(a)"),
    "Acosh": function("torch.acosh(a)"),
    "Asin": function("torch.asin(a)"),
    "Asinh": function("torch.asinh(a)"),
    "Atanh": function("torch.atanh(a)"),
    "BitwiseAnd": function("a & b"),
    "BitwiseNot": function("~a"),
    "BitwiseOr": function("a | b"),
    "BitwiseXor": function("a ^ b"),
    "Cosh": function("torch.cosh(a)"),
    "IsInf": is_inf("torch"),
    "IsNaN": function("torch.isnan(a)"),
    "MeanVarianceNormalization": mean_variance(
        "x.mean(dim=axis, keepdim=True)", "x.std(dim=axis, unbiased=False, keepdim=True)"
    ),
    "Shrink": shrink,
    "Sinh": function("torch.sinh(a)"),
    "Tan": function("torch.tan(a)"),
    "ThresholdedRelu": thresholded_relu,
}
