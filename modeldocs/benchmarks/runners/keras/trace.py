"""Time by layer of a Keras model, from the operators that TensorFlow's profiler records."""

from __future__ import annotations

import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from modeldocs.benchmarks.quantities import Block
from modeldocs.benchmarks.readers import xplane_messages
from modeldocs.benchmarks.runners.keras.subject import OPTIMIZER, KerasSubject
from modeldocs.benchmarks.runners.subject import Attribution, host_operators

_STEP = "modeldocs_step"
_OPERATOR = re.compile(r"^([^:]+):([A-Za-z_]\w*)$")
_CALL_NUMBER = re.compile(r"_\d+$")
"""What Keras adds to the name of a layer's scope."""
_BACKWARD = re.compile(r"gradient_tape/|^AddN(_\d+)?$")
"""Names of operators of backward; those that add up gradients have no scope."""


@dataclass(frozen=True)
class _Operator:
    """One run of an operator: its name in the graph, its kind, and microseconds."""

    name: str
    kind: str
    start: float
    own: float


def attribute(subject: KerasSubject, steps: int) -> Attribution:
    """Median time of each layer over `steps`, and the operators of the host.

    A layer's time is that of all operators in its name scope; an operator that TensorFlow fused of
    several layers counts for one of them. The whole network's forward time in inference is that of
    a step, in training the sum of its operators without those of the optimizer.
    """
    windows, operators = _events(_profile(subject, steps))
    in_steps = [
        (number, one)
        for one in operators
        for number, (start, end) in enumerate(windows)
        if start <= one.start <= end
    ]
    by_kind: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for _, one in in_steps:
        calls, us = by_kind[one.kind]
        by_kind[one.kind] = (calls + 1, us + one.own)
    hosts = host_operators(dict(by_kind), len(windows))
    if subject.request.compile:
        return Attribution(host_operators=hosts)
    sums = _Sums(_Scopes(subject.model), len(windows), training=subject.training)
    for number, one in in_steps:
        sums.add(number, one)
    durations = [end - start for start, end in windows]
    return Attribution(blocks=sums.blocks(durations), host_operators=hosts)


def _profile(subject: KerasSubject, steps: int) -> Any:
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


def _events(space: Any) -> tuple[list[tuple[float, float]], list[_Operator]]:
    """The beginnings and ends of the steps, and all runs of operators, in microseconds."""
    windows: list[tuple[float, float]] = []
    operators: list[_Operator] = []
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


def _own_times(spans: list[tuple[float, float, str]]) -> Iterator[_Operator]:
    """The operators of a thread with the time of each that is not another's inside it."""
    inner: list[tuple[float, float, str, list[float]]] = []
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while inner and inner[-1][1] <= start:
            yield _operator(*inner.pop())
        if inner:
            inner[-1][3].append(end - start)
        inner.append((start, end, name, []))
    while inner:
        yield _operator(*inner.pop())


def _operator(start: float, end: float, text: str, inside: list[float]) -> _Operator:
    match = _OPERATOR.match(text)
    assert match is not None
    return _Operator(match[1], match[2], start, max(0.0, end - start - sum(inside)))


class _Scopes:
    """The layers of a model by their paths, and the one that an operator of its graph is in.

    Keras opens a scope with the layer's name, and a number for each call.
    """

    def __init__(self, model: Any) -> None:
        self.kinds = {"": type(model).__name__}
        self._add(model, "")

    def _add(self, holder: Any, above: str) -> None:
        for layer in holder._flatten_layers(include_self=False, recursive=False):
            path = f"{above}/{layer.name}" if above else layer.name
            if path not in self.kinds:
                self.kinds[path] = type(layer).__name__
                self._add(layer, path)

    def of(self, operator: str) -> list[str]:
        """Paths of the layers that an operator is in, the outermost first."""
        paths = [""]
        for scope in operator.split("/")[:-1]:
            for name in (_CALL_NUMBER.sub("", scope), scope):
                path = f"{paths[-1]}/{name}" if paths[-1] else name
                if path in self.kinds:
                    paths.append(path)
                    break
        return paths


class _Sums:
    """Microseconds by layer, direction and step."""

    def __init__(self, scopes: _Scopes, steps: int, *, training: bool) -> None:
        self.scopes, self.steps, self.training = scopes, steps, training
        self.times: dict[tuple[str, bool], list[float]] = defaultdict(lambda: [0.0] * steps)

    def add(self, step: int, operator: _Operator) -> None:
        """Add a run of an operator to the layers that it is in."""
        if operator.name.startswith(OPTIMIZER):
            return
        backward = _BACKWARD.search(operator.name) is not None
        for path in self.scopes.of(operator.name):
            self.times[path, backward][step] += operator.own

    def blocks(self, durations: list[float]) -> tuple[Block, ...]:
        """The whole network, then the layers that ran, in definition order."""
        if not self.training:
            self.times["", False] = durations
        ran = {path for path, _ in self.times}
        return tuple(
            Block(
                path=path,
                kind=self.scopes.kinds[path],
                forward_us=self._median(path, backward=False),
                backward_us=self._median(path, backward=True) if self.training else None,
            )
            for path in self.scopes.kinds
            if path in ran
        )

    def _median(self, path: str, *, backward: bool) -> float:
        return round(statistics.median(self.times.get((path, backward), [0.0])), 2)
