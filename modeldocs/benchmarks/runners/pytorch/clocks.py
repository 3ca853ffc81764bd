"""Clocks that mark moments of a step: on the host, and on a CUDA device."""

from __future__ import annotations

import time
from typing import Any, Protocol

import torch


class Clock(Protocol):
    """Marks moments, and tells the microseconds between two of them."""

    def mark(self) -> Any:
        """The present moment."""

    def between(self, first: Any, last: Any) -> float:
        """Microseconds between two moments; the device must have passed both."""


class CpuClock:
    """The host's clock, for devices that the host waits for anyway."""

    def mark(self) -> float:
        """The present moment."""
        return time.perf_counter()

    def between(self, first: float, last: float) -> float:
        """Microseconds between two moments."""
        return (last - first) * 1e6


class CudaClock:
    """Events in the current stream of a CUDA device."""

    def mark(self) -> torch.cuda.Event:
        """The present moment."""
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, first: torch.cuda.Event, last: torch.cuda.Event) -> float:
        """Microseconds between two events; the device must have passed both."""
        return float(first.elapsed_time(last)) * 1e3
