"""Attention in Flax."""

from __future__ import annotations

import ast

from modeldocs.generators import heads, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method

_RANK = 4
"""Axes of a mask: items, heads, queries and keys."""


def attention(site: Site) -> ast.expr:
    """`jax.nn.dot_product_attention`, which has the heads behind the positions, or a function of
    the program for what that cannot do: caps, and values that are not as wide as keys.

    Raises:
        NoProgramError: it has a cache or a further output.
    """
    if any(site.has(slot) for slot in (4, 5)) or len(site.layer.outputs) > 1:
        raise site.unsupported("it has a cache of keys and values")
    counts = heads.counts(site)
    is_flat = len(site.shape(0)) == 3
    site.call_operands("query", "key", "value")
    operands = [_heads(site, slot, count) for slot, count in enumerate(counts)]
    settings: dict[str, object] = {}
    if site.has(3):
        settings["mask" if heads.is_boolean(site) else "bias"] = _mask(site)
    settings["scale"] = heads.scale(site, counts[0] if is_flat else 1)
    settings["is_causal"] = bool(site.layer.number("is_causal", 0))
    softcap = site.layer.number("softcap", 0.0)
    if softcap or site.shape(1)[-1] != site.shape(2)[-1]:
        settings["softcap"] = softcap or None
        shared = counts[0] // counts[1]
        if shared > 1:
            query, *others = operands
            operands = [
                query,
                *(call("jnp.repeat", one, syntax.literal(shared), axis=2) for one in others),
            ]
        result = call("attention_of_heads", *operands, **settings)
    else:
        result = call("jax.nn.dot_product_attention", *operands, **settings)
    if not is_flat:
        return result
    length, width = site.layer.outputs[0].shape[-2:]  # type: ignore[index]
    return method(result, "reshape", -1, length, width)


def _heads(site: Site, slot: int, count: int) -> ast.expr:
    """An operand with an axis of heads."""
    source, shape = site.data(slot), site.shape(slot)
    if len(shape) != 3:
        return source
    return method(source, "reshape", -1, shape[1], count, shape[2] // count)


def _mask(site: Site) -> ast.expr:
    """The mask, with axes for items and heads."""
    mask, absent = site.normal_operand(3), _RANK - len(site.shape(3))
    if absent == 0:
        return mask
    return call("jnp.expand_dims", mask, syntax.literal(tuple(range(absent))))


TABLE: dict[str, Lowering] = {"Attention": attention}
