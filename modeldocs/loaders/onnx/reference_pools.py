"""Pools that round up, which ONNX's reference evaluator has wrong, as ONNX specifies them.

That of onnx 1.23 and before moves the windows of an average, and adds pads twice to a maximum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx.reference.ops import op_average_pool, op_max_pool

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class _Windows:
    """Windows over the last axes of an image, rounded up: a setting for each axis.

    A window that would begin in the pads at the end of an axis is left out.
    """

    kernel: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    pads: Sequence[int]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of a window's elements, counted from the end."""
        return tuple(range(-len(self.kernel), 0))

    def over(self, x: Array, fill: float) -> Array:
        """The elements of each window on axes of their own, behind those of the output."""
        rank = len(self.kernel)
        spans = [d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]
        lengths = [
            (self._count(axis, size, span) - 1) * self.strides[axis] + span
            for axis, (size, span) in enumerate(zip(x.shape[-rank:], spans, strict=True))
        ]
        before = self.pads[:rank]
        after = [
            max(length - size - start, 0)
            for length, size, start in zip(lengths, x.shape[-rank:], before, strict=True)
        ]
        others = [(0, 0)] * (x.ndim - rank)
        ends: Any = (..., *map(slice, lengths))
        padded = np.pad(x, [*others, *zip(before, after, strict=True)], constant_values=fill)[ends]
        axes = tuple(range(x.ndim - rank, x.ndim))
        windows = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=axes)
        steps: Any = (..., *(np.s_[::step] for step in (*self.strides, *self.dilations)))
        found: Array = windows[steps]
        return found

    def sizes(self, shape: Sequence[int], *, with_pads: bool) -> Array:
        """The number of elements of each window that are of the image, or of its pads, too."""
        total: Array = np.ones(())
        for axis, size in enumerate(shape):
            span = self.dilations[axis] * (self.kernel[axis] - 1) + 1
            starts = np.arange(self._count(axis, size, span)) * self.strides[axis]
            places = starts[:, None] + np.arange(0, span, self.dilations[axis]) - self.pads[axis]
            low, high = (-self.pads[axis], self.pads[axis + len(shape)]) if with_pads else (0, 0)
            inside = (places >= low) & (places < size + high)
            total = np.multiply.outer(total, inside.sum(axis=1))
        return total

    def _count(self, axis: int, size: int, span: int) -> int:
        """The number of windows along an axis."""
        begin, end = self.pads[axis], self.pads[axis + len(self.kernel)]
        stride = self.strides[axis]
        count = -(-(size + begin + end - span) // stride) + 1
        return count - 1 if (count - 1) * stride >= size + begin else count


def _windows(settings: Mapping[str, Any]) -> _Windows | None:
    """The windows of a pool that rounds up; None of others, which the evaluator has right."""
    if not settings.get("ceil_mode") or settings.get("auto_pad") not in (None, "NOTSET"):
        return None
    kernel = settings["kernel_shape"]
    ones = (1,) * len(kernel)
    strides, dilations = (settings.get(name) or ones for name in ("strides", "dilations"))
    return _Windows(kernel, strides, dilations, settings.get("pads") or (0,) * 2 * len(kernel))


class MaxPool(op_max_pool.MaxPool):  # type: ignore[misc]
    """The largest element of each window."""

    def _run(self, x: Array, **settings: Any) -> tuple[Array, ...]:
        windows = _windows(settings)
        if windows is None or len(self.output) > 1:
            return super()._run(x, **settings)  # type: ignore[no-any-return]
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        return (windows.over(x, lowest).max(axis=windows.axes),)


class AveragePool(op_average_pool.AveragePool_19):  # type: ignore[misc]
    """The mean of each window: of what it has of the image, or of its pads, too."""

    def _run(self, x: Array, **settings: Any) -> tuple[Array, ...]:
        windows = _windows(settings)
        if windows is None:
            return super()._run(x, **settings)  # type: ignore[no-any-return]
        with_pads = bool(settings.get("count_include_pad"))
        sizes = windows.sizes(x.shape[-len(windows.kernel) :], with_pads=with_pads)
        return ((windows.over(x, 0.0).sum(axis=windows.axes) / sizes).astype(x.dtype),)
