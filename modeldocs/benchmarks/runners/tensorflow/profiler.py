"""What TensorFlow's profiler records of a few steps: runs of operators on the host."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from modeldocs.benchmarks.activity.host import innermost
from modeldocs.benchmarks.measurements import HostOperator
from modeldocs.benchmarks.readers import xplane_messages
from modeldocs.benchmarks.runners.benchmarked_model import BenchmarkedModel, host_operators

_STEP = "modeldocs_step"
_OPERATOR = re.compile(r"^([^:]+):([A-Za-z_]\w*)$")


@dataclass(frozen=True)
class Operator:
    """One run of an operator: its name in the graph, its kind, and microseconds."""

    name: str
    kind: str
    start: float
    own: float


@dataclass(frozen=True)
class Profile:
    """The durations of steps in microseconds, and the operators of each."""

    durations: list[float]
    steps: list[list[Operator]]

    def host_operators(self) -> tuple[HostOperator, ...]:
        """Time by kind of operator, as a record has it."""
        times: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
        for one in (one for step in self.steps for one in step):
            calls, us = times[one.kind]
            times[one.kind] = (calls + 1, us + one.own)
        return host_operators(dict(times), len(self.steps))


def profile(subject: BenchmarkedModel, steps: int) -> Profile:
    """Run so many steps under the profiler."""
    windows, operators = _events(_recorded(subject, steps))
    by_step = [[one for one in operators if a <= one.start <= b] for a, b in windows]
    return Profile([b - a for a, b in windows], by_step)


def _recorded(subject: BenchmarkedModel, steps: int) -> Any:
    options = tf.profiler.experimental.ProfilerOptions(
        host_tracer_level=3, python_tracer_level=0, device_tracer_level=0
    )
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder, options=options)
        for number in range(steps):
            with tf.profiler.experimental.Trace(_STEP, step_num=number, _r=1):
                subject.step()
                subject.wait()
        tf.profiler.experimental.stop()
        [file] = Path(folder).rglob("*.xplane.pb")
        space = xplane_messages.space()()
        space.ParseFromString(file.read_bytes())
    return space


def _events(space: Any) -> tuple[list[tuple[float, float]], list[Operator]]:
    """The beginnings and ends of the steps, and all runs of operators, in microseconds."""
    windows: list[tuple[float, float]] = []
    operators: list[Operator] = []
    for plane in space.planes:
        names = {entry.key: entry.value.name for entry in plane.event_names}
        for line in plane.lines:
            spans = []
            for event in line.events:
                name = names[event.name_id]
                start = line.timestamp_ns / 1e3 + event.offset_ps / 1e6
                end = start + event.duration_ps / 1e6
                if name.startswith(_STEP):
                    windows.append((start, end))
                elif _OPERATOR.match(name):
                    spans.append((start, end, name))
            operators += _own_times(spans)
    return sorted(windows), operators


def _own_times(spans: list[tuple[float, float, str]]) -> Iterator[Operator]:
    """The operators of a thread with the time of each that is not another's inside it."""
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    # Whole picoseconds, which is what the profiler counts in.
    start = [round(begins * 1e6) for begins, _, _ in ordered]
    end = [round(ends * 1e6) for _, ends, _ in ordered]
    for (begins, _, text), own in zip(ordered, innermost(start, end), strict=True):
        match = _OPERATOR.match(text)
        assert match is not None
        yield Operator(match[1], match[2], begins, own / 1e6)
