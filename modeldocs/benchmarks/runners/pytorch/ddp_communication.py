"""Communication of data-parallel workers: its times, and what the framework reports of it."""

from __future__ import annotations

import statistics
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from modeldocs.benchmarks.ddp import AllReduce
from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject
from modeldocs.benchmarks.world import Reduction

CHUNK = 5
"""Timed steps of a turn, after which others have theirs, so that all see a drift alike."""

_LADDER = tuple(4**power for power in range(6, 14))
"""Bytes of all-reduces that are timed besides those of the buckets: 4 KiB to 64 MiB."""

_LEAST_LADDER = 1 << 20
"""Bytes up to which all of them are timed, also where no bucket is as large."""

_UNTIMED = 2
"""All-reduces or steps before the timed ones."""


def turns_of(steps: int) -> list[int]:
    """Steps of each turn, `CHUNK` each but the last."""
    return [min(CHUNK, steps - start) for start in range(0, steps, CHUNK)]


def together(subject: PyTorchSubject) -> None:
    """Wait for all workers."""
    subject.wait()
    dist.barrier()


def all_reduces(
    subject: PyTorchSubject, buckets: tuple[int, ...], steps: int
) -> tuple[AllReduce, ...]:
    """Times of the all-reduce of the buckets' sizes, and of others up to the largest."""
    largest = max(*buckets, _LEAST_LADDER)
    sizes = sorted({*buckets, *(size for size in _LADDER if size <= largest)})
    times: dict[int, list[float]] = {size: [] for size in sizes}
    for count in turns_of(steps):
        for size in sizes:
            times[size] += _reduce(subject, size, count)
    return tuple(
        AllReduce(bytes=size, n=len(found), us=round(statistics.median(found), 2))
        for size, found in times.items()
    )


def _reduce(subject: PyTorchSubject, size: int, count: int) -> list[float]:
    """Microseconds of so many all-reduces of `size` bytes."""
    dtype: torch.dtype = getattr(torch, subject.request.dtype)
    tensor = torch.zeros(max(1, size // dtype.itemsize), dtype=dtype, device=subject.device)
    together(subject)
    times = []
    for _ in range(count + _UNTIMED):
        start = time.perf_counter()
        dist.all_reduce(tensor)
        subject.wait()
        times.append((time.perf_counter() - start) * 1e6)
    return times[_UNTIMED:]


def reported(subject: PyTorchSubject, ddp: DistributedDataParallel, steps: int) -> Reduction:
    """What DistributedDataParallel itself reports of overlapped steps."""
    ddp._set_ddp_runtime_logging_sample_rate(1)
    reports = []
    for _ in range(steps + _UNTIMED):
        subject.step()
        subject.wait()
        reports.append(ddp._get_ddp_logging_data())

    def median_us(name: str) -> float:
        found = [float(one[name]) for one in reports[_UNTIMED:]]
        return round(statistics.median(found) / 1e3, 2)

    return Reduction(
        compute_us=median_us("backward_compute_time"),
        communication_us=median_us("backward_comm_time"),
        overlap_us=median_us("backward_compute_comm_overlap_time"),
    )
