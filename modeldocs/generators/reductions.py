"""Reductions over axes that libraries with NumPy's interface have alike."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from modeldocs.generators import settings as settings_of
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


@dataclass(frozen=True)
class Reductions:
    """The reductions of a framework, which is called `title`.

    `write` is what the framework writes for a tensor, the name of a reduction, its axes, and
    whether they stay as axes of one element; `library` has its functions of elements.
    """

    library: str
    title: str
    write: Callable[[ast.expr, str, object, bool], ast.expr]

    def table(self, log_sum_exp: Lowering) -> dict[str, Lowering]:
        """The lowerings by operator."""
        return {
            "ArgMax": self._arg("argmax"),
            "ArgMin": self._arg("argmin"),
            "ReduceL1": lambda site: self.over(site, "sum", self._element("abs", site.data())),
            "ReduceL2": lambda site: self._element("sqrt", self._square_sum(site)),
            "ReduceLogSum": lambda site: self._element("log", self.over(site, "sum", site.data())),
            "ReduceLogSumExp": log_sum_exp,
            "ReduceMax": self._reduce("max"),
            "ReduceMean": self._reduce("mean"),
            "ReduceMin": self._reduce("min"),
            "ReduceProd": self._reduce("prod"),
            "ReduceSum": self._reduce("sum"),
            "ReduceSumSquare": self._square_sum,
        }

    def over(self, site: Site, name: str, source: ast.expr) -> ast.expr:
        """A reduction of a tensor over the axes of a layer."""
        axes = settings_of.reduced_axes(site)
        axis = -1 if axes == len(site.shape(0)) - 1 else axes
        return self.write(source, name, axis, _keeps(site))

    def _element(self, name: str, source: ast.expr) -> ast.expr:
        return call(f"{self.library}.{name}", source)

    def _reduce(self, name: str) -> Lowering:
        def lowering(site: Site) -> ast.expr:
            if settings_of.reduces_nothing(site):
                return site.data()
            return self.over(site, name, site.data())

        return lowering

    def _arg(self, name: str) -> Lowering:
        def lowering(site: Site) -> ast.expr:
            if site.layer.number("select_last_index", 0):
                raise site.unsupported(f"{self.title} takes the first of equal values")
            return self.write(site.data(), name, axis_of(site, 0), _keeps(site))

        return lowering

    def _square_sum(self, site: Site) -> ast.expr:
        return self.over(site, "sum", self._element("square", site.data()))


def _keeps(site: Site) -> bool:
    return bool(site.layer.number("keepdims", 1))
