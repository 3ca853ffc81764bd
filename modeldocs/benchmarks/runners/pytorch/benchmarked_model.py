"""A PyTorch port on its device, and its inference and training steps."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from modeldocs.benchmarks import machine, measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.benchmarks.runners.benchmarked_model import (
    LEARNING_RATE,
    BenchmarkedModel,
    StepProfile,
    batched,
)
from modeldocs.benchmarks.runners.pytorch import conditions
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs
from modeldocs.loaders.pytorch.inputs import arguments
from modeldocs.loaders.pytorch.inputs import tensors as synthetic
from modeldocs.loaders.pytorch.module import build_module

Span = Callable[[str], contextlib.AbstractContextManager[object]]


class PyTorchSubject(BenchmarkedModel):
    """A module and synthetic inputs on their device.

    `span` opens a block around the forward, the backward and the optimizer's part of each step.
    """

    def __init__(self, request: BenchRequest, *, sequential: bool = False) -> None:  # noqa: ARG002
        super().__init__(request)
        self.device = conditions.device(request.device)
        self.cuda = self.device.type == "cuda"
        self.span: Span = lambda _name: contextlib.nullcontext()
        conditions.configure(request)
        built = build_module(request.load)
        self.params = sum(p.numel() for p in built.module.parameters() if p.requires_grad)
        self.dtypes = built.inputs.dtypes
        self.shapes = {n: batched(shape, request.batch) for n, shape in built.inputs.shapes.items()}
        self.run(lambda: self._place(built.module))
        if self.cuda:
            self.timer += ", and CUDA events around the step"
            self.sync = "the device is synchronised after every step"

    def _place(self, module: torch.nn.Module) -> None:
        dtype = getattr(torch, self.request.dtype)
        self.module = module.to(self.device, dtype).train(self.training)
        args, kwargs = arguments(synthetic(Inputs(self.shapes, self.dtypes)))
        self.args = tuple(self._cast(value, dtype) for value in args)
        self.kwargs = {name: self._cast(value, dtype) for name, value in kwargs.items()}
        trained = [p for p in self.module.parameters() if p.requires_grad]
        if self.training and not trained:
            raise ModeldocsError("has no trainable parameters", fix="measure --task inference")
        self.optimizer = torch.optim.SGD(trained, lr=LEARNING_RATE) if self.training else None
        self.called: Any = torch.compile(self.module) if self.request.compile else self.module

    def _cast(self, value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """Floats in the run's type; integers are 0 or 1, which are rows of any table."""
        if value.is_floating_point():
            return value.to(self.device, dtype)
        return (value % 2 if value.dtype != torch.bool else value).to(self.device)

    def step(self) -> None:
        """Run one step of the task."""
        self.run(self._train if self.training else self._infer)

    def _infer(self) -> None:
        with torch.inference_mode(), self.span("forward"):
            self.called(*self.args, **self.kwargs)

    def _train(self) -> None:
        assert self.optimizer is not None
        self.optimizer.zero_grad(set_to_none=True)
        with self.span("forward"):
            outputs = list(tensors(self.called(*self.args, **self.kwargs)))
        losses = [out.float().square().mean() for out in outputs if out.requires_grad]
        loss = torch.stack(losses).sum()
        with self.span("backward"):
            loss.backward()
        with self.span("optimizer"):
            self.optimizer.step()

    def wait(self) -> None:
        """Wait until the device has finished all work."""
        if self.cuda:
            torch.cuda.synchronize(self.device)

    def timed_step(self) -> tuple[float, float | None]:
        """Run one step: its wall time, and that between two CUDA events, in milliseconds."""
        if not self.cuda:
            return super().timed_step()
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        before = time.perf_counter()
        first.record()
        self.step()
        last.record()
        self.wait()
        return (time.perf_counter() - before) * 1e3, first.elapsed_time(last)

    def facts(self) -> Facts:
        """The device, the software and the settings that the steps run with."""
        return Facts(
            device=conditions.described(self.device),
            software=conditions.software(),
            numerics=conditions.numerics(self.request, cuda=self.cuda),
            params=self.params,
            input_shapes=self.shapes,
        )

    def device_after(self, device: part.Device) -> part.Device:
        """The device with its clocks and temperature after the timed steps."""
        if not self.cuda:
            return device
        return machine.with_state_after(device, conditions.uuid(self.device))

    def attribute(self, steps: int) -> StepProfile:
        """Time by module, by hooks, and by operator, by PyTorch's profiler."""
        from modeldocs.benchmarks.runners.pytorch.activity import profile
        from modeldocs.benchmarks.runners.pytorch.modules import block_times

        # A compiled module is one region, in which modules cannot be told apart.
        blocks = None if self.request.compile else block_times(self, steps)
        flops = None if self.request.compile else self._flops()
        operators, gpu = profile(self, steps)
        return StepProfile(blocks=blocks, host_operators=operators, gpu=gpu, flops=flops)

    def _flops(self) -> measurements.Flops:
        from torch.utils.flop_counter import FlopCounterMode

        with FlopCounterMode(display=False) as counter:
            self.step()
        return measurements.Flops(
            per_step=counter.get_total_flops(),
            counter="torch.utils.flop_counter: convolutions, matrix products and attention only",
        )

    def device_memory(self) -> tuple[int | None, int | None]:
        """Peak bytes of tensors, and of the allocator, on a CUDA device."""
        if not self.cuda:
            return None, None
        return torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()

    def energy(self, seconds: float) -> measurements.Energy | None:
        """Energy by the driver's counter over at least so many seconds of steps."""
        if not self.cuda:
            return None
        uuid, steps = conditions.uuid(self.device), 0
        before, start = machine.energy_mj(uuid), time.perf_counter()
        while time.perf_counter() - start < seconds:
            self.timed_step()
            steps += 1
        after, window = machine.energy_mj(uuid), time.perf_counter() - start
        if before is None or after is None:
            return None
        source = "NVML total energy counter"
        return measurements.Energy(
            energy_mj=after - before, window_us=window * 1e6, steps=steps, source=source
        )


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor in a module's output, however it is nested."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from (tensor for item in value.values() for tensor in tensors(item))
    elif isinstance(value, list | tuple):
        yield from (tensor for item in value for tensor in tensors(item))
