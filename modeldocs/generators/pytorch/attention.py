"""Attention in PyTorch."""

from __future__ import annotations

import ast

import onnx_ir as ir

from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method


def attention(site: Site) -> ast.expr:
    """`F.scaled_dot_product_attention`, of tensors with or without an axis of heads.

    Raises:
        NoProgramError: it has a cache, a cap or a further output.
    """
    if any(site.has(slot) for slot in (4, 5)) or len(site.layer.outputs) > 1:
        raise site.unsupported("it has a cache of keys and values")
    if site.layer.number("softcap", 0.0):
        raise site.unsupported("its scores are capped")
    site.call_operands("query", "key", "value")
    both = int(site.layer.number("num_heads", 1))
    queries = int(site.layer.number("q_num_heads", both))
    keys = int(site.layer.number("kv_num_heads", both))
    is_flat = len(site.shape(0)) == 3
    counts = (queries, keys, keys)
    heads = [
        _split(site.data(slot), count) if is_flat else site.data(slot)
        for slot, count in enumerate(counts)
    ]
    settings: dict[str, object] = {}
    is_causal = bool(site.layer.number("is_causal", 0))
    if site.has(3):
        settings["attn_mask"] = _causal_mask(site) if is_causal else site.operand(3)
    settings["is_causal"] = is_causal and not site.has(3)
    settings["scale"] = _scale(site, queries if is_flat else 1)
    settings["enable_gqa"] = queries != keys
    result = call("F.scaled_dot_product_attention", *heads, **settings)
    return method(method(result, "transpose", 1, 2), "flatten", 2) if is_flat else result


def _causal_mask(site: Site) -> ast.expr:
    """A mask that also hides what comes later: PyTorch's function takes one or the other."""
    value = site.value(3)
    queries, keys = site.shape(0)[-2], site.shape(1)[-2]
    earlier = syntax.expression(
        "torch.ones(queries, keys, dtype=torch.bool).tril()", queries=queries, keys=keys
    )
    template = "torch.where(earlier, mask, hidden)"
    if value is not None and value.dtype == ir.DataType.BOOL:
        template = "mask & earlier"
    hidden = float("-inf")
    return syntax.expression(template, mask=site.operand(3), earlier=earlier, hidden=hidden)


def _split(source: ast.expr, heads: int) -> ast.expr:
    split = method(source, "unflatten", -1, syntax.literal((heads, -1)))
    return method(split, "transpose", 1, 2)


def _scale(site: Site, heads: int) -> float | None:
    """The factor of the scores; None where it is the usual one."""
    scale = site.attributes.get("scale")
    if not isinstance(scale, int | float):
        return None
    width = site.shape(0)[-1] // heads
    return None if abs(scale - width**-0.5) <= 1e-6 * width**-0.5 else float(scale)


TABLE: dict[str, Lowering] = {"Attention": attention}
