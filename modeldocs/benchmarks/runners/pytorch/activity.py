"""What runs on the host and the device in a few steps, by PyTorch's profiler."""

from __future__ import annotations

import tempfile
from pathlib import Path

from torch.profiler import ProfilerActivity
from torch.profiler import profile as profiler

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks.runners.benchmarked_model import host_operators
from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject

_NOT_OPERATORS = ("ProfilerStep", "Activity Buffer")
"""Beginnings of the names of the profiler's own events."""


def profile(
    subject: PyTorchSubject, steps: int
) -> tuple[tuple[measurements.HostOperator, ...], measurements.Gpu | None]:
    """Operators of the host per step, and the activity of a CUDA device in all steps."""
    activities = [ProfilerActivity.CPU]
    if subject.cuda:
        activities.append(ProfilerActivity.CUDA)
    with profiler(activities=activities) as recorded:
        for _ in range(steps):
            subject.step()
        subject.wait()
    times = {
        row.key: (row.count, row.self_cpu_time_total)
        for row in recorded.key_averages()
        if not row.key.startswith(_NOT_OPERATORS)
    }
    return host_operators(times, steps), _gpu(recorded) if subject.cuda else None


def _gpu(recorded: profiler) -> measurements.Gpu | None:
    from modeldocs.benchmarks import readers

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        recorded.export_chrome_trace(str(file))
        _, recordings = readers.read(file)
    return recordings[0].record.gpu if recordings else None
