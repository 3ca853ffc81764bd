"""Windows of convolutions and pools, and the layouts of the images they slide over."""

from __future__ import annotations

from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.mxnet.operation import MxnetOperation


def spatial_rank(op: MxnetOperation, *, most: int = 3) -> int:
    """Number of spatial axes of the first operand."""
    rank = len(op.shape(least=3)) - 2
    if rank > most:
        raise op.error(f"reads {rank + 2} dimensions", fix=f"give it at most {most + 2}")
    return rank


def window(op: MxnetOperation, rank: int) -> Window:
    """The window in the settings, along each of `rank` spatial axes."""
    settings = {
        "kernel": op.settings.sizes("kernel"),
        "stride": op.settings.sizes("stride") or (1,) * rank,
        "pad": op.settings.sizes("pad") or (0,) * rank,
        "dilate": op.settings.sizes("dilate") or (1,) * rank,
    }
    for name, sizes in settings.items():
        least = 0 if name == "pad" else 1
        if len(sizes) != rank or min(sizes) < least:
            raise op.error(
                f"has the {name} {sizes[:9]} for {rank} spatial dimensions",
                fix=f"give one number for each, of at least {least}",
            )
    return Window(*settings.values())


def channels_first(op: MxnetOperation, rank: int) -> tuple[int, ...]:
    """The order of axes that brings the layout in the settings to ONNX's, channels at axis 1."""
    target = {1: "NCW", 2: "NCHW", 3: "NCDHW"}.get(rank, "")
    layout = op.settings.text("layout", target)
    if len(layout) != rank + 2 or sorted(layout) != sorted(target):
        raise op.error(
            f"has the layout {layout[:20]!r} for {rank} spatial dimensions",
            fix=f"use {target}, or another order of its letters",
        )
    return tuple(layout.index(letter) for letter in target)
