"""The request of a data-parallel run, and the messages of its workers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from modeldocs.benchmarks.ddp import AllReduce, Gradient
from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.errors import Failure
from modeldocs.struct import Struct

Mode = Literal["alone", "local", "blocking", "overlapped"]
"""Steps of one worker, of all without all-reduce, with it after backward, and during backward."""


class WorldRequest(Struct, frozen=True):
    """One run of `modeldocs bench ddp`.

    Of `run`, which is a training run, `batch` is that of each worker, `processes` the number of
    times that all workers are started, and `steps` the timed steps of each mode at each start.
    """

    run: BenchRequest
    world: Annotated[int, Meta(ge=2)]
    bucket_mb: Annotated[float, Meta(gt=0)] | None = None
    """Maximum size of a bucket in MiB. With None the first bucket has 1 MiB, the others 25 MiB."""


class Reduction(Struct, frozen=True):
    """Backward with overlapped all-reduces as DistributedDataParallel reports it, medians in µs."""

    compute_us: float
    communication_us: float
    overlap_us: float


class Worker(Struct, frozen=True):
    """The result of one worker, the same steps as those of the others.

    `step_ms` are times of steps by mode; `forward_backward_us` the times from the start of each
    local step to the end of its backward. `buckets` are the bytes of each bucket and the time at
    which it is ready; both this and the times in `gradients` and `all_reduces` are medians.
    """

    step_ms: dict[Mode, tuple[float, ...]]
    forward_backward_us: tuple[float, ...]
    gradients: tuple[Gradient, ...]
    buckets: tuple[tuple[int, float], ...]
    bucket_cap_bytes: int
    all_reduces: tuple[AllReduce, ...]
    reduction: Reduction
    facts: Facts
    warmup_steps: int
    warmup_us: float


class World(Struct, frozen=True):
    """The results of all workers of one start by rank, or why there are none."""

    workers: tuple[Worker, ...] = ()
    failure: Failure | None = None
