"""One worker of a data-parallel run of a PyTorch port: its steps in each mode, timed."""

from __future__ import annotations

import contextlib
import datetime
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from modeldocs.benchmarks.ddp import Gradient
from modeldocs.benchmarks.runners.pytorch import ddp_communication, ddp_gradients
from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject
from modeldocs.benchmarks.runners.pytorch.clocks import Clock, CpuClock, CudaClock
from modeldocs.benchmarks.runners.pytorch.ddp_communication import together, turns_of
from modeldocs.benchmarks.runners.pytorch.ddp_gradients import Bucketing
from modeldocs.benchmarks.world import Mode, Worker, WorldRequest
from modeldocs.errors import ModeldocsError

BACKENDS = {"cpu": "gloo", "cuda": "nccl"}


def measure(request: WorldRequest, rank: int, folder: Path) -> Worker:
    """Run the steps of one worker; all workers of the world run the same code.

    Raises:
        ModeldocsError: the port cannot be built or trained, or does not use a parameter.
    """
    run = request.run
    cuda = run.device.startswith("cuda")
    own = msgspec.structs.replace(run, device=f"cuda:{rank}" if cuda else "cpu")
    subject = PyTorchSubject(own)
    _check_used(subject)
    dist.init_process_group(
        BACKENDS[subject.device.type],
        store=dist.FileStore(str(folder / "store"), request.world),
        rank=rank,
        world_size=request.world,
        timeout=datetime.timedelta(seconds=run.timeout),
    )
    return _Measurement(subject, request, rank).worker()


def _check_used(subject: PyTorchSubject) -> None:
    """Run one step of the bare module.

    Raises:
        ModeldocsError: a parameter has no gradient after it, which the all-reduce would wait for.
    """
    subject.step()
    named = subject.module.named_parameters()
    unused = [name for name, p in named if p.requires_grad and p.grad is None]
    if unused:
        raise ModeldocsError(
            f"{len(unused)} of its parameters have no gradient, such as {unused[0]!r}",
            file=subject.request.load.source,
            fix="measure a port whose outputs depend on every parameter",
        )


class _Measurement:
    """The steps of one worker, with its module wrapped in DistributedDataParallel."""

    def __init__(self, subject: PyTorchSubject, request: WorldRequest, rank: int) -> None:
        self.subject, self.request, self.rank = subject, request, rank
        self.parameters = dict(subject.module.named_parameters())
        self.clock: Clock = CudaClock() if subject.cuda else CpuClock()
        # Buffers are not broadcast: what overlaps and what blocks is the all-reduce alone.
        self.ddp = DistributedDataParallel(
            subject.module,
            device_ids=[subject.device] if subject.device.type == "cuda" else None,
            bucket_cap_mb=request.bucket_mb,
            forward_sync_buffers=False,
        )
        subject.called = self.ddp

    def worker(self) -> Worker:
        """All measurements, in the same order in every worker."""
        warmup_steps, warmup_us = self._warm_up()
        trained = {name: p for name, p in self.parameters.items() if p.requires_grad}
        bucketing = ddp_gradients.bucketing(self.ddp, list(trained.values()))
        step_ms, ends = self._modes(bucketing)
        with self.ddp.no_sync():
            ready = ddp_gradients.ready_us(
                self.subject, list(trained.values()), self.clock, self.request.run.steps
            )
        return Worker(
            step_ms=step_ms,
            forward_backward_us=tuple(ends),
            gradients=_by_module(trained, ready),
            buckets=tuple(
                (size, max(ready[index] for index in indices))
                for size, indices in zip(bucketing.sizes, bucketing.indices, strict=True)
            ),
            bucket_cap_bytes=int(self.ddp._get_ddp_logging_data()["bucket_cap_bytes"]),
            all_reduces=ddp_communication.all_reduces(
                self.subject, bucketing.sizes, self.request.run.steps
            ),
            reduction=ddp_communication.reported(self.subject, self.ddp, self.request.run.steps),
            facts=self.subject.facts(),
            warmup_steps=warmup_steps,
            warmup_us=warmup_us,
        )

    def _warm_up(self) -> tuple[int, float]:
        """Overlapped steps, the same number in every worker: their number, and their time in µs."""
        run, start = self.request.run, time.perf_counter()
        self._together(run.warmup_steps)
        passed = time.perf_counter() - start
        left = max(0.0, run.warmup_seconds - passed) / passed * run.warmup_steps
        more = torch.tensor([math.ceil(left)], device=self.subject.device)
        dist.broadcast(more, src=0)
        self._together(int(more))
        return run.warmup_steps + int(more), (time.perf_counter() - start) * 1e6

    def _modes(self, bucketing: Bucketing) -> tuple[dict[Mode, tuple[float, ...]], list[float]]:
        """Milliseconds of steps by mode, and microseconds of forward and backward of the local."""
        ends: list[float] = []
        turns: dict[Mode, Callable[[int], list[float]]] = {
            "alone": self._alone,
            "local": lambda count: self._local(count, ends),
            "blocking": lambda count: self._blocking(count, bucketing),
            "overlapped": self._together,
        }
        times: dict[Mode, list[float]] = {mode: [] for mode in turns}
        for count in turns_of(self.request.run.steps):
            for mode, turn in turns.items():
                together(self.subject)  # while one works alone, the others wait here
                times[mode] += turn(count + 1)[1:]  # the first is the first after another mode
            del ends[-count - 1]
        return {mode: tuple(found) for mode, found in times.items()}, ends

    def _step_ms(self) -> float:
        """Milliseconds of a step, until the device has finished it."""
        start = time.perf_counter()
        self.subject.step()
        self.subject.wait()
        return (time.perf_counter() - start) * 1e3

    def _together(self, count: int) -> list[float]:
        """Milliseconds of so many steps, each of which all workers begin together."""
        times = []
        for _ in range(count):
            together(self.subject)
            times.append(self._step_ms())
        return times

    def _alone(self, count: int) -> list[float]:
        if self.rank != 0:
            return []
        with self.ddp.no_sync():
            return [self._step_ms() for _ in range(count)]

    def _local(self, count: int, ends: list[float]) -> list[float]:
        times = []
        marks: list[Any] = []

        def mark() -> None:
            marks.append(self.clock.mark())

        with self.ddp.no_sync(), before_update(self.subject, mark):
            for _ in range(count):
                together(self.subject)
                start = self.clock.mark()
                times.append(self._step_ms())
                ends.append(self.clock.between(start, marks.pop()))
        return times

    def _blocking(self, count: int, bucketing: Bucketing) -> list[float]:
        with self.ddp.no_sync(), before_update(self.subject, bucketing.reduce):
            return self._together(count)


@contextlib.contextmanager
def before_update(subject: PyTorchSubject, act: Callable[[], None]) -> Iterator[None]:
    """Call `act` in each step between backward and the update of the parameters."""
    assert subject.optimizer is not None
    hook = subject.optimizer.register_step_pre_hook(lambda *_: act())
    try:
        yield
    finally:
        hook.remove()


def _by_module(trained: dict[str, torch.nn.Parameter], ready: list[float]) -> tuple[Gradient, ...]:
    """The gradients of each module's own parameters."""
    found: dict[str, tuple[int, float]] = {}
    for (name, parameter), us in zip(trained.items(), ready, strict=True):
        path = name.rpartition(".")[0]
        size, latest = found.get(path, (0, 0.0))
        found[path] = size + parameter.numel() * parameter.element_size(), max(latest, us)
    return tuple(Gradient(path=path, bytes=size, ready_us=us) for path, (size, us) in found.items())
