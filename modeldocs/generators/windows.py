"""Windows of convolutions and pools: their pads, strides and dilations."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.generators.site import Site

Pads = tuple[tuple[int, int], ...]
"""What is added before and after each spatial axis."""


def spatial(site: Site) -> int:
    """The number of spatial axes of what a layer reads.

    Raises:
        NoProgramError: frameworks have no such layer for it.
    """
    rank = len(site.shape(0)) - 2
    if rank not in (1, 2, 3):
        raise site.unsupported(f"no framework has such a layer for {rank} spatial axes")
    return rank


def pair(sizes: Sequence[int]) -> int | tuple[int, ...]:
    """Sizes along each axis, as one number where they are equal."""
    return sizes[0] if len(set(sizes)) == 1 else tuple(sizes)


def strides(site: Site) -> tuple[int, ...]:
    """The strides along each spatial axis."""
    return tuple(site.layer.sizes("strides")) or (1,) * spatial(site)


def dilations(site: Site) -> tuple[int, ...]:
    """The dilations along each spatial axis."""
    return tuple(site.layer.sizes("dilations")) or (1,) * spatial(site)


def pads(site: Site) -> Pads:
    """The pads of a layer with a window."""
    rank = spatial(site)
    own = site.layer.sizes("pads") or (0,) * 2 * rank
    return tuple(zip(own[:rank], own[rank:], strict=True))


def is_same(site: Site, kernel: Sequence[int], amounts: Pads) -> bool:
    """Whether pads are those of a padding called "same", at any size of the image.

    At a stride of 1 they are so by the kernel alone. At others they depend on the size, and are
    more at the end than at the beginning: equal pads are another function at other sizes. Windows
    of one element need none at any stride.
    """
    sizes = zip(site.shape(0)[2:], kernel, strides(site), dilations(site), amounts, strict=True)
    is_any_size = True
    for size, width, stride, dilation, own in sizes:
        windows = -(-size // stride)
        total = max((windows - 1) * stride + dilation * (width - 1) + 1 - size, 0)
        if own != (total // 2, total - total // 2):
            return False
        is_any_size &= stride == 1 or own[0] != own[1] or width == 1
    return is_any_size


def reach(site: Site) -> Pads:
    """The pads with which all windows of a pool lie inside of the padded image.

    Windows of a pool that rounds up may end outside of the image and its pads.
    """
    kernel, steps = site.layer.sizes("kernel_shape"), strides(site)
    counts = (site.layer.outputs[0].shape or ())[2:]
    own = []
    for size, count, width, step, dilation, (before, after) in zip(
        site.shape(0)[2:], counts, kernel, steps, dilations(site), pads(site), strict=True
    ):
        assert isinstance(count, int)
        needed = (count - 1) * step + dilation * (width - 1) + 1 - size - before
        own.append((before, needed if needed > after else after))
    return tuple(own)
