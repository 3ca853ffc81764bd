"""The difference of two records' step times, divided into rows that add up to it.

Times are whole nanoseconds, so that rows add up exactly. What the parts of a record do not cover
(gaps between them, the cost of tracing, a mean beside a median) is a row of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from modeldocs.benchmarks import metrics, parts
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct

UNATTRIBUTED: Final = "not attributed"


class StepPart(Struct, frozen=True):
    """A part of the step in both records, None where a record does not have it."""

    name: str
    a_ns: int | None
    b_ns: int | None
    delta_ns: int


class Explanation(Struct, frozen=True):
    """One division of the difference: `delta_ns` is the sum of those of the rows.

    `whole` says which times `a_ns` and `b_ns` are: those of the median step, for example. Rows are
    in descending order of their difference's size; what is not attributed is the last.
    """

    by: str
    whole: str
    a_ns: int
    b_ns: int
    delta_ns: int
    rows: tuple[StepPart, ...]


def explain(a: Record, b: Record) -> tuple[Explanation, ...]:
    """The difference from A to B by each kind of part that both records have."""
    step, trace = _step(a, b), _trace(a, b)
    divisions = (
        ("activity of the device", trace, parts.activity(a, b)),
        ("phase", step, parts.phases(a, b)),
        ("kind of kernel", trace, parts.kernel_kinds(a, b)),
        ("kernel", trace, parts.kernel_names(a, b)),
        ("block", step, parts.blocks(a, b)),
    )
    return tuple(
        _explanation(by, whole, both) for by, whole, both in divisions if whole and both is not None
    )


@dataclass(frozen=True)
class _Whole:
    """The times that are divided, in nanoseconds, and the steps that their parts cover."""

    name: str
    times_ns: tuple[int, int]
    steps: tuple[int, int] = (1, 1)


def _step(a: Record, b: Record) -> _Whole | None:
    """The time of a step by the best statistic that both records have."""
    if a.step_ms is not None and b.step_ms is not None:
        return _Whole("median step", (_ns(a.step_ms.p50 * 1e3), _ns(b.step_ms.p50 * 1e3)))
    for name, value in (("mean step", _mean_us), ("step at the measured rate", _rate_us)):
        times = value(a), value(b)
        if times[0] is not None and times[1] is not None:
            return _Whole(name, (_ns(times[0]), _ns(times[1])))
    return None


def _mean_us(record: Record) -> float | None:
    mean = metrics.mean_step_ms(record)
    return None if mean is None else mean * 1e3


def _rate_us(record: Record) -> float | None:
    """The time of a step by the samples per second."""
    rate, batch = record.throughput, record.run.batch
    return rate.wall_us * batch / rate.samples if rate is not None and batch is not None else None


def _trace(a: Record, b: Record) -> _Whole | None:
    """What the traces cover: steps where their number is known, else the whole windows."""
    windows = [record.gpu.window_us if record.gpu else None for record in (a, b)]
    if windows[0] is None or windows[1] is None:
        return None
    if a.run.iterations is None or b.run.iterations is None:
        return _Whole("traced window", (_ns(windows[0]), _ns(windows[1])))
    steps = a.run.iterations, b.run.iterations
    step = _step(a, b)
    if step is not None:
        return _Whole(step.name, step.times_ns, steps)
    traced = _ns(windows[0] / steps[0]), _ns(windows[1] / steps[1])
    return _Whole("traced step", traced, steps)


def _ns(us: float) -> int:
    return round(us * 1e3)


def _explanation(by: str, whole: _Whole, both: parts.Both) -> Explanation:
    a, b = (
        {name: _ns(us / steps) for name, us in side.items()}
        for side, steps in zip(both, whole.steps, strict=True)
    )
    rows = [_row(name, a.get(name), b.get(name)) for name in dict.fromkeys((*a, *b))]
    rows.sort(key=lambda row: (-abs(row.delta_ns), row.name))
    a_ns, b_ns = whole.times_ns
    rest = _row(UNATTRIBUTED, a_ns - sum(a.values()), b_ns - sum(b.values()))
    return Explanation(
        by=by,
        whole=whole.name,
        a_ns=a_ns,
        b_ns=b_ns,
        delta_ns=b_ns - a_ns,
        rows=(*rows, rest),
    )


def _row(name: str, a_ns: int | None, b_ns: int | None) -> StepPart:
    return StepPart(name=name, a_ns=a_ns, b_ns=b_ns, delta_ns=(b_ns or 0) - (a_ns or 0))
