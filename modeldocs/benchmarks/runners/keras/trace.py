"""Time by layer of a Keras model, from the operators that TensorFlow's profiler records."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from typing import Any

from modeldocs.benchmarks.measurements import Block
from modeldocs.benchmarks.runners.benchmarked_model import StepProfile
from modeldocs.benchmarks.runners.keras.benchmarked_model import OPTIMIZER, KerasSubject
from modeldocs.benchmarks.runners.tensorflow import profiler
from modeldocs.benchmarks.runners.tensorflow.profiler import Operator

_CALL_NUMBER = re.compile(r"_\d+$")
"""What Keras adds to the name of a layer's scope."""
_BACKWARD = re.compile(r"gradient_tape/|^AddN(_\d+)?$")
"""Names of operators of backward; those that add up gradients have no scope."""


def attribute(subject: KerasSubject, steps: int) -> StepProfile:
    """Median time of each layer over `steps`, and the operators of the host.

    A layer's time is that of all operators in its name scope; an operator that TensorFlow fused of
    several layers counts for one of them. The whole network's forward time in inference is that of
    a step, in training the sum of its operators without those of the optimizer.
    """
    profile = profiler.profile(subject, steps)
    hosts = profile.host_operators()
    if subject.request.compile:
        return StepProfile(host_operators=hosts)
    sums = _LayerSums(_Scopes(subject.model), len(profile.steps), training=subject.training)
    for number, operators in enumerate(profile.steps):
        for one in operators:
            sums.add(number, one)
    return StepProfile(blocks=sums.blocks(profile.durations), host_operators=hosts)


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


class _LayerSums:
    """Microseconds by layer, direction and step."""

    def __init__(self, scopes: _Scopes, steps: int, *, training: bool) -> None:
        self.scopes, self.steps, self.training = scopes, steps, training
        self.times: dict[tuple[str, bool], list[float]] = defaultdict(lambda: [0.0] * steps)

    def add(self, step: int, operator: Operator) -> None:
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
