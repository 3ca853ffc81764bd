"""A benchmark run: its passes, each in an isolated process of its own."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable

from modeldocs import isolation
from modeldocs.benchmarks import conditions, measurements, recording
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.request import BenchRequest, Pass, PassOutcome, PassTask
from modeldocs.benchmarks.runners.passes import SUBJECTS
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Access, Limits
from modeldocs.loaders import loading

_WORKER = "modeldocs.benchmarks.runners.worker"
_VARIABLE_PREFIXES = (
    *("CUDA_", "NVIDIA_", "GOMP_", "KMP_", "MKL_", "OMP_", "TF_", "TORCH_", "XLA_"),
)
"""Beginnings of the names of variables that decide how a framework runs."""
ALL_MEMORY = 2**30
"""MiB: more than any machine has."""


def run(request: BenchRequest, *, progress: Callable[[str], None]) -> Record:
    """Measure a port; `progress` is called with the name of each step.

    Raises:
        ModeldocsError: the port cannot be built or run, a process died or exceeded its time, or
            ports of the framework cannot be measured.
    """
    if request.framework not in SUBJECTS:
        raise ModeldocsError(
            f"ports of {request.framework} cannot be measured",
            fix=f"measure a port of {', '.join(SUBJECTS)}, or import its figures",
        )
    absent = loading.absent(request.framework, request.load)
    if absent is not None:
        raise absent.error()
    python = loading.interpreter(loading.environment(request.framework, request.load))
    timings = []
    for number in range(1, request.processes + 1):
        progress(f"timing, process {number} of {request.processes}")
        timings.append(_measure(request, "timing", python))
        facts = timings[-1].facts
        assert facts is not None
        conditions.check(facts)
    progress("time of each layer")
    trace = _measure(request, "trace", python)
    progress("memory")
    memory = _measure(request, "memory", python)
    return recording.record_of(request, timings, trace, memory, _peaks(request, progress))


def _peaks(request: BenchRequest, progress: Callable[[str], None]) -> measurements.Peaks | None:
    """Peak rates of the device, if this interpreter has PyTorch, which measures them."""
    if not request.peaks or importlib.util.find_spec("torch") is None:
        return None
    progress("peaks of the device")
    return _measure(request, "peaks", sys.executable).peaks


def _measure(request: BenchRequest, measure: Pass, python: str) -> PassOutcome:
    source = request.load.source
    with isolation.run(
        _WORKER,
        PassTask(request=request, measure=measure),
        Limits(seconds=request.timeout, memory_mb=ALL_MEMORY),
        python,
        reads=loading.readable(request.load),
        access=Access(frozenset(variables()), request.device != "cpu"),
    ) as ended:
        if ended.failure is not None and not ended.machine:
            raise ModeldocsError(
                f"the {measure} pass {ended.failure}{_last_line(ended.printed)}",
                file=source,
                fix="measure a smaller --batch, or run the model alone to find the reason",
            )
        outcome = ended.result(PassOutcome, doing=f"the {measure} pass ", file=source)
    if outcome.failure is not None:
        raise outcome.failure.error()
    return outcome


def variables() -> list[str]:
    """The names of this process's variables that decide how a framework runs."""
    return [name for name in os.environ if name.startswith(_VARIABLE_PREFIXES)]


def _last_line(printed: str) -> str:
    lines = printed.strip().splitlines()
    return f"; its last line is {lines[-1][:300]!r}" if lines else ""
