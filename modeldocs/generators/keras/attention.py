"""Attention in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


def attention(site: Site) -> ast.expr:
    """`ops.dot_product_attention`, which has the heads behind the positions.

    Raises:
        NoProgramError: it has a cache or a further output.
    """
    if any(site.has(slot) for slot in (4, 5)) or len(site.layer.outputs) > 1:
        raise site.unsupported("it has a cache of keys and values")
    site.call_operands("query", "key", "value")
    both = int(site.layer.number("num_heads", 1))
    is_flat = len(site.shape(0)) == 3
    counts = [int(site.layer.number(f"{name}_num_heads", both)) for name in ("q", "kv", "kv")]
    if not is_flat:
        counts = [site.shape(slot)[1] for slot in range(3)]
    operands = [_heads(site, slot, counts) for slot in range(3)]
    settings: dict[str, object] = {}
    if site.has(3):
        value = site.value(3)
        is_boolean = value is not None and str(value.dtype) == "BOOL"
        settings["mask" if is_boolean else "bias"] = site.normal_operand(3)
    settings["scale"] = _scale(site, counts[0] if is_flat else 1)
    settings["is_causal"] = bool(site.layer.number("is_causal", 0))
    settings["attn_logits_soft_cap"] = site.layer.number("softcap", 0.0) or None
    result = call("ops.dot_product_attention", *operands, **settings)
    if not is_flat:
        return result
    length, width = site.layer.outputs[0].shape[-2:]  # type: ignore[index]
    return call(call("layers.Reshape", syntax.literal((length, width))), result)


def _heads(site: Site, slot: int, counts: list[int]) -> ast.expr:
    """An operand with an axis of heads; shared heads are repeated."""
    source, shape = site.data(slot), site.shape(slot)
    if len(shape) == 3:
        target = syntax.literal((shape[1], counts[slot], shape[2] // counts[slot]))
        source = call(call("layers.Reshape", target), source)
    if counts[slot] == counts[0]:
        return source
    return call("ops.repeat", source, syntax.literal(counts[0] // counts[slot]), axis=2)


def _scale(site: Site, heads: int) -> float | None:
    """The factor of the scores; None where it is the usual one."""
    scale = site.attributes.get("scale")
    if not isinstance(scale, int | float):
        return None
    width = site.shape(0)[-1] // heads
    return None if abs(scale - width**-0.5) <= 1e-6 * width**-0.5 else float(scale)


TABLE: dict[str, Lowering] = {"Attention": attention}
