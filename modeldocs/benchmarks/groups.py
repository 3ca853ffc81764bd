"""Groups of records that may be compared: of one task and input size, or of one device as well.

Data-parallel runs are in none: several workers do the work of one step.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.input_layout import channels_first
from modeldocs.benchmarks.record import Record

TASKS = ("inference", "forward-backward", "training")
Size = tuple[int, ...]


def size(record: Record) -> Size | None:
    """The sizes of the only input without its batch, channels first; None where it is unknown."""
    shapes = record.run.input_shapes or {}
    return channels_first(next(iter(shapes.values())))[1:] if len(shapes) == 1 else None


def by_task(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Records with a rate by task, each of the most frequent input size of its task.

    Records of unknown size are taken for those of the usual one.
    """
    groups: dict[str, list[Record]] = {}
    for task in TASKS:
        rated = [
            one
            for one in records
            if one.run.task == task and one.ddp is None and metrics.samples_per_second(one)
        ]
        sizes = Counter(one_size for one in rated if (one_size := size(one)) is not None)
        usual = sizes.most_common(1)[0][0] if sizes else None
        group = [one for one in rated if size(one) in (usual, None)]
        if group:
            groups[task] = group
    return groups


def of_one_device(records: Sequence[Record]) -> list[list[Record]]:
    """Groups of equal device, task, batch and input size with at least two frameworks."""
    groups: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for one in records:
        key = (one.device.name, one.run.task, one.run.batch, size(one))
        if metrics.step_ms(one) and one.ddp is None and None not in key:
            groups[key].append(one)
    return [
        group
        for _, group in sorted(groups.items(), key=lambda item: str(item[0]))
        if len({one.software.framework for one in group}) > 1
    ]
