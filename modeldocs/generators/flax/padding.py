"""Padding of windows as Flax's layers and functions take it."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.generators import windows
from modeldocs.generators.site import Site
from modeldocs.generators.windows import Pads


def padding(site: Site, kernel: Sequence[int]) -> object:
    """The padding of a convolution: a name, one number, or numbers for each axis.

    Kernels of one size are padded alike in a network, by number where the name fits some alone.
    """
    amounts = windows.pads(site)
    known = named(site, kernel, amounts)
    if known == "VALID" or (known is not None and not _is_numbered(site, kernel, amounts)):
        return known
    if any(before != after for before, after in amounts):
        return amounts
    return windows.pair([before for before, _ in amounts])


def named(site: Site, kernel: Sequence[int], amounts: Pads) -> str | None:
    """The name that Flax has for pads; None where it has none."""
    if windows.is_same(site, kernel, amounts):
        return "SAME"
    return None if any(map(any, amounts)) else "VALID"


def _is_numbered(site: Site, kernel: Sequence[int], amounts: Pads) -> bool:
    """Whether the network has a convolution of the same kernel and pads with a stride, which are
    the same on both sides: what "SAME" pads depends on the size then.
    """
    if not any(map(any, amounts)) or any(before != after for before, after in amounts):
        return False
    own = (tuple(kernel), tuple(before for before, _ in amounts) * 2)
    layers = (one for one in site.lowered.network.graph.layers if one.operator == "Conv")
    return any(
        (tuple(one.sizes("kernel_shape")), tuple(one.sizes("pads"))) == own
        and max(one.sizes("strides"), default=1) > 1
        for one in layers
    )
