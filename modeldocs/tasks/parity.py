"""The task of running both ports of a pair with the same weights."""

from __future__ import annotations

from modeldocs import parity
from modeldocs.diff import Diff, Parity
from modeldocs.isolation import Limits
from modeldocs.struct import Struct
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.pool import Task


class ParityInputs(Struct, frozen=True):
    """Digests of two ports' ONNX in normal form and of their diff, and the limits of the run."""

    a: str
    b: str
    diff: str
    limits: Limits


def task(name: str, inputs: ParityInputs) -> Task:
    """The task of running the pair of that name."""
    return Task(kind=PARITY.name, name=name, inputs=inputs)


def _run(inputs: ParityInputs, place: Place) -> Parity:
    models = (place.read(inputs.a), place.read(inputs.b))
    return parity.compare(*models, place.result(inputs.diff, Diff), inputs.limits)


PARITY = Kind(
    name="parity",
    result=Parity,
    runs=parity.compare,
    run=_run,
    failed=lambda _, failure: Parity(failure=failure),
)
