"""Reductions over axes in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import settings as settings_of
from modeldocs.generators import syntax
from modeldocs.generators.pytorch.functions import axis_of
from modeldocs.generators.site import Lowering, Site


def reduce(name: str) -> Lowering:
    """A reduction over axes: `mean`, `sum`, `amax`, `amin`."""

    def lowering(site: Site) -> ast.expr:
        if settings_of.reduces_nothing(site):
            return site.data()
        return _reduced(site, site.data(), name)

    return lowering


def product(site: Site) -> ast.expr:
    """`Tensor.prod` along one axis after the other, the last one first."""
    if settings_of.reduces_nothing(site):
        return site.data()
    axes, keep = settings_of.reduced_axes(site), bool(site.layer.number("keepdims", 1))
    result = site.data()
    for axis in reversed(axes if isinstance(axes, tuple) else (axes,)):
        result = syntax.method(result, "prod", dim=axis, keepdim=keep)
    return result


def _reduced(site: Site, source: ast.expr, name: str, *operands: object) -> ast.expr:
    axes = settings_of.reduced_axes(site)
    keep = bool(site.layer.number("keepdims", 1))
    return syntax.method(source, name, *operands, dim=axes, keepdim=keep)


def norm(order: int) -> Lowering:
    """A norm over axes."""

    def lowering(site: Site) -> ast.expr:
        return _reduced(site, site.data(), "norm", order)

    return lowering


def arg(name: str) -> Lowering:
    """`argmax` or `argmin`."""

    def lowering(site: Site) -> ast.expr:
        if site.layer.number("select_last_index", 0):
            raise site.unsupported("PyTorch takes the first of equal values")
        keep = bool(site.layer.number("keepdims", 1))
        return syntax.method(site.data(), name, dim=axis_of(site, "axis", 0), keepdim=keep)

    return lowering


def square_sum(site: Site) -> ast.expr:
    """The sum of squares."""
    return _reduced(site, syntax.method(site.data(), "square"), "sum")


def log_sum(site: Site) -> ast.expr:
    """The logarithm of a sum."""
    return syntax.method(_reduced(site, site.data(), "sum"), "log")


def log_sum_exp(site: Site) -> ast.expr:
    """`Tensor.logsumexp`."""
    return _reduced(site, site.data(), "logsumexp")


TABLE: dict[str, Lowering] = {
    "ArgMax": arg("argmax"),
    "ArgMin": arg("argmin"),
    "ReduceL1": norm(1),
    "ReduceL2": norm(2),
    "ReduceLogSum": log_sum,
    "ReduceLogSumExp": log_sum_exp,
    "ReduceMax": reduce("amax"),
    "ReduceMean": reduce("mean"),
    "ReduceMin": reduce("amin"),
    "ReduceProd": product,
    "ReduceSum": reduce("sum"),
    "ReduceSumSquare": square_sum,
}
