"""Heads of attention, as the tables of several targets read them."""

from __future__ import annotations

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
