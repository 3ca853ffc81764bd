"""Windows of convolutions and pools: how many there are, and how ONNX tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Window:
    """Kernel, stride, pad and dilation along each spatial axis; both ends are padded alike."""

    kernel: Sequence[int]
    stride: Sequence[int]
    pad: Sequence[int]
    dilation: Sequence[int]

    @property
    def attributes(self) -> dict[str, Any]:
        """As ONNX names them."""
        return {
            "kernel_shape": list(self.kernel),
            "strides": list(self.stride),
            "pads": [*self.pad, *self.pad],
            "dilations": list(self.dilation),
        }

    @property
    def reach(self) -> tuple[int, ...]:
        """How many elements the window spans."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def forward(self, spatial: Sequence[int]) -> tuple[int, ...]:
        """Output size of a convolution, which rounds down."""
        return tuple(
            (size + 2 * p - reach) // s + 1
            for size, reach, s, p in zip(spatial, self.reach, self.stride, self.pad, strict=True)
        )

    def backward(self, spatial: Sequence[int]) -> tuple[int, ...]:
        """Output size of a transposed convolution."""
        return tuple(
            s * (size - 1) + reach - 2 * p
            for size, reach, s, p in zip(spatial, self.reach, self.stride, self.pad, strict=True)
        )


@dataclass(frozen=True, slots=True)
class WindowSpan:
    """A pool's windows along one axis of `size` elements, padded by `pad` at both ends."""

    size: int
    kernel: int
    stride: int
    pad: int
    ceil: bool = True
    """Whether their number is rounded up."""
    clips: bool = False
    """Whether a window that starts behind the elements and the pad before them is dropped."""

    @property
    def count(self) -> int:
        """Number of windows."""
        reach = self.size + 2 * self.pad - self.kernel
        if not self.ceil:
            return reach // self.stride + 1
        count = -(-reach // self.stride) + 1
        drops = self.clips and (count - 1) * self.stride >= self.size + self.pad
        return count - drops

    @property
    def _excess(self) -> int:
        """How far the last window ends behind the padded end; negative where before it."""
        return (self.count - 1) * self.stride + self.kernel - self.size - 2 * self.pad

    @property
    def overhang(self) -> int:
        """How far the last window reaches beyond the padded end; 0 where it does not."""
        return max(0, self._excess)

    @property
    def slack(self) -> int:
        """What the last window leaves of the padded end, where it is pad of no use."""
        return max(0, -self._excess)

    @property
    def empty(self) -> bool:
        """Whether the last window sees none of the elements, as a stride over the kernel may."""
        return (self.count - 1) * self.stride >= self.size + self.pad

    @property
    def fits(self) -> bool:
        """Whether the kernel is wider than the pad, and no wider than the padded elements."""
        return self.pad < self.kernel <= self.size + 2 * self.pad


def spans(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    *,
    ceil: bool,
    clips: bool = False,
) -> list[WindowSpan]:
    """The windows along each spatial axis."""
    axes = zip(sizes, kernel, strides, pads, strict=True)
    return [WindowSpan(*axis, ceil=ceil, clips=clips) for axis in axes]


def pooled(spans: Sequence[WindowSpan]) -> dict[str, Any]:
    """Attributes of a pool; pads at the end carry what the last windows hang over."""
    return _attributes(spans, [span.pad + span.overhang for span in spans])


def averaged(spans: Sequence[WindowSpan], *, counts: bool) -> dict[str, Any] | None:
    """Attributes of an AveragePool that divides by a window's part inside of the padded elements.

    Pads count as elements or do not, an overhang never does. Pads that do not count can carry it.
    With pads that do, none are right, and ONNX's own `ceil_mode` is: it clips the window at the
    padded end. Along an axis without overhang that mode must find nothing to round up, so the
    slack goes; None where it is more than the pad.
    """
    if not counts or not any(span.overhang for span in spans):
        return {**pooled(spans), "count_include_pad": int(counts)}
    ends = [span.pad - span.slack for span in spans]
    if min(ends) < 0:
        return None
    return {**_attributes(spans, ends), "count_include_pad": 1, "ceil_mode": 1}


def _attributes(spans: Sequence[WindowSpan], ends: Sequence[int]) -> dict[str, Any]:
    return {
        "kernel_shape": [span.kernel for span in spans],
        "strides": [span.stride for span in spans],
        "pads": [*(span.pad for span in spans), *ends],
    }


def same(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[int]:
    """Pads that make ceil(size / stride) windows, begins before ends: the odd one at the end."""
    totals = [
        max((-(-size // stride) - 1) * stride + (width - 1) * dilation + 1 - size, 0)
        for size, width, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]
    return [*(total // 2 for total in totals), *(total - total // 2 for total in totals)]
