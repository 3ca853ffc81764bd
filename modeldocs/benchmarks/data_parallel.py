"""A data-parallel run: its workers, started several times, and the record made of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

import msgspec

from modeldocs import isolation
from modeldocs.benchmarks import conditions, forecast, machine, measurements, recording, runner
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.ddp import AllReduce, Ddp, Gradient, GradientBucket
from modeldocs.benchmarks.measurements import StepTimes
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import spread_notes, summarise
from modeldocs.benchmarks.world import Mode, Worker, World, WorldRequest
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Access, Limits
from modeldocs.loaders import loading

WORKERS = {"pytorch": "modeldocs.benchmarks.runners.ddp"}
"""Module that trains the ports of a framework in parallel."""


_Starts = Sequence[tuple[Worker, ...]]
"""The workers of each start, by rank."""


def measure(request: WorldRequest, *, progress: Callable[[str], None]) -> Record:
    """Train a port in parallel and record it; `progress` is called with the name of each step.

    Raises:
        ModeldocsError: the port cannot be built or trained, a worker died, or its time is up; or
            ports of the framework cannot be trained in parallel.
    """
    run = request.run
    if run.framework not in WORKERS:
        raise ModeldocsError(
            f"ports of {run.framework} cannot be trained in parallel",
            fix=f"measure a port of {' or '.join(sorted(WORKERS))}",
        )
    starts = []
    for number in range(1, run.processes + 1):
        progress(f"{request.world} workers, start {number} of {run.processes}")
        starts.append(_start(request))
        conditions.check(starts[-1][0].facts)
    return _record(request, starts)


def threads(world: int) -> int:
    """Threads of each worker where all of them share this machine's processor."""
    return max(1, (machine.host().logical_cores or 1) // world)


def _start(request: WorldRequest) -> tuple[Worker, ...]:
    run = request.run
    with isolation.run(
        WORKERS[run.framework],
        request,
        Limits(seconds=run.timeout, memory_mb=runner.ALL_MEMORY),
        reads=loading.readable(run.load),
        access=Access(frozenset(runner.variables()), run.device != "cpu", loopback=True),
    ) as outcome:
        doing, file = "training in parallel ", run.load.source
        outcome.check(doing=doing, file=file, fix="measure a smaller --batch, or fewer --steps")
        world = outcome.result(World, doing=doing, file=file)
    if world.failure is not None:
        raise world.failure.error()
    return world.workers


def _record(request: WorldRequest, starts: _Starts) -> Record:
    run, facts = request.run, starts[0][0].facts
    times = {mode: _slowest(starts, mode) for mode in starts[0][0].step_ms}
    overlapped = times["overlapped"]
    assert overlapped is not None
    record = Record(
        model=recording.model_section(run, facts),
        run=recording.run_section(run, facts),
        device=_device(request, facts.device),
        host=machine.host(),
        software=facts.software,
        numerics=facts.numerics,
        method=_method(starts, overlapped),
        step_ms=overlapped,
        throughput=measurements.Throughput(
            samples=run.batch * request.world * overlapped.n,
            wall_us=round(overlapped.mean * overlapped.n * 1e3, 1),
        ),
        ddp=_ddp(request, starts, times),
    )
    notes = (*spread_notes(overlapped), *forecast.contradictions(record))
    return msgspec.structs.replace(record, notes=notes)


def _device(request: WorldRequest, device: part.Device) -> part.Device:
    """The device of a worker; workers on a processor share it, each GPU has one."""
    return msgspec.structs.replace(device, count=1 if device.kind == "cpu" else request.world)


def _method(starts: _Starts, steps: StepTimes) -> part.Method:
    workers = [worker for start in starts for worker in start]
    return part.Method(
        timer="time.perf_counter, the slowest worker of each step",
        warmup_steps=min(worker.warmup_steps for worker in workers),
        warmup_us=round(min(worker.warmup_us for worker in workers), 1),
        steps=steps.n,
        processes=len(starts),
        sync="each worker waits for its device after every step; buffers are not broadcast",
    )


def _slowest(starts: _Starts, mode: Mode) -> StepTimes | None:
    """Each step's time in the slowest worker, one list for each start."""
    found = []
    for workers in starts:
        of_workers = [times for worker in workers if (times := worker.step_ms[mode])]
        found.append([max(step) for step in zip(*of_workers, strict=True)])
    return summarise(found)


def _ddp(request: WorldRequest, starts: _Starts, times: dict[Mode, StepTimes | None]) -> Ddp:
    reports = [worker.reduction for workers in starts for worker in workers]
    return Ddp(
        world=request.world,
        backend="nccl" if request.run.device.startswith("cuda") else "gloo",
        bucket_cap_bytes=starts[0][0].bucket_cap_bytes,
        alone_ms=times["alone"],
        local_ms=times["local"],
        blocking_ms=times["blocking"],
        forward_backward_us=_median(
            max(step)
            for workers in starts
            for step in zip(*(worker.forward_backward_us for worker in workers), strict=True)
        ),
        buckets=_buckets(starts),
        gradients=_gradients(starts),
        all_reduces=_all_reduces(starts),
        compute_us=_median(one.compute_us for one in reports),
        communication_us=_median(one.communication_us for one in reports),
        overlap_us=_median(one.overlap_us for one in reports),
    )


def _buckets(starts: _Starts) -> tuple[GradientBucket, ...]:
    """The buckets of the first start, ready as in the median of the starts that have the same."""
    sizes = _sizes(starts[0])
    ready = [_latest(workers) for workers in starts if _sizes(workers) == sizes]
    return tuple(
        GradientBucket(bytes=size, ready_us=_median(times))
        for size, times in zip(sizes, zip(*ready, strict=True), strict=True)
    )


def _sizes(workers: tuple[Worker, ...]) -> tuple[int, ...]:
    return tuple(size for size, _ in workers[0].buckets)


def _latest(workers: tuple[Worker, ...]) -> list[float]:
    """The time at which the slowest worker has each bucket ready."""
    every = zip(*(worker.buckets for worker in workers), strict=True)
    return [max(ready for _, ready in of_workers) for of_workers in every]


def _gradients(starts: _Starts) -> tuple[Gradient, ...]:
    every = zip(*(worker.gradients for workers in starts for worker in workers), strict=True)
    return tuple(
        msgspec.structs.replace(found[0], ready_us=_median(one.ready_us for one in found))
        for found in every
    )


def _all_reduces(starts: _Starts) -> tuple[AllReduce, ...]:
    every = [worker.all_reduces for workers in starts for worker in workers]
    per_start = [workers[0].all_reduces for workers in starts]
    return tuple(
        AllReduce(
            bytes=found[0].bytes,
            n=sum(of_start[place].n for of_start in per_start),
            us=_median(one.us for one in found),
        )
        for place, found in enumerate(zip(*every, strict=True))
    )


def _median(values: Iterable[float]) -> float:
    return round(statistics.median(values), 2)
