"""The conditions of two records, side by side, and whether their step times may be compared.

Conditions of the *work* decide what a step computes and how it is timed. Records that differ in one
of them are not comparable. The others, the *subject*, are what a comparison is about (two devices,
two frameworks, before and after a change); they are named as possible causes of a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeVar

from modeldocs import formatting
from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.input_layout import channels_first
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct

Kind = Literal["work", "subject"]
Comparable = Literal["yes", "as far as known", "no"]
Item = TypeVar("Item")

NOT_APPLICABLE: Final = "not applicable"
"""Value of a setting of GPUs in a record of a CPU."""

NEEDED: Final = ("model", "task", "batch")
"""Conditions without which nothing is known of the work: unknown ones count as different."""


class Condition(Struct, frozen=True):
    """A condition in both records, as text; None where a record does not state it."""

    name: str
    kind: Kind
    a: str | None
    b: str | None

    @property
    def unknown(self) -> bool:
        """Whether a record does not state it."""
        return self.a is None or self.b is None

    @property
    def differs(self) -> bool:
        """Whether both state it, and differently."""
        return not self.unknown and self.a != self.b

    @property
    def excludes(self) -> bool:
        """Whether it makes the records incomparable."""
        if self.kind == "subject":
            return False
        return self.differs or (self.unknown and self.name in NEEDED)


def conditions(a: Record, b: Record) -> tuple[Condition, ...]:
    """All conditions of two records, those of the work first."""
    return tuple(
        Condition(name=name, kind=kind, a=value(a), b=value(b)) for name, kind, value in _CONDITIONS
    )


def values(record: Record) -> dict[str, str | None]:
    """All conditions of one record, as text by name; None where it does not state one."""
    return {name: value(record) for name, _, value in _CONDITIONS}


def differing(a: Record, b: Record) -> tuple[Condition, ...]:
    """The conditions in which two records differ, or that one of them does not state."""
    return tuple(one for one in conditions(a, b) if one.unknown or one.differs)


def comparable(conditions: Iterable[Condition]) -> Comparable:
    """Whether the step times of two records may be compared, by their conditions."""
    work = [one for one in conditions if one.kind == "work"]
    if any(one.excludes for one in work):
        return "no"
    return "as far as known" if any(one.unknown for one in work) else "yes"


def obstacle(conditions: Iterable[Condition]) -> str:
    """Why two records are not comparable, as a sentence; empty where they are."""
    found = [one for one in conditions if one.excludes]
    differing = [one.name for one in found if one.differs]
    unknown = [one.name for one in found if one.unknown]
    clauses = []
    if differing:
        clauses.append(f"The runs differ in {_listed(differing)}.")
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        clauses.append(f"It is unknown whether {_listed(unknown)} {verb} the same.")
    return " ".join(clauses)


def _listed(names: list[str]) -> str:
    """`batch, task and precision`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def groups(items: Iterable[Item], record: Callable[[Item], Record]) -> list[list[Item]]:
    """Items in groups whose records are comparable as far as known; in each, the fastest first.

    A record whose rate is unknown comes last in its group. Two records are in one group only if
    they state and do not state the same conditions of the work: a record never ranks above one that
    did other work, or may have.
    """
    found: dict[tuple[str | None, ...], list[Item]] = {}
    for number, item in enumerate(items):
        one = record(item)
        work = [(name, value(one)) for name, kind, value in _CONDITIONS if kind == "work"]
        lacking = any(name in NEEDED and value is None for name, value in work)
        key = (*(value for _, value in work), str(number) if lacking else None)
        found.setdefault(key, []).append(item)
    return [sorted(group, key=lambda item: _slowness(record(item))) for group in found.values()]


def _slowness(record: Record) -> float:
    rate = metrics.samples_per_second(record)
    return -rate if rate is not None else 0.0


def _shapes(record: Record) -> str | None:
    shapes = record.run.input_shapes
    if shapes is None:
        return None
    return ", ".join(sorted(formatting.dims(channels_first(shape)) for shape in shapes.values()))


def _flag(value: bool | None) -> str | None:
    return None if value is None else ("on" if value else "off")


def _gpu_flag(record: Record, value: bool | None) -> str | None:
    """A setting that is off on every CPU."""
    return "off" if record.device.kind == "cpu" else _flag(value)


def _of_gpu(record: Record, value: str | None) -> str | None:
    """A fact of the software of GPUs, of which a CPU has none."""
    return NOT_APPLICABLE if record.device.kind == "cpu" else value


def _threads(record: Record) -> str | None:
    """Threads of a CPU, on which alone they matter much."""
    if record.device.kind == "cuda":
        return NOT_APPLICABLE
    return str(record.software.threads) if record.software.threads else None


def _bucket_cap(record: Record) -> str | None:
    """The maximum size of a bucket of gradients in data-parallel training."""
    if record.ddp is None:
        return NOT_APPLICABLE
    cap = record.ddp.bucket_cap_bytes
    return None if cap is None else formatting.size(cap)


def _device(record: Record) -> str:
    count = record.device.count or 1
    return record.device.name if count == 1 else f"{count} × {record.device.name}"


def _input(record: Record) -> str | None:
    synthetic = record.run.synthetic_input
    return None if synthetic is None else ("synthetic" if synthetic else "loaded")


_CONDITIONS: Final[tuple[tuple[str, Kind, Callable[[Record], str | None]], ...]] = (
    ("model", "work", lambda r: r.model.id or None),
    ("task", "work", lambda r: r.run.task),
    ("batch", "work", lambda r: formatting.exact(r.run.batch) if r.run.batch else None),
    ("world", "work", lambda r: str(r.ddp.world if r.ddp is not None else 1)),
    ("input shape", "work", _shapes),
    ("input", "work", _input),
    ("precision", "work", lambda r: r.numerics.dtype),
    ("mixed precision", "work", lambda r: _flag(r.numerics.amp)),
    ("TF32", "work", lambda r: _gpu_flag(r, r.numerics.tf32)),
    ("device", "subject", _device),
    ("port", "subject", lambda r: r.model.port),
    ("source", "subject", lambda r: r.model.source_hash),
    ("framework", "subject", lambda r: r.software.framework),
    ("framework version", "subject", lambda r: r.software.framework_version),
    ("driver", "subject", lambda r: _of_gpu(r, r.device.driver)),
    ("CUDA", "subject", lambda r: _of_gpu(r, r.software.cuda)),
    ("cuDNN", "subject", lambda r: _of_gpu(r, r.software.cudnn)),
    ("threads", "subject", _threads),
    ("channels last", "subject", lambda r: _flag(r.numerics.channels_last)),
    ("compiled", "subject", lambda r: _flag(r.numerics.compiled)),
    ("CUDA graph", "subject", lambda r: _gpu_flag(r, r.numerics.cuda_graph)),
    ("cuDNN benchmark", "subject", lambda r: _gpu_flag(r, r.numerics.cudnn_benchmark)),
    ("cuDNN deterministic", "subject", lambda r: _gpu_flag(r, r.numerics.cudnn_deterministic)),
    ("bucket size", "subject", _bucket_cap),
    ("timer", "subject", lambda r: r.method.timer),
    ("synchronisation", "subject", lambda r: r.method.sync),
)
"""Name of each condition, what it is of, and its value in a record."""
