"""Bundles of pairs of one model, which one process runs: it reads each of their ports once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby

from modeldocs.diff import Diff
from modeldocs.numeric import parity
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.parity import PARITY
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.work import TaskOutcome, stored

MAX_PAIRS = 8
"""Pairs of a bundle at most: the process keeps the networks of all of them."""
_BUNDLES_PER_JOB = 4
"""Bundles for each process of the pool at least, so that all processes end at about one time."""


class Bundle(Struct, frozen=True):
    """The tasks of pairs of one model's ports, with the same limits."""

    tasks: tuple[PooledTask, ...]


def bundles(tasks: Sequence[PooledTask], jobs: int) -> Iterator[PooledTask]:
    """The parities among some tasks in bundles, each a task itself, for so many processes.

    Tasks that fit into no bundle are left out.
    """
    pairs = [task for task in tasks if task.kind == PARITY.name]
    size = min(len(pairs) // (_BUNDLES_PER_JOB * jobs), MAX_PAIRS)
    if size < 2:
        return
    for _, alike in groupby(pairs, lambda one: (one.name.partition("/")[0], one.inputs.limits)):
        of_model = list(alike)
        for start in range(0, len(of_model), size):
            bundled = tuple(of_model[start : start + size])
            if len(bundled) > 1:
                name = f"{bundled[0].name} and {len(bundled) - 1} more"
                yield PooledTask(kind=PARITY.name, name=name, inputs=Bundle(tasks=bundled))


def work_bundle(place: TaskFolders, bundle: PooledTask) -> tuple[TaskOutcome | None, ...]:
    """Run a bundle and store its results, each with an equal share of the seconds.

    None stands for a task that has to run alone.
    """
    start = time.monotonic()
    tasks: tuple[PooledTask, ...] = bundle.inputs.tasks
    inputs = [task.inputs for task in tasks]
    models = {digest: place.read(digest) for one in inputs for digest in (one.a, one.b)}
    pairs = [(one.a, one.b, place.result(one.diff, Diff)) for one in inputs]
    found = parity.compare_together(models, pairs, inputs[0].limits)
    seconds = (time.monotonic() - start) / len(tasks)
    return tuple(
        stored(place, task, result, seconds) if result is not None else None
        for task, result in zip(tasks, found, strict=True)
    )
