"""Reductions over axes in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import settings as settings_of
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


def reduce(name: str) -> Lowering:
    """A reduction over axes: `mean`, `sum`, `max`, `min`, `prod`."""

    def lowering(site: Site) -> ast.expr:
        if settings_of.reduces_nothing(site):
            return site.data()
        return _reduced(site, name, site.data())

    return lowering


def _reduced(site: Site, name: str, source: ast.expr) -> ast.expr:
    axes = settings_of.reduced_axes(site)
    keep = bool(site.layer.number("keepdims", 1))
    last = len(site.shape(0)) - 1
    return call(f"ops.{name}", source, axis=-1 if axes == last else axes, keepdims=keep)


def norm(order: int) -> Lowering:
    """A norm over axes."""

    def lowering(site: Site) -> ast.expr:
        if order == 1:
            return _reduced(site, "sum", call("ops.abs", site.data()))
        return call("ops.sqrt", _reduced(site, "sum", call("ops.square", site.data())))

    return lowering


def arg(name: str) -> Lowering:
    """`ops.argmax` or `ops.argmin`."""

    def lowering(site: Site) -> ast.expr:
        if site.layer.number("select_last_index", 0):
            raise site.unsupported("Keras takes the first of equal values")
        keep = bool(site.layer.number("keepdims", 1))
        return call(f"ops.{name}", site.data(), axis=axis_of(site, 0), keepdims=keep)

    return lowering


def square_sum(site: Site) -> ast.expr:
    """The sum of squares."""
    return _reduced(site, "sum", call("ops.square", site.data()))


def log_sum(site: Site) -> ast.expr:
    """The logarithm of a sum."""
    return call("ops.log", _reduced(site, "sum", site.data()))


def log_sum_exp(site: Site) -> ast.expr:
    """`ops.logsumexp`."""
    return _reduced(site, "logsumexp", site.data())


TABLE: dict[str, Lowering] = {
    "ArgMax": arg("argmax"),
    "ArgMin": arg("argmin"),
    "ReduceL1": norm(1),
    "ReduceL2": norm(2),
    "ReduceLogSum": log_sum,
    "ReduceLogSumExp": log_sum_exp,
    "ReduceMax": reduce("max"),
    "ReduceMean": reduce("mean"),
    "ReduceMin": reduce("min"),
    "ReduceProd": reduce("prod"),
    "ReduceSum": reduce("sum"),
    "ReduceSumSquare": square_sum,
}
