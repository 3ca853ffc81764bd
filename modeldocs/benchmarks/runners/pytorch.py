"""Measures a PyTorch port: `python -m modeldocs.benchmarks.runners.pytorch task.json`.

Each pass has a process of its own, so that passes do not influence each other.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch

from modeldocs.benchmarks import machine, quantities
from modeldocs.benchmarks import sections as part
from modeldocs.benchmarks.request import Facts, Outcome, Task, Timing
from modeldocs.benchmarks.runners.blocks import block_times
from modeldocs.benchmarks.runners.peaks import measure_peaks
from modeldocs.benchmarks.runners.subject import Subject
from modeldocs.errors import Failure, ModeldocsError

ENERGY_SECONDS = 3.0


def main(argv: list[str]) -> int:
    """Run the task in the named file and write its `Outcome`, which may be a failure."""
    task = msgspec.json.decode(Path(argv[0]).read_bytes(), type=Task)
    try:
        outcome = PASSES[task.measure](task)
    except ModeldocsError as error:
        outcome = Outcome(failure=Failure.of(error))
    Path(task.result).write_bytes(msgspec.json.encode(outcome))
    return 0


def timing(task: Task) -> Outcome:
    """Time single steps after a warm-up, each until the device has finished it."""
    request, subject = task.request, Subject(task.request)
    device = _device(subject)
    warm, _, warmup_us = _steps(subject, request.warmup_steps, request.warmup_seconds)
    wall, events, wall_us = _steps(subject, request.steps, request.seconds)
    cuda = subject.device.type == "cuda"
    if cuda:
        device = machine.with_state_after(device, _uuid(subject))
    result = Timing(
        step_ms=tuple(wall),
        wall_us=wall_us,
        warmup_steps=len(warm),
        warmup_us=warmup_us,
        timer="time.perf_counter" + (", and CUDA events around the step" if cuda else ""),
        sync="the device is synchronised after every step" if cuda else "none needed",
        device_ms=tuple(events) if cuda else None,
    )
    return Outcome(timing=result, facts=_facts(subject, device))


def _steps(
    subject: Subject, minimum: int, seconds: float
) -> tuple[list[float], list[float], float]:
    """Run at least so many steps and seconds: wall and device ms of each, and wall us of all."""
    step = _cuda_step if subject.device.type == "cuda" else _cpu_step
    wall: list[float] = []
    events: list[float] = []
    subject.wait()
    start = now = time.perf_counter()
    while len(wall) < minimum or now - start < seconds:
        before = time.perf_counter()
        step(subject, events)
        now = time.perf_counter()
        wall.append((now - before) * 1e3)
    return wall, events, (now - start) * 1e6


def _cpu_step(subject: Subject, _: list[float]) -> None:
    subject.step()


def _cuda_step(subject: Subject, events: list[float]) -> None:
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    subject.step()
    last.record()
    subject.wait()
    events.append(first.elapsed_time(last))


def blocks(task: Task) -> Outcome:
    """Forward time and activation bytes of each module, and the operations of a step."""
    subject = Subject(task.request)
    for _ in range(task.request.warmup_steps):
        subject.step()
    times = block_times(subject, task.request.block_steps)
    return Outcome(blocks=times, flops=_flops(subject))


def _flops(subject: Subject) -> quantities.Flops:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        subject.step()
    return quantities.Flops(
        per_step=counter.get_total_flops(),
        counter="torch.utils.flop_counter: convolutions, matrix products and attention only",
    )


def memory(task: Task) -> Outcome:
    """Peak memory of a few steps, and on CUDA devices the energy of some seconds of steps."""
    start = machine.peak_rss_bytes()
    subject = Subject(task.request)
    for _ in range(3):
        subject.step()
    subject.wait()
    cuda = subject.device.type == "cuda"
    peaks = quantities.Memory(
        peak_rss_bytes=machine.peak_rss_bytes(),
        start_rss_bytes=start,
        peak_allocated_bytes=torch.cuda.max_memory_allocated() if cuda else None,
        peak_reserved_bytes=torch.cuda.max_memory_reserved() if cuda else None,
    )
    return Outcome(memory=peaks, energy=_energy(subject) if cuda else None)


def _energy(subject: Subject) -> quantities.Energy | None:
    uuid = _uuid(subject)
    before = machine.energy_mj(uuid)
    steps, _, window_us = _steps(subject, 10, ENERGY_SECONDS)
    after = machine.energy_mj(uuid)
    if before is None or after is None:
        return None
    source = "NVML total energy counter"
    return quantities.Energy(
        energy_mj=after - before, window_us=window_us, steps=len(steps), source=source
    )


def peaks(task: Task) -> Outcome:
    """Peak rates of the device."""
    request = task.request
    if request.threads is not None:
        torch.set_num_threads(request.threads)
    return Outcome(peaks=measure_peaks(torch.device(request.device), request.precision))


PASSES: dict[str, Callable[[Task], Outcome]] = {
    "timing": timing,
    "blocks": blocks,
    "memory": memory,
    "peaks": peaks,
}


def facts(subject: Subject) -> Facts:
    """The facts of a module and its surroundings."""
    return _facts(subject, _device(subject))


def _facts(subject: Subject, device: part.Device) -> Facts:
    return Facts(
        device=device,
        software=_software(),
        numerics=_numerics(subject),
        params=subject.params,
        input_shapes=subject.shapes,
    )


def _device(subject: Subject) -> part.Device:
    if subject.device.type == "cpu":
        return machine.cpu()
    properties = torch.cuda.get_device_properties(subject.device)
    device = part.Device(
        name=properties.name,
        kind="cuda",
        count=1,
        compute_capability=f"{properties.major}.{properties.minor}",
        memory_bytes=properties.total_memory,
    )
    return machine.with_driver_facts(device, _uuid(subject))


def _uuid(subject: Subject) -> str:
    return f"GPU-{torch.cuda.get_device_properties(subject.device).uuid}"


def _software() -> part.Software:
    from modeldocs import __version__

    cudnn: Any = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    return part.Software(
        framework="PyTorch",
        framework_version=str(torch.__version__),
        python=platform.python_version(),
        modeldocs=__version__,
        cuda=torch.version.cuda,
        cudnn=None if cudnn is None else str(cudnn),
        threads=torch.get_num_threads(),
    )


def _numerics(subject: Subject) -> part.Numerics:
    cuda = subject.device.type == "cuda"
    return part.Numerics(
        dtype=subject.request.precision,
        amp=False,
        tf32=torch.backends.cuda.matmul.allow_tf32 if cuda else None,
        cudnn_benchmark=torch.backends.cudnn.benchmark if cuda else None,
        cudnn_deterministic=torch.backends.cudnn.deterministic if cuda else None,
        channels_last=False,
        compiled=False,
        cuda_graph=False if cuda else None,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
