"""Reductions over axes in JAX."""

from __future__ import annotations

import ast

from modeldocs.generators import settings as settings_of
from modeldocs.generators.reductions import Reductions
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method


def _written(source: ast.expr, name: str, axis: object, keep: bool) -> ast.expr:
    return method(source, name, axis=axis, **({"keepdims": True} if keep else {}))


def log_sum_exp(site: Site) -> ast.expr:
    """`jax.nn.logsumexp`."""
    axis = settings_of.reduced_axes(site)
    keep = bool(site.layer.number("keepdims", 1))
    settings = {"keepdims": True} if keep else {}
    return call("jax.nn.logsumexp", site.data(), axis=axis, **settings)


TABLE: dict[str, Lowering] = Reductions("jnp", "JAX", _written).table(log_sum_exp)
