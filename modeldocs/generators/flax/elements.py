"""Functions of single elements in JAX."""

from __future__ import annotations

import ast

from modeldocs.generators import elements, syntax
from modeldocs.generators.site import Lowering, Site


def thresholded_relu(site: Site) -> ast.expr:
    """What is above a bound, else 0."""
    alpha = site.layer.number("alpha", 1.0)
    return syntax.expression("jnp.where(x > alpha, x, 0)", x=site.data(), alpha=alpha)


TABLE: dict[str, Lowering] = elements.table("jnp") | {
    "MeanVarianceNormalization": elements.mean_variance(
        "x.mean(axis=axis, keepdims=True)", "x.std(axis=axis, keepdims=True)"
    ),
    "Shrink": elements.shrink("jnp"),
    "ThresholdedRelu": thresholded_relu,
}
