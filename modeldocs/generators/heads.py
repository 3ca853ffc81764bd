"""Heads of attention, as the tables of several targets read them."""

from __future__ import annotations

from typing import Final

import onnx_ir as ir

from modeldocs.generators.site import Site


def counts(site: Site) -> tuple[int, int, int]:
    """The numbers of heads of queries, keys and values."""
    if len(site.shape(0)) != 3:
        first, second, third = (site.shape(slot)[1] for slot in range(3))
        return first, second, third
    both = int(site.layer.number("num_heads", 1))
    queries, keys = (int(site.layer.number(f"{name}_num_heads", both)) for name in ("q", "kv"))
    return queries, keys, keys


def is_boolean(site: Site) -> bool:
    """Whether the mask says what is seen, rather than what is added to the scores."""
    value = site.value(3)
    return value is not None and value.dtype == ir.DataType.BOOL


def scale(site: Site, heads: int) -> float | None:
    """The factor of the scores; None where it is the usual one.

    `heads` are those among which the last axis of the queries is divided.
    """
    found = site.attributes.get("scale")
    if not isinstance(found, int | float):
        return None
    width = site.shape(0)[-1] // heads
    return None if abs(found - width**-0.5) <= 1e-6 * width**-0.5 else float(found)


_HELPER: Final = '''
def attention_of_heads(
    query: {tensor},
    key: {tensor},
    value: {tensor},
    *,
    bias: {tensor} | None = None,
    mask: {tensor} | None = None,
    scale: float | None = None,
    is_causal: bool = False,
    softcap: float | None = None,
) -> {tensor}:
    """Attention with values of any width, and with scores between -softcap and softcap."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = {library}.einsum("bqhd,bkhd->bhqk", query, key) * scale
    if softcap is not None:
        scores = softcap * {library}.tanh(scores / softcap)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = {library}.where(mask, scores, float("-inf"))
    if is_causal:
        earlier = {library}.tri(query.shape[1], key.shape[1], dtype="bool")
        scores = {library}.where(earlier, scores, float("-inf"))
    return {library}.einsum("bhqk,bkhd->bqhd", {softmax}(scores), value)
'''


def helper(library: str, tensor: str, softmax: str) -> str:
    """The function of a program for attention of as many keys and values as queries, for a library
    with NumPy's interface, its type of tensors and its softmax.
    """
    return _HELPER.format(library=library, tensor=tensor, softmax=softmax).strip()
