"""Forecasts of data-parallel training: the scaling model of each record, and what checks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from modeldocs.benchmarks import comparability, scaling
from modeldocs.benchmarks.measurements import StepTimes
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.scaling import ScalingModel

WORLDS: Final = tuple(2**power for power in range(11))
"""Numbers of workers of a forecast: 1 to 1,024."""

SHORTER: Final = 0.97
"""Ratio of steps with and without all-reduce below which a run contradicts itself."""

_OF_WORLD: Final = ("world", "device", "threads")
"""Conditions that another number of workers changes."""


class Check(NamedTuple):
    """A recorded step beside the model's.

    `fitted` tells that a parameter of the model was chosen to meet it, so that it proves nothing.
    """

    world: int
    name: str
    measured_us: float
    model_us: float
    fitted: bool = False

    @property
    def error(self) -> float:
        """The model's deviation from the recorded step, relative to that."""
        return self.model_us / self.measured_us - 1


class FittedForecast(NamedTuple):
    """The model of a record, and further records of the same work by other numbers of workers."""

    record: Record
    model: ScalingModel
    others: tuple[Record, ...] = ()

    def checks(self) -> list[Check]:
        """The recorded blocking and overlapped steps beside the model's."""
        own = _checks(self.model, self.record, own=True)
        return own + [check for one in self.others for check in _checks(self.model, one)]


def fits(records: Sequence[Record]) -> list[FittedForecast]:
    """The models of the data-parallel records that have all quantities for one."""
    return [
        FittedForecast(one, model, tuple(other for other in records if _same_work(one, other)))
        for one in records
        if (model := scaling.fitted(one)) is not None
    ]


def _same_work(one: Record, other: Record) -> bool:
    """Whether two data-parallel records differ in the number of their workers alone."""
    if one.ddp is None or other.ddp is None or one.ddp.world == other.ddp.world:
        return False
    found = comparability.conditions(one, other)
    same = not any(each.differs for each in found if each.name not in _OF_WORLD)
    return same and one.device.name == other.device.name


def _checks(model: ScalingModel, record: Record, *, own: bool = False) -> list[Check]:
    assert record.ddp is not None
    world, times = record.ddp.world, dict(recorded(record))
    found = []
    if "blocking" in times:
        us = times["blocking"].p50 * 1e3
        found.append(Check(world, "blocking", us, model.blocking_us(world)))
    if "overlapped" in times:
        us = times["overlapped"].p50 * 1e3
        free, contended = model._replace(contention=1.0), model.contention > 1
        name = "overlapped, without contention" if contended else "overlapped"
        found.append(Check(world, name, us, free.overlapped_us(world)))
        if contended:
            name = "overlapped, with contention"
            found.append(Check(world, name, us, model.overlapped_us(world), own))
    return found


def recorded(record: Record) -> list[tuple[str, StepTimes]]:
    """The kinds of steps of a data-parallel record that were timed, each with its name."""
    ddp = record.ddp
    if ddp is None:
        return []
    found = (
        ("one worker alone", ddp.alone_ms),
        ("without all-reduce", ddp.local_ms),
        ("blocking", ddp.blocking_ms),
        ("overlapped", record.step_ms),
    )
    return [(name, times) for name, times in found if times is not None]


def contradictions(record: Record) -> list[str]:
    """A sentence for each kind of steps with all-reduce that is shorter than those without."""
    times = dict(recorded(record))
    local = times.get("without all-reduce")
    found = []
    for name in ("blocking", "overlapped"):
        if local is not None and name in times and times[name].p50 < SHORTER * local.p50:
            ratio = times[name].p50 / local.p50
            found.append(
                f"The {name} steps took {ratio:.2f} times as long as those without all-reduce, "
                "which cannot take longer. Was the machine busy?"
            )
    return found
