"""Attention in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import heads, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method


def attention(site: Site) -> ast.expr:
    """`F.scaled_dot_product_attention`, of tensors with or without an axis of heads.

    Raises:
        NoProgramError: it has a cache or a further output.
    """
    if any(site.has(slot) for slot in (4, 5)) or len(site.layer.outputs) > 1:
        raise site.unsupported("it has a cache of keys and values")
    site.call_operands("query", "key", "value")
    is_flat = len(site.shape(0)) == 3
    counts = heads.counts(site)
    operands = [
        _split(site.data(slot), count) if is_flat else site.data(slot)
        for slot, count in enumerate(counts)
    ]
    settings: dict[str, object] = {}
    is_causal = bool(site.layer.number("is_causal", 0))
    if site.has(3):
        settings["attn_mask"] = _causal_mask(site) if is_causal else site.operand(3)
    settings["is_causal"] = is_causal and not site.has(3)
    settings["scale"] = heads.scale(site, counts[0] if is_flat else 1)
    settings["enable_gqa"] = counts[0] != counts[1]
    softcap = site.layer.number("softcap", 0.0)
    if softcap:
        result = call("capped_attention", *operands, **settings, softcap=softcap)
    else:
        result = call("F.scaled_dot_product_attention", *operands, **settings)
    return method(method(result, "transpose", 1, 2), "flatten", 2) if is_flat else result


def _causal_mask(site: Site) -> ast.expr:
    """A mask that also hides what comes later: PyTorch's function takes one or the other."""
    queries, keys = site.shape(0)[-2], site.shape(1)[-2]
    earlier = syntax.expression(
        "torch.ones(queries, keys, dtype=torch.bool).tril()", queries=queries, keys=keys
    )
    template = "torch.where(earlier, mask, hidden)"
    if heads.is_boolean(site):
        template = "mask & earlier"
    hidden = float("-inf")
    return syntax.expression(template, mask=site.operand(3), earlier=earlier, hidden=hidden)


def _split(source: ast.expr, heads: int) -> ast.expr:
    split = method(source, "unflatten", -1, syntax.literal((heads, -1)))
    return method(split, "transpose", 1, 2)


TABLE: dict[str, Lowering] = {"Attention": attention}
