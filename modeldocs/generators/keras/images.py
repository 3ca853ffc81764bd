"""Images that are sampled, cut into blocks, and pooled by norms, in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import sampling, syntax, windows
from modeldocs.generators.arrays import power, root
from modeldocs.generators.keras import pads
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.windows import pair


def grid_sample(site: Site) -> ast.expr:
    """A function of the program, of a grid as normal form has it."""
    settings = sampling.by_function(site, "Keras")
    return call("grid_sample", site.data(), site.normal_operand(1), **settings)


def space_to_depth(site: Site) -> ast.expr:
    """`ops.space_to_depth`."""
    factor = syntax.literal(int(site.layer.number("blocksize", 1)))
    return call("ops.space_to_depth", site.data(), factor)


def lp_pool(site: Site) -> ast.expr:
    """The root of the mean of powers in a window, times their number."""
    kernel, amounts = site.layer.sizes("kernel_shape"), windows.reach(site)
    if max(windows.dilations(site)) > 1:
        raise site.unsupported("Keras has no dilated pooling")
    windows.spatial(site)
    source = site.data()
    if any(map(any, amounts)):
        source = site.before(pads.zero_padding(source, amounts))
    settings = {"pool_size": pair(kernel), "strides": pair(windows.strides(site))}
    order = int(site.layer.number("p", 2))
    mean = call("ops.average_pool", power("ops", source, order), **settings)
    count = 1
    for width in kernel:
        count *= width
    return root("ops", syntax.expression("count * x", count=count, x=mean), order)


def global_lp_pool(site: Site) -> ast.expr:
    """A norm over all of an image."""
    order, axes = int(site.layer.number("p", 2)), tuple(range(1, windows.spatial(site) + 1))
    total = call("ops.sum", power("ops", site.data(), order), axis=axes, keepdims=True)
    return root("ops", total, order)


TABLE: dict[str, Lowering] = {
    "GlobalLpPool": global_lp_pool,
    "GridSample": grid_sample,
    "LpPool": lp_pool,
    "SpaceToDepth": space_to_depth,
}
