"""The trust grade of a record: how far its figures can be quoted, and the reasons.

The grade is the worst that any reason allows; without a reason it is A.

| grade at best | reason |
|---|---|
| D | the device is not named |
| D | the batch is unknown |
| D | neither times of steps nor a rate is recorded |
| D | the claimed precision contradicts the names of the kernels |
| C | the precision is unknown |
| C | the task is unknown |
| C | times of single steps are missing |
| C | the warm-up is unknown, or there was none |
| C | imported: the source has no address |
| C | processes differ: the slowest takes more than 1.5 times as long as the fastest |
| C | the device slowed itself down (throttling) |
| B | fewer than three processes, or their number is unknown |
| B | fewer than 50 steps |
| B | GPU: the driver, or the clocks, are unknown |
| B | the version of the framework is unknown |
| B | measured: the source had changes that are not committed |
| B | imported: the licence, or the day of the run, is unknown |
| B | steps vary much: the 90th percentile is more than 1.5 times the median |
| B | data-parallel: steps with all-reduce are shorter than those without |
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final, Literal

from modeldocs import formatting
from modeldocs.benchmarks import forecast, kernels
from modeldocs.benchmarks.measurements import Kernel, StepTimes
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import WIDE_STEPS
from modeldocs.struct import Struct

Grade = Literal["A", "B", "C", "D"]

APART: Final = 1.5
"""The slowest process over the fastest above which they did not measure the same."""

PROCESSES, STEPS = 3, 50
"""Processes and steps below which a grade is B at best."""

_DAY: Final = len("2016-05-01")
_HALF: Final = ("float16", "bfloat16")
_ORDINARY: Final = 0x1 | 0x2 | 0x4 | 0x10 | 0x100
"""Bits of the driver's mask that are no fault: idle, clocks that were set, the power limit, sync
boost and the display."""


class Reason(Struct, frozen=True):
    """A reason against a record as a sentence, and the best grade that it allows."""

    grade: Grade
    text: str


class Trust(Struct, frozen=True):
    """A record's grade and its reasons, the gravest first."""

    grade: Grade
    reasons: tuple[Reason, ...] = ()


def trust(record: Record) -> Trust:
    """The trust grade of a record."""
    found = [*_work(record), *_precision(record), *_method(record), *_device(record)]
    found += _origin(record)
    reasons = sorted(found, key=lambda reason: reason.grade, reverse=True)
    return Trust(grade=reasons[0].grade if reasons else "A", reasons=tuple(reasons))


def _work(record: Record) -> Iterator[Reason]:
    if record.run.batch is None:
        yield Reason(grade="D", text="The batch is unknown.")
    if record.run.task is None:
        yield Reason(grade="C", text="It is unknown whether inference or training was measured.")
    if record.numerics.dtype is None:
        yield Reason(grade="C", text="The precision is unknown.")
    if record.software.framework_version is None:
        yield Reason(grade="B", text="The version of the framework is unknown.")


def _method(record: Record) -> Iterator[Reason]:
    method, times = record.method, record.step_ms
    timed = times is not None or record.mean_ms is not None or record.throughput is not None
    if not timed:
        yield Reason(grade="D", text="Neither times of steps nor a rate is recorded.")
    elif times is None or not any(times.samples):
        yield Reason(grade="C", text="Only a mean or a rate is recorded, no times of single steps.")
    if method.warmup_steps is None and method.warmup_us is None:
        yield Reason(grade="C", text="It is unknown whether there was a warm-up.")
    elif not method.warmup_steps and not method.warmup_us:
        yield Reason(grade="C", text="There was no warm-up.")
    if method.processes is None:
        yield Reason(grade="B", text="The number of processes is unknown.")
    elif method.processes < PROCESSES:
        number = "one process" if method.processes == 1 else f"{method.processes} processes"
        yield Reason(grade="B", text=f"Only {number} timed steps; processes differ.")
    steps = method.steps if times is None else times.n
    if steps is not None and steps < STEPS:
        yield Reason(grade="B", text=f"Only {steps} steps were timed.")
    if times is not None and times.p50 > 0 and times.p90 > WIDE_STEPS * times.p50:
        ratio = times.p90 / times.p50
        yield Reason(grade="B", text=f"Steps vary much: p90 is {ratio:.1f} times the median.")
    ratio = _spread(times)
    if ratio > APART:
        text = f"The slowest process takes {ratio:.1f} times as long as the fastest."
        yield Reason(grade="C", text=text)
    for text in forecast.contradictions(record):
        yield Reason(grade="B", text=text)


def _spread(times: StepTimes | None) -> float:
    """The median step of the slowest process over that of the fastest; 1 where there is one."""
    medians = [median(steps) for steps in times.samples if steps] if times is not None else []
    return max(medians) / min(medians) if medians and min(medians) > 0 else 1.0


def _device(record: Record) -> Iterator[Reason]:
    device = record.device
    name = device.name.lower()
    if not name or "not named" in name or "unknown" in name:
        yield Reason(grade="D", text="The device is not named.")
    if device.kind == "cpu":
        return
    if device.driver is None:
        yield Reason(grade="B", text="The version of the driver is unknown.")
    clocks = (device.clocks_before, device.clocks_after)
    if all(one is None or one.core_mhz is None for one in clocks):
        yield Reason(grade="B", text="The clocks of the device are unknown.")
    if _throttled(device.throttle_reasons):
        text = f"The device slowed itself down (throttle reasons {device.throttle_reasons})."
        yield Reason(grade="C", text=text)


def _throttled(mask: str | None) -> bool:
    """Whether a driver's bit mask names a slowdown; a text that is no mask names none."""
    try:
        return mask is not None and bool(int(mask, 16) & ~_ORDINARY)
    except ValueError:
        return False


def _origin(record: Record) -> Iterator[Reason]:
    source = record.provenance
    if source is None:
        if record.run.dirty:
            yield Reason(grade="B", text="The source had changes that are not committed.")
        return
    if not source.url:
        yield Reason(grade="C", text="The source of the figures has no address.")
    if not source.licence:
        yield Reason(grade="B", text="The licence of the source is unknown.")
    if len(record.run.date) < _DAY or source.dated:
        yield Reason(grade="B", text="The day of the run is unknown.")


def _precision(record: Record) -> Iterator[Reason]:
    """The contradictions of the claimed precision and the names of the kernels."""
    numerics, found = record.numerics, _kernel_precisions(record)
    if not found or numerics.dtype is None:
        return
    claimed = "mixed precision" if numerics.amp else numerics.dtype
    if numerics.amp or numerics.dtype in _HALF:
        wrong = [] if any(precision in _HALF for precision in found) else list(found)[:1]
    else:
        allowed = ("float32", "tf32") if numerics.tf32 else ("float32",)
        wrong = [precision for precision in found if precision not in allowed]
    for precision in wrong:
        name = formatting.cut(found[precision].name, 60)
        only = "only " if claimed != "float32" else ""
        text = f"It claims {claimed}, but {only}{precision} kernels ran, such as {name}."
        yield Reason(grade="D", text=text)


def _kernel_precisions(record: Record) -> dict[str, Kernel]:
    """The precisions of the kernels of products, each with the longest of its kernels."""
    found: dict[str, Kernel] = {}
    listed = (record.gpu.kernels if record.gpu else None) or ()
    for kernel in sorted(listed, key=lambda one: -(one.us or 0)):
        precision = kernels.product_precision(kernel.name)
        if precision is not None:
            found.setdefault(precision, kernel)
    return found
