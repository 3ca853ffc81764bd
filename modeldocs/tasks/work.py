"""One task run, in a process of the pool: its result is left in the store."""

from __future__ import annotations

import time

import msgspec

from modeldocs.struct import Struct
from modeldocs.tasks.kind import Place
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.pool import Task


class Left(Struct, frozen=True):
    """What a task left: the digest of its result in the store, and whether that tells a failure."""

    digest: str
    failed: bool
    seconds: float


def work(place: Place, task: Task) -> Left:
    """Run a task, and keep what comes of it."""
    started = time.monotonic()
    kind = KINDS[task.kind]
    result = kind.run(task.inputs, place)
    kind.keep(task.inputs, result, place)
    return Left(
        digest=place.objects.write_object(msgspec.msgpack.encode(result)),
        failed=kind.fails(result),
        seconds=round(time.monotonic() - started, 3),
    )
