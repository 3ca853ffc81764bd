"""Functions of single elements that libraries with NumPy's interface have by the same names."""

from __future__ import annotations

import ast

from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.templates import function

_NAMES = {
    "Acos": "arccos",
    "Acosh": "arccosh",
    "Asin": "arcsin",
    "Asinh": "arcsinh",
    "Atanh": "arctanh",
    "BitwiseNot": "bitwise_not",
    "Cosh": "cosh",
    "IsNaN": "isnan",
    "Sinh": "sinh",
    "Tan": "tan",
}
_BINARY = {"BitwiseAnd": "and", "BitwiseOr": "or", "BitwiseXor": "xor"}


def table(library: str) -> dict[str, Lowering]:
    """The lowerings in `jnp` or `ops`."""
    unary = {name: function(f"{library}.{own}(a)") for name, own in _NAMES.items()}
    binary = {name: function(f"{library}.bitwise_{own}(a, b)") for name, own in _BINARY.items()}
    return unary | binary | {"IsInf": is_inf(library)}


def is_inf(library: str) -> Lowering:
    """`isinf`, or that of one sign."""

    def lowering(site: Site) -> ast.expr:
        signs = [bool(site.layer.number(f"detect_{one}", 1)) for one in ("negative", "positive")]
        if not any(signs):
            raise site.unsupported("it looks for infinity of no sign")
        name = "isinf" if all(signs) else "isneginf" if signs[0] else "isposinf"
        return syntax.call(f"{library}.{name}", site.operand(0))

    return lowering


def bounds(site: Site) -> tuple[float, float]:
    """What a Shrink is set to: what it makes 0 up to, and what it takes off from the rest."""
    return site.layer.number("lambd", 0.5), site.layer.number("bias", 0.0)


def shrink(library: str) -> Lowering:
    """A Shrink by `where`."""

    def lowering(site: Site) -> ast.expr:
        bound, bias = bounds(site)
        inner, outer = ("x", "x") if bias == 0 else ("x - b", "x + b")
        template = f"{library}.where(x < -k, {outer}, {library}.where(x > k, {inner}, 0))"
        return syntax.expression(
            template.replace("-k", "low"), x=site.data(), k=bound, low=-bound, b=bias
        )

    return lowering


def mean_variance(mean: str, deviation: str) -> Lowering:
    """A MeanVarianceNormalization; the templates have `x` and `axis`, and keep axes."""

    def lowering(site: Site) -> ast.expr:
        axes = site.layer.sizes("axes") or (0, 2, 3)
        axis = tuple(sorted(site.place(one) for one in axes))
        template = f"(x - {mean}) / ({deviation} + 1e-9)"
        return syntax.expression(template, x=site.data(), axis=axis)

    return lowering
