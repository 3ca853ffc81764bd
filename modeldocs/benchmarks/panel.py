"""The charts of a page: the throughput of its records, and a profile of the latest."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct


class Panel(Struct, frozen=True):
    """Charts as SVG; each is empty where the records have no data for it.

    `throughput` compares the records; `steps` and `blocks` are of the latest one.
    """

    throughput: str = ""
    steps: str = ""
    blocks: str = ""


def draw(records: Sequence[Record]) -> Panel:
    """The charts of some records."""
    from modeldocs.benchmarks import chart  # imports altair, which is slow

    last = latest(records)
    with_rates = [record for record in records if metrics.samples_per_second(record)]
    return Panel(
        throughput=chart.throughput_chart(with_rates) if with_rates else "",
        steps=chart.step_chart(last) if last else "",
        blocks=chart.block_chart(last) if last and last.blocks else "",
    )


def latest(records: Sequence[Record]) -> Record | None:
    """The latest record whose steps were timed, None where there is none."""
    timed = [record for record in records if record.step_ms is not None]
    return max(timed, key=lambda record: record.run.date, default=None)
