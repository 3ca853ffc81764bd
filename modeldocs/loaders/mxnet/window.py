"""Windows of convolutions and pools, and the layouts they slide over."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.mxnet.operation import Operation


def window(op: Operation, rank: int) -> Window:
    """The window that the settings give, along each of `rank` spatial axes."""
    kernel = op.settings.sizes("kernel")
    given = {
        "kernel": kernel,
        "stride": op.settings.sizes("stride") or (1,) * rank,
        "pad": op.settings.sizes("pad") or (0,) * rank,
        "dilate": op.settings.sizes("dilate") or (1,) * rank,
    }
    for name, values in given.items():
        least = 0 if name == "pad" else 1
        if len(values) != rank or min(values) < least:
            raise op.error(
                f"has the {name} {values[:9]} for {rank} spatial dimensions",
                fix=f"give one number for each, of at least {least}",
            )
    return Window(*given.values())


class Layout:
    """Where the channels are; ONNX wants them at axis 1, so others are transposed around it."""

    def __init__(self, op: Operation, rank: int) -> None:
        usual = {1: "NCW", 2: "NCHW", 3: "NCDHW"}.get(rank, "")
        told = op.settings.text("layout", usual)
        if len(told) != rank + 2 or sorted(told) != sorted(usual):
            raise op.error(
                f"has the layout {told[:20]!r} for {rank} spatial dimensions",
                fix=f"use {usual}, or another order of its letters",
            )
        self.op = op
        self.to_first = tuple(told.index(letter) for letter in usual)
        self.back = tuple(usual.index(letter) for letter in told)

    def first(self, value: ir.Value) -> ir.Value:
        """A value with its channels at axis 1."""
        return self.op.transpose(value, self.to_first)

    def own(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape with channels at axis 1 as the source's layout has it."""
        return tuple(shape[axis] for axis in self.back)

    def restored(self, value: ir.Value) -> ir.Value:
        """A value in the source's layout again."""
        return self.op.transpose(value, self.back)


def spatial(op: Operation, *, most: int = 3) -> int:
    """Number of spatial axes of the first operand."""
    rank = len(op.shape(least=3)) - 2
    if rank > most:
        raise op.error(f"reads {rank + 2} dimensions", fix=f"give it at most {most + 2}")
    return rank
