"""The passes of a run, each in a process of its own, so that they do not influence each other."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable

from modeldocs.benchmarks import machine, measurements
from modeldocs.benchmarks.request import BenchRequest, PassOutcome, PassTask, ProcessTiming
from modeldocs.benchmarks.runners.benchmarked_model import BenchmarkedModel

SUBJECTS = {
    "keras": "modeldocs.benchmarks.runners.keras.benchmarked_model:KerasSubject",
    "onnx": "modeldocs.benchmarks.runners.onnx.benchmarked_model:OnnxSubject",
    "pytorch": "modeldocs.benchmarks.runners.pytorch.benchmarked_model:PyTorchSubject",
    "tensorflow": "modeldocs.benchmarks.runners.tensorflow.benchmarked_model:TensorFlowSubject",
}
"""The class that builds and runs the ports of a framework, as `module:name`."""

ENERGY_SECONDS = 3.0
MEMORY_STEPS = 3


def outcome(task: PassTask) -> PassOutcome:
    """The result of the task's pass.

    Raises:
        ModeldocsError: the port cannot be built or run on this device.
    """
    return _PASSES[task.measure](task.request)


def subject_class(framework: str) -> type[BenchmarkedModel]:
    """The class of a framework's subjects; its module imports the framework."""
    module, _, name = SUBJECTS[framework].partition(":")
    made: type[BenchmarkedModel] = getattr(importlib.import_module(module), name)
    return made


def _timing(request: BenchRequest) -> PassOutcome:
    """Time single steps after a warm-up, each until the device has finished it."""
    measured = subject_class(request.framework)(request)
    facts = measured.facts()
    warm, _, warmup_us = _steps(measured, request.warmup_steps, request.warmup_seconds)
    wall, events, wall_us = _steps(measured, request.steps, request.seconds)
    timing = ProcessTiming(
        step_ms=tuple(wall),
        wall_us=wall_us,
        warmup_steps=len(warm),
        warmup_us=warmup_us,
        timer=measured.timer,
        sync=measured.sync,
        device_ms=tuple(events) or None,
    )
    return PassOutcome(timing=timing, facts=facts, device_after=measured.device_after(facts.device))


def _steps(
    measured: BenchmarkedModel, minimum: int, seconds: float
) -> tuple[list[float], list[float], float]:
    """Run at least so many steps and seconds: wall and device ms of each, and wall us of all."""
    wall: list[float] = []
    events: list[float] = []
    measured.wait()
    start = time.perf_counter()
    while len(wall) < minimum or time.perf_counter() - start < seconds:
        wall_ms, device_ms = measured.timed_step()
        wall.append(wall_ms)
        if device_ms is not None:
            events.append(device_ms)
    return wall, events, (time.perf_counter() - start) * 1e6


def _trace(request: BenchRequest) -> PassOutcome:
    """Attribute the time of a step to modules and operators; its steps are not quoted as times."""
    measured = subject_class(request.framework)(request, sequential=True)
    for _ in range(request.warmup_steps):
        measured.step()
    measured.wait()
    found = measured.attribute(request.trace_steps)
    return PassOutcome(
        blocks=found.blocks, host_operators=found.host_operators, gpu=found.gpu, flops=found.flops
    )


def _memory(request: BenchRequest) -> PassOutcome:
    """Peak memory of a few steps, and the energy of some seconds of steps where it is counted."""
    build = subject_class(request.framework)
    start = machine.peak_rss_bytes()
    measured = build(request)
    for _ in range(MEMORY_STEPS):
        measured.step()
    measured.wait()
    allocated, reserved = measured.device_memory()
    memory = measurements.MemoryPeaks(
        peak_rss_bytes=machine.peak_rss_bytes(),
        start_rss_bytes=start,
        peak_allocated_bytes=allocated,
        peak_reserved_bytes=reserved,
    )
    return PassOutcome(memory=memory, energy=measured.energy(ENERGY_SECONDS))


def _peaks(request: BenchRequest) -> PassOutcome:
    """Peak rates of the device, measured by PyTorch."""
    from modeldocs.benchmarks.runners.pytorch.peaks import peaks

    return PassOutcome(peaks=peaks(request))


_PASSES: dict[str, Callable[[BenchRequest], PassOutcome]] = {
    "timing": _timing,
    "trace": _trace,
    "memory": _memory,
    "peaks": _peaks,
}
