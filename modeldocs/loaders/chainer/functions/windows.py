"""Windows that slide along one axis of an image."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """`count` windows of `kernel` elements on `size` elements, `pad` before the first."""

    size: int
    kernel: int
    stride: int
    pad: int
    dilation: int
    count: int

    @property
    def end(self) -> int:
        """Pad at the end that the last window needs, at least that at the beginning."""
        reach = (self.kernel - 1) * self.dilation + 1
        return max(
            int(self.pad), (self.count - 1) * int(self.stride) + reach - self.size - self.pad
        )
