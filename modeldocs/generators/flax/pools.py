"""Pooling, and normalization across channels, in Flax."""

from __future__ import annotations

import ast

from modeldocs.generators import norms, syntax, windows
from modeldocs.generators.arrays import power, root
from modeldocs.generators.flax.padding import named
from modeldocs.generators.norms import NormTemplates
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.windows import Pads

NORMS = NormTemplates(
    square_sum="jnp.square(x).sum(axis=axis, keepdims=True)",
    sum="jnp.abs(x).sum(axis=axis, keepdims=True)",
    root="jnp.sqrt(x)",
    maximum="jnp.maximum(x, least)",
)


def max_pool(site: Site) -> ast.expr:
    """`nnx.max_pool`; a dilated one by `jax.lax.reduce_window`."""
    if len(site.layer.outputs) > 1:
        raise site.unsupported("the indices of its maxima are read")
    if max(windows.dilations(site)) > 1:
        return _dilated_maximum(site)
    return _pool(site, "nnx.max_pool", windows.reach(site))


def _dilated_maximum(site: Site) -> ast.expr:
    """`jax.lax.reduce_window`, which has dilations."""
    amounts = ((0, 0), *windows.reach(site), (0, 0))
    return call(
        "jax.lax.reduce_window",
        site.data(),
        syntax.expression("-jnp.inf"),
        syntax.expression("jax.lax.max"),
        syntax.literal((1, *site.layer.sizes("kernel_shape"), 1)),
        syntax.literal((1, *windows.strides(site), 1)),
        syntax.literal(amounts),
        window_dilation=(1, *windows.dilations(site), 1),
    )


def average_pool(site: Site) -> ast.expr:
    """`nnx.avg_pool`; pads that count are added before it, where windows reach beyond them."""
    own, amounts = windows.pads(site), windows.reach(site)
    if not bool(site.layer.number("count_include_pad", 0)):
        return _pool(site, "nnx.avg_pool", amounts, count_include_pad=not any(map(any, amounts)))
    if amounts == own:
        return _pool(site, "nnx.avg_pool", amounts)
    beyond = tuple(
        (0, after - counted) for (_, after), (_, counted) in zip(amounts, own, strict=True)
    )
    width = ((0, 0), *own, (0, 0))
    source = site.data()
    if any(map(any, own)):
        source = site.before(call("jnp.pad", source, syntax.literal(width)))
    return _pool(site, "nnx.avg_pool", beyond, source, count_include_pad=False)


def _pool(
    site: Site, function: str, amounts: Pads, source: ast.expr | None = None, **settings: object
) -> ast.expr:
    kernel, steps = site.layer.sizes("kernel_shape"), windows.strides(site)
    windows.spatial(site)
    if max(windows.dilations(site)) > 1:
        raise site.unsupported("Flax has no dilated mean")
    known = named(site, kernel, amounts) if source is None else None
    settings = {
        "window_shape": tuple(kernel),
        "strides": steps if max(steps) > 1 else None,
        "padding": known or amounts,
        **settings,
    }
    if source is None:
        site.alone = call("partial", syntax.expression(function), **settings)
    return call(function, source or site.data(), **settings)


def global_pool(function: str) -> Lowering:
    """A mean or maximum over all of an image, which keeps its axes."""

    def lowering(site: Site) -> ast.expr:
        axes = tuple(range(1, windows.spatial(site) + 1))
        axis = axes if len(axes) > 1 else axes[0]
        return syntax.method(site.data(), function, axis=axis, keepdims=True)

    return lowering


def lp_pool(site: Site) -> ast.expr:
    """The root of the sum of powers in a window."""
    kernel, steps = site.layer.sizes("kernel_shape"), windows.strides(site)
    amounts = windows.reach(site)
    windows.spatial(site)
    settings: dict[str, object] = {}
    if max(windows.dilations(site)) > 1:
        settings["window_dilation"] = (1, *windows.dilations(site), 1)
    padding: object = ((0, 0), *amounts, (0, 0)) if any(map(any, amounts)) else "VALID"
    order = int(site.layer.number("p", 2))
    total = call(
        "jax.lax.reduce_window",
        power("jnp", site.data(), order),
        syntax.literal(0.0),
        syntax.expression("jax.lax.add"),
        syntax.literal((1, *kernel, 1)),
        syntax.literal((1, *steps, 1)),
        syntax.literal(padding),
        **settings,
    )
    return root("jnp", total, order)


def global_lp_pool(site: Site) -> ast.expr:
    """A norm over all of an image."""
    order, axes = int(site.layer.number("p", 2)), tuple(range(1, windows.spatial(site) + 1))
    total = syntax.method(power("jnp", site.data(), order), "sum", axis=axes, keepdims=True)
    return root("jnp", total, order)


def lrn(site: Site) -> ast.expr:
    """Local response normalization, by a function of the program."""
    return call(
        "local_response_norm",
        site.data(),
        size=int(site.layer.number("size", 5)),
        alpha=site.layer.number("alpha", 1e-4),
        beta=site.layer.number("beta", 0.75),
        k=site.layer.number("bias", 1.0),
    )


TABLE: dict[str, Lowering] = {
    "AveragePool": average_pool,
    "GlobalAveragePool": global_pool("mean"),
    "GlobalMaxPool": global_pool("max"),
    "GlobalLpPool": global_lp_pool,
    "LRN": lrn,
    "LpNormalization": norms.lp_normalization(NORMS),
    "LpPool": lp_pool,
    "MaxPool": max_pool,
}
