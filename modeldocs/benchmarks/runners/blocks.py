"""Forward time and activation bytes of each PyTorch module, measured by hooks."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from typing import Any

import torch

from modeldocs.benchmarks.quantities import Block
from modeldocs.benchmarks.runners.subject import Subject, tensors


def block_times(subject: Subject, steps: int) -> tuple[Block, ...]:
    """Every module below the root that runs, in definition order; times are medians of `steps`.

    A module's time includes the modules inside it, and all of its calls in a step. Hooks cost some
    microseconds each, so these times do not add up to the time of a step.
    """
    clock = _CudaClock() if subject.device.type == "cuda" else _CpuClock()
    watch = _Watch(subject.module, clock)
    times = []
    for _ in range(steps):
        watch.begin()
        subject.step()
        subject.wait()
        times.append(watch.times())
    watch.remove()
    modules = dict(subject.module.named_modules())
    return tuple(
        Block(
            path=path,
            kind=type(module).__name__,
            forward_us=round(statistics.median(step.get(path, 0.0) for step in times), 2),
            activation_bytes=watch.activation_bytes[path],
        )
        for path, module in modules.items()
        if path and path in times[0]
    )


class _CpuClock:
    def mark(self) -> Any:
        return time.perf_counter()

    def between(self, first: Any, last: Any) -> float:
        return float(last - first) * 1e6


class _CudaClock:
    def mark(self) -> Any:
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, first: Any, last: Any) -> float:
        return float(first.elapsed_time(last)) * 1e3


class _Watch:
    """Hooks before and after the forward of every module."""

    def __init__(self, module: torch.nn.Module, clock: _CpuClock | _CudaClock) -> None:
        self.clock = clock
        self.hooks: list[Any] = []
        self.begin()
        for path, part in module.named_modules():
            self.hooks.append(part.register_forward_pre_hook(self._enter(path)))
            self.hooks.append(part.register_forward_hook(self._leave(path)))

    def begin(self) -> None:
        """Discard the times of the last step."""
        self.open: dict[str, list[Any]] = defaultdict(list)
        self.spans: list[tuple[str, Any, Any]] = []
        self.activation_bytes: dict[str, int] = defaultdict(int)

    def _enter(self, path: str) -> Any:
        return lambda *_: self.open[path].append(self.clock.mark())

    def _leave(self, path: str) -> Any:
        def leave(_module: torch.nn.Module, _inputs: Any, output: Any) -> None:
            self.spans.append((path, self.open[path].pop(), self.clock.mark()))
            sizes = [out.numel() * out.element_size() for out in tensors(output)]
            self.activation_bytes[path] += sum(sizes)

        return leave

    def times(self) -> dict[str, float]:
        """Microseconds by module path; to be called when the device has finished the step."""
        times: dict[str, float] = defaultdict(float)
        for path, first, last in self.spans:
            times[path] += self.clock.between(first, last)
        return dict(times)

    def remove(self) -> None:
        """Remove the hooks from the modules."""
        for hook in self.hooks:
            hook.remove()
