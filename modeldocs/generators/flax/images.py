"""Images of other sizes, and padded ones, in Flax."""

from __future__ import annotations

import ast

from modeldocs.generators import resampling, sampling, syntax
from modeldocs.generators import settings as settings_of
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import cut

_MODES = {"nearest": "nearest", "linear": "linear", "cubic": "cubic"}
_JAX_CUBIC = -0.5
"""The coefficient of JAX's cubic."""


def pad(site: Site) -> ast.expr:
    """`jnp.pad`, which has the modes that ONNX has."""
    own = settings_of.padding(site)
    both = tuple(own.added(len(site.shape(0))))
    settings: dict[str, object] = {"mode": own.mode}
    if own.value:
        settings["constant_values"] = own.value
    return call("jnp.pad", cut(site.data(), own.cuts), syntax.literal(both), **settings)


def resize(site: Site) -> ast.expr:
    """`jax.image.resize`, or `resampled` for what that cannot do."""
    mode = str(site.attributes.get("mode", "nearest"))
    where = str(site.attributes.get("coordinate_transformation_mode", "half_pixel"))
    factors = settings_of.scale_factors(site)
    size = tuple((site.layer.outputs[0].shape or ())[2:])
    names = {"x": site.data(), "channels": site.shape(0)[1]}
    shape = syntax.expression("(x.shape[0], channels)", **names)
    assert isinstance(shape, ast.Tuple)
    shape.elts[1:1] = [syntax.literal(one) for one in size]
    if mode == "nearest":
        is_whole = all(factor == int(factor) for factor in factors)
        if not is_whole or where == "align_corners":
            raise site.unsupported("JAX rounds positions differently")
        return call("jax.image.resize", site.data(), shape, method="nearest")
    if site.layer.number("antialias", 0):
        raise site.unsupported("it is antialiased")
    if (own := resampling.resampled(site, mode, where)) is not None:
        return own
    if mode not in _MODES or where not in ("half_pixel", "pytorch_half_pixel"):
        raise site.unsupported(f"JAX has no resize of mode {mode}, {where}")
    if mode == "cubic" and site.layer.number("cubic_coeff_a", -0.75) != _JAX_CUBIC:
        raise site.unsupported("JAX has another cubic")
    settings: dict[str, object] = {"method": _MODES[mode]}
    if any(factor < 1 for factor in factors):
        settings["antialias"] = False
    return call("jax.image.resize", site.data(), shape, **settings)


def depth_to_space(site: Site) -> ast.expr:
    """Blocks of an image made of channels, by a function of the program."""
    is_first = site.attributes.get("mode", "DCR") == "DCR" or site.layer.outputs[0].shape[1] == 1  # type: ignore[index]
    factor = int(site.layer.number("blocksize", 1))
    return call("depth_to_space" if is_first else "pixel_shuffle", site.data(), factor=factor)


def space_to_depth(site: Site) -> ast.expr:
    """Channels made of the blocks of an image, by a function of the program."""
    factor = int(site.layer.number("blocksize", 1))
    return call("space_to_depth", site.data(), factor=factor)


def grid_sample(site: Site) -> ast.expr:
    """A function of the program, of a grid as normal form has it."""
    settings = sampling.by_function(site, "JAX")
    return call("grid_sample", site.data(), site.normal_operand(1), **settings)


TABLE: dict[str, Lowering] = {
    "DepthToSpace": depth_to_space,
    "GridSample": grid_sample,
    "Pad": pad,
    "Resize": resize,
    "SpaceToDepth": space_to_depth,
}
