"""The section of a model's page of benchmarks on data-parallel training."""

from __future__ import annotations

import re

from modeldocs.benchmarks import chart_set
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.trust import trust
from modeldocs.site.benchmarks import scaling
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.templating import Templates

from ..benchmarks.examples import example
from ..benchmarks.test_forecast import parallel


def page(*records: Record) -> str:
    """The section as text without tags."""
    runs = [
        ListedRun(
            id=f"run-{number}", model="Tiny", page="", file="", record=record, size="",
            precision="", conditions="", software="PyTorch 2.13.0", trust=trust(record),
            is_usual=False,
        )
        for number, record in enumerate(records)
    ]  # fmt: skip
    return scaling.html(runs, chart_set.draw(list(records)), Templates())


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"<svg.*?</svg>", "", html, flags=re.S)).split())


def test_there_is_none_without_a_data_parallel_record() -> None:
    assert page(example()) == ""


def test_it_has_a_chart_and_the_same_steps_in_a_table() -> None:
    html = page(parallel(overlapped=11.5))
    drawn = re.search(r'aria-label="(Forecast by workers[^"]*)"', html)
    assert drawn is not None
    rows = re.findall(r'<th scope="row" class="mr-number">([\d,]+)</th>', html)
    assert rows == ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1,024"]
    assert all(f"blocking, {workers}: " in drawn[1] for workers in rows)


def test_the_error_of_the_model_stands_beside_the_recorded_steps() -> None:
    told = text(page(parallel(overlapped=11.5, blocking=15.0)))
    assert "2 blocking 15 ms 12.15 ms -19.0 %" in told
    assert "2 overlapped, without contention 11.5 ms 11 ms -4.3 %" in told
    assert "2 overlapped, with contention 11.5 ms 11.5 ms +0.0 % (fitted to it)" in told


def test_the_assumptions_and_the_fit_are_told() -> None:
    told = text(page(parallel(overlapped=11.5)))
    assert "ring all-reduce of 1 bucket (1 MiB)" in told
    assert "50 µs a message, 1 GB/s" in told
    assert "fitted to the overlapped step" in told
    serial = text(page(parallel(overlapped=20.0)))
    assert "as slow as if nothing overlapped" in serial
