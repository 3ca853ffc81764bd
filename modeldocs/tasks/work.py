"""Running one task in a process of the pool; its result is written to the store."""

from __future__ import annotations

import time

import msgspec

from modeldocs.errors import Failure
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, machine_failure
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.pool import PooledTask


class TaskOutcome(Struct, frozen=True):
    """The digest of a task's result in the store, and whether the result is a failure.

    `machine` is the failure of the machine that prevented the task.
    """

    digest: str
    failed: bool
    seconds: float
    machine: Failure | None = None


def work(place: TaskFolders, task: PooledTask) -> TaskOutcome:
    """Run a task and store its result."""
    start = time.monotonic()
    result = KINDS[task.kind].run(task.inputs, place)
    return stored(place, task, result, time.monotonic() - start)


def stored(
    place: TaskFolders, task: PooledTask, result: msgspec.Struct, seconds: float
) -> TaskOutcome:
    """Store the result of a task that ran for so long."""
    kind = KINDS[task.kind]
    digest = kind.keep(task.inputs, result, place)
    machine = machine_failure(result)
    return TaskOutcome(
        digest=digest,
        failed=machine is not None or kind.fails(result),
        seconds=round(seconds, 3),
        machine=machine,
    )
