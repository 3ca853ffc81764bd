"""The parts of the time of two records, by what both of them have, in microseconds by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import Final

from modeldocs.benchmarks import kernels
from modeldocs.benchmarks.blocks import leaves
from modeldocs.benchmarks.measurements import Block, Gpu, Kernel, Phase
from modeldocs.benchmarks.record import Record

Both = tuple[dict[str, float], dict[str, float]]
"""Parts of A and of B; one that a record does not have is missing."""

_ACTIVITIES: Final = (
    ("exposed communication", "exposed_communication_us"),
    ("exposed copies", "exposed_copies_us"),
    ("idle", "idle_us"),
)
"""Parts of the window in which no kernel computes, and their fields."""

OVERLAP: Final = "kernels at the same time, or not listed"
"""The time with a kernel active less the sum of the listed kernels' durations."""


def activity(a: Record, b: Record) -> Both | None:
    """The window of the trace: computing, exposed communication, exposed copies, idle."""
    if a.gpu is None or b.gpu is None:
        return None
    waiting = _waiting(a.gpu, b.gpu)
    computing = _computing(a.gpu, waiting[0]), _computing(b.gpu, waiting[1])
    if computing[0] is not None and computing[1] is not None:
        waiting[0]["compute"], waiting[1]["compute"] = computing[0], computing[1]
    return waiting if waiting[0] else None


def kernel_kinds(a: Record, b: Record) -> Both | None:
    """The kernels by the kind of their work, and the time in which none is active."""
    return _kernels(a, b, kernels.kind)


def kernel_names(a: Record, b: Record) -> Both | None:
    """The kernels by name, if the records have one in common."""
    listed = [{kernel.name for kernel in _listed(record)} for record in (a, b)]
    return _kernels(a, b, str) if listed[0] & listed[1] else None


def phases(a: Record, b: Record) -> Both | None:
    """Forward and backward, by their medians where both records have all times."""
    if not a.phases or not b.phases:
        return None
    sides: list[dict[str, Phase]] = [
        {phase.name: phase for phase in record} for record in (a.phases, b.phases)
    ]
    names = [name for name in sides[0] if name in sides[1]]
    medians = all(side[name].samples_ms for side in sides for name in names)
    first, second = ({name: _phase_us(side[name], medians) for name in names} for side in sides)
    return (first, second) if names else None


def blocks(a: Record, b: Record) -> Both | None:
    """Blocks that hold no other, matched by path or by the layer of the port.

    Their times are those of forward and backward, or of forward alone where a record lacks others;
    a block of unknown time is left out. None where no block is in both.
    """
    a_leaves, b_leaves = (
        [block for block in leaves(record.blocks or ()) if block.forward_us is not None]
        for record in (a, b)
    )
    backward = all(_has_backward(side) for side in (a_leaves, b_leaves))
    names = _names(a_leaves, b_leaves) if a.model.port == b.model.port else {}
    first = _summed((block.path, _block_us(block, backward)) for block in a_leaves)
    second = _summed(
        (names.get(block.path, block.path), _block_us(block, backward)) for block in b_leaves
    )
    return (first, second) if first.keys() & second.keys() else None


def _waiting(a: Gpu, b: Gpu) -> Both:
    """The parts of the windows without a computing kernel that are known of both."""
    found: Both = ({}, {})
    for name, field in _ACTIVITIES:
        times = getattr(a, field), getattr(b, field)
        if None not in times:
            found[0][name], found[1][name] = times
    return found


def _computing(gpu: Gpu, waiting: dict[str, float]) -> float | None:
    """The time with a kernel active, without that of exposed communication where it is apart."""
    if gpu.compute_us is None:
        return None
    return gpu.compute_us - waiting.get("exposed communication", 0.0)


def _kernels(a: Record, b: Record, name: Callable[[str], str]) -> Both | None:
    if a.gpu is None or b.gpu is None or not _listed(a) or not _listed(b):
        return None
    found = _waiting(a.gpu, b.gpu)
    overlapping = a.gpu.compute_us is not None and b.gpu.compute_us is not None
    for side, record in zip(found, (a, b), strict=True):
        side.pop("exposed communication", None)  # its kernels are among the others
        durations = _summed((name(kernel.name), kernel.us or 0.0) for kernel in _listed(record))
        side.update(durations)
        if overlapping and record.gpu is not None:
            side[OVERLAP] = (record.gpu.compute_us or 0.0) - sum(durations.values())
    return found


def _listed(record: Record) -> list[Kernel]:
    """The kernels whose durations are known."""
    listed = (record.gpu.kernels if record.gpu else None) or ()
    return [kernel for kernel in listed if kernel.us is not None]


def _phase_us(phase: Phase, median: bool) -> float:
    if median and phase.samples_ms:
        return statistics.median(phase.samples_ms) * 1e3
    return phase.mean_ms * 1e3


def _has_backward(blocks: list[Block]) -> bool:
    return any(block.backward_us is not None for block in blocks)


def _block_us(block: Block, backward: bool) -> float:
    return (block.forward_us or 0.0) + ((block.backward_us or 0.0) if backward else 0.0)


def _names(a: list[Block], b: list[Block]) -> dict[str, str]:
    """A's path of each block of B whose own path A does not have, but whose layer it does."""
    paths = {block.path for block in a}
    by_layer = {block.layer: block.path for block in a if block.layer is not None}
    return {
        block.path: by_layer[block.layer]
        for block in b
        if block.path not in paths and block.layer in by_layer
    }


def _summed(times: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The sum of the times of each name."""
    total: dict[str, float] = {}
    for name, us in times:
        total[name] = total.get(name, 0.0) + us
    return total
