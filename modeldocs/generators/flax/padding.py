"""Padding of windows as Flax's layers and functions take it."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.generators import windows
from modeldocs.generators.site import Site
from modeldocs.generators.windows import Pads


def padding(site: Site, kernel: Sequence[int]) -> object:
    """The padding of a convolution: a name, one number, or numbers for each axis."""
    amounts = windows.pads(site)
    known = named(site, kernel, amounts)
    if known is not None:
        return known
    if any(before != after for before, after in amounts):
        return amounts
    return windows.pair([before for before, _ in amounts])


def named(site: Site, kernel: Sequence[int], amounts: Pads) -> str | None:
    """The name that Flax has for pads; None where it has none."""
    if windows.is_same(site, kernel, amounts):
        return "SAME"
    return None if any(map(any, amounts)) else "VALID"
