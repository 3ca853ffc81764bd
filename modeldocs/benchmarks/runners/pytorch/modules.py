"""Forward and backward time, and activation bytes, of each PyTorch module."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from modeldocs.benchmarks.measurements import Block
from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject, tensors
from modeldocs.benchmarks.runners.pytorch.clocks import Clock, CpuClock, CudaClock
from modeldocs.benchmarks.runners.pytorch.gradients import GradientWatch


def block_times(subject: PyTorchSubject, steps: int) -> tuple[Block, ...]:
    """The whole network, then every module that runs, in definition order; medians of `steps`.

    A module's time includes the modules inside it, and all of its calls in a step. Marking a
    module costs some microseconds, so these times do not add up to the time of a step. Backward
    times are those of training steps.
    """
    clock = CudaClock() if subject.cuda else CpuClock()
    watch = ModuleHooks(subject.module, clock, training=subject.training)
    subject.span = watch.span
    forward, backward = [], []
    for _ in range(steps):
        watch.begin()
        subject.step()
        subject.wait()
        forward.append(watch.forward())
        backward.append(watch.backward())
    watch.remove()
    modules = dict(subject.module.named_modules())
    return tuple(
        Block(
            path=path,
            kind=type(module).__name__,
            forward_us=_median(forward, path),
            backward_us=_median(backward, path) if subject.training else None,
            activation_bytes=watch.activation_bytes[path],
        )
        for path, module in modules.items()
        if path in forward[0]
    )


def _median(steps: list[dict[str, float]], path: str) -> float:
    return round(statistics.median(step.get(path, 0.0) for step in steps), 2)


class ModuleHooks:
    """Hooks before and after the forward of every module, and on the gradients' graph."""

    def __init__(self, module: torch.nn.Module, clock: Clock, *, training: bool) -> None:
        self.clock = clock
        self.gradients = GradientWatch(clock) if training else None
        self.hooks: list[Any] = []
        self.begin()
        for path, part in module.named_modules():
            self.hooks.append(part.register_forward_pre_hook(self._enter(path), with_kwargs=True))
            self.hooks.append(part.register_forward_hook(self._leave(path)))

    def begin(self) -> None:
        """Discard the times of the last step."""
        self.open: list[tuple[str, Any]] = []
        self.spans: list[tuple[str, Any, Any]] = []
        self.phases: list[tuple[str, Any, Any]] = []
        self.activation_bytes: dict[str, int] = defaultdict(int)
        if self.gradients is not None:
            self.gradients.begin()

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """A part of a step."""
        first = self.clock.mark()
        yield
        self.phases.append((name, first, self.clock.mark()))

    def _paths(self) -> tuple[str, ...]:
        return tuple(path for path, _ in self.open)

    def _enter(self, path: str) -> Any:
        def enter(_module: torch.nn.Module, args: Any, kwargs: Any) -> None:
            if self.gradients is not None:
                self.gradients.assign(tensors([args, kwargs]), self._paths())
            self.open.append((path, self.clock.mark()))

        return enter

    def _leave(self, path: str) -> Any:
        def leave(_module: torch.nn.Module, _inputs: Any, output: Any) -> None:
            _, first = self.open[-1]
            self.spans.append((path, first, self.clock.mark()))
            outputs = list(tensors(output))
            self.activation_bytes[path] += sum(o.numel() * o.element_size() for o in outputs)
            if self.gradients is not None:
                self.gradients.assign(outputs, self._paths())
            self.open.pop()

        return leave

    def forward(self) -> dict[str, float]:
        """Microseconds by module path; to be called when the device has finished the step."""
        times: dict[str, float] = defaultdict(float)
        for path, first, last in self.spans:
            times[path] += self.clock.between(first, last)
        return dict(times)

    def backward(self) -> dict[str, float]:
        """The same of backward; that of the whole network includes the loss."""
        if self.gradients is None:
            return {}
        whole = sum(self.clock.between(a, b) for name, a, b in self.phases if name == "backward")
        return {**self.gradients.times(), "": whole}

    def remove(self) -> None:
        """Remove the hooks from the modules."""
        for hook in self.hooks:
            hook.remove()
