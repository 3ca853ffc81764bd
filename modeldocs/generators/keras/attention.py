"""Attention in Keras."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import heads, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


def attention(site: Site) -> ast.expr:
    """`ops.dot_product_attention`, which has the heads behind the positions, or a function of the
    program for what that cannot do: caps, and values that are not as wide as keys.

    Raises:
        NoProgramError: it has a cache or a further output.
    """
    if any(site.has(slot) for slot in (4, 5)) or len(site.layer.outputs) > 1:
        raise site.unsupported("it has a cache of keys and values")
    site.call_operands("query", "key", "value")
    is_flat = len(site.shape(0)) == 3
    counts = heads.counts(site)
    operands = [_heads(site, slot, counts) for slot in range(3)]
    settings: dict[str, object] = {}
    if site.has(3):
        settings["mask" if heads.is_boolean(site) else "bias"] = site.normal_operand(3)
    settings["scale"] = heads.scale(site, counts[0] if is_flat else 1)
    settings["is_causal"] = bool(site.layer.number("is_causal", 0))
    softcap = site.layer.number("softcap", 0.0)
    if softcap or _width(site, 1, counts) != _width(site, 2, counts):
        settings["softcap"] = softcap or None
        result = call("attention_of_heads", *operands, **settings)
    else:
        result = call("ops.dot_product_attention", *operands, **settings)
    if not is_flat:
        return result
    length, width = site.layer.outputs[0].shape[-2:]  # type: ignore[index]
    return call(call("layers.Reshape", syntax.literal((length, width))), result)


def _width(site: Site, slot: int, counts: Sequence[int]) -> int:
    """The width of a head of keys or values."""
    shape = site.shape(slot)
    return shape[-1] if len(shape) == 4 else shape[-1] // counts[slot]


def _heads(site: Site, slot: int, counts: Sequence[int]) -> ast.expr:
    """An operand with an axis of heads; shared heads are repeated."""
    source, shape = site.data(slot), site.shape(slot)
    if len(shape) == 3:
        target = syntax.literal((shape[1], counts[slot], shape[2] // counts[slot]))
        source = call(call("layers.Reshape", target), source)
    if counts[slot] == counts[0]:
        return source
    return call("ops.repeat", source, syntax.literal(counts[0] // counts[slot]), axis=2)


TABLE: dict[str, Lowering] = {"Attention": attention}
