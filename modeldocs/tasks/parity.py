"""The task of running both ports of a pair with the same weights."""

from __future__ import annotations

from modeldocs.diff import Diff, Parity
from modeldocs.isolation import Limits
from modeldocs.numeric import parity
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.load import Load
from modeldocs.tasks.pool import PooledTask


class ParityInputs(Struct, frozen=True):
    """Digests of two ports' ONNX in normal form and of their diff, and the limits of the run."""

    a: str
    b: str
    diff: str
    limits: Limits


def task(name: str, a: Load, b: Load, diff: str, limits: Limits) -> PooledTask:
    """The task of running the pair of that name; `diff` is the digest of its diff."""
    assert a.normal is not None and b.normal is not None
    inputs = ParityInputs(a=a.normal, b=b.normal, diff=diff, limits=limits)
    return PooledTask(kind=PARITY.name, name=name, inputs=inputs)


def _run(inputs: ParityInputs, place: TaskFolders) -> Parity:
    models = (place.read(inputs.a), place.read(inputs.b))
    return parity.compare(*models, place.result(inputs.diff, Diff), inputs.limits)


PARITY = TaskKind(
    name="parity",
    result=Parity,
    runs=parity.compare,
    run=_run,
    failed=lambda _, failure: Parity(failure=failure),
)
