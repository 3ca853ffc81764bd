"""The host's side of a profile: its hot operators, and why the device was idle."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.activity.host import is_input
from modeldocs.benchmarks.measurements import HostOperator, IdleCauses
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct

MAX_OPERATORS = 15
"""Operators that the panel lists."""
SHOWN = 0.0005
"""Share of the window from which a cause of idle time is named, 0.0 % of it being nothing."""
ADVISED = 0.05
"""Share of the window from which a cause of idle time is worth a remedy."""


class HostOperatorRow(Struct, frozen=True):
    """An operator of the host, and its share of the self time of all that the record keeps."""

    operator: HostOperator
    share: float | None


class Operators(Struct, frozen=True):
    """Operators of the host; `per_step` is false where figures are of the whole trace."""

    rows: tuple[HostOperatorRow, ...]
    more: int
    per_step: bool


class IdleCause(Struct, frozen=True):
    """A cause of idle time: µs, the share of the window, 0 to 1, and what helps if it is large."""

    text: str
    us: float
    share: float
    remedy: str = ""


class Idle(Struct, frozen=True):
    """The share of the window in which the device was idle, and its causes, the largest first.

    The rest, whose cause is not known, comes last.
    """

    share: float
    causes: tuple[IdleCause, ...]

    @property
    def remedy(self) -> str:
        """What helps against the largest cause; empty where it is small or nothing is known."""
        return self.causes[0].remedy if self.causes[0].share >= ADVISED else ""


def operators(record: Record) -> Operators | None:
    """The operators of the host with the longest self times, None where none are known."""
    found = record.host_operators
    if not found:
        return None
    total = sum(one.self_us or 0.0 for one in found)
    return Operators(
        rows=tuple(
            HostOperatorRow(
                operator=one,
                share=one.self_us / total if one.self_us is not None and total else None,
            )
            for one in found[:MAX_OPERATORS]
        ),
        more=max(0, len(found) - MAX_OPERATORS),
        per_step=(record.run.iterations or record.method.steps) is not None,
    )


def idle(record: Record) -> Idle | None:
    """Why the device was idle, None where that is unknown or it never was."""
    gpu = record.gpu
    share = metrics.idle_share(gpu) if gpu is not None else None
    if gpu is None or gpu.idle_causes is None or not gpu.window_us or not share:
        return None
    found = [
        IdleCause(text=text, us=us, share=us / gpu.window_us, remedy=remedy)
        for text, us, remedy in _causes(gpu.idle_causes, _loader(record))
        if us and us >= SHOWN * gpu.window_us
    ]
    if not found:
        return None
    # What is not explained comes last, and has no remedy.
    ordered = sorted(found, key=lambda one: (not one.remedy, -one.us))
    return Idle(share=share, causes=tuple(ordered))


def _causes(causes: IdleCauses, loader: str) -> Iterator[tuple[str, float | None, str]]:
    """What the host did, the idle time in µs, and a remedy."""
    text, remedy = _INPUT.get(loader, _INPUT[""])
    yield text, causes.input_us, remedy
    yield (
        "after the host waited for the device",
        causes.synchronisation_us,
        "Fetch results and synchronise less often, so that launches stay ahead of the device.",
    )
    yield (
        "late launches",
        causes.launch_us,
        "If later steps look the same, launch less: larger batches, compilation, a CUDA graph.",
    )
    yield "other causes", causes.other_us, ""


_INPUT = {
    "single": (
        "waiting for the data loader, which has no workers",
        "Set num_workers above 0 in the DataLoader.",
    ),
    "workers": (
        "waiting for the workers of the data loader",
        "Use more workers, or make a sample cheaper to load.",
    ),
    "": (
        "waiting for the next batch",
        "Load the next batch during the step.",
    ),
}
"""Text and remedy for input pipelines, by kind of loader."""


def _loader(record: Record) -> str:
    """The kind of loader that the operators of the host tell, empty where it is another."""
    names = [one.name for one in record.host_operators or () if is_input(one.name)]
    if any("_SingleProcess" in name for name in names):
        return "single"
    return "workers" if any("_MultiProcessing" in name for name in names) else ""
