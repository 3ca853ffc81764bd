"""Series of records, and their chart."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import metadata
from modeldocs.benchmarks.series import series
from modeldocs.benchmarks.series_chart import series_chart
from modeldocs.benchmarks.summary import summarise

from .examples import example


def run(ms=10.0, date="2026-11-20", steps=20, task="inference", batch=2, tag=None, **software):
    times = [[ms * math.exp(0.002 * (-1) ** step) for step in range(steps)] for _ in range(3)]
    return example(
        run=metadata.RunOptions(date=date, task=task, batch=batch, tag=tag),
        device=metadata.Device(name="A card", kind="cuda"),
        software=metadata.Software(framework="PyTorch", **software),
        step_ms=summarise(times),
    )


def versions(one):
    return [point.versions for point in one.points]


class TestSeries:
    def test_runs_of_equal_settings_come_in_the_order_of_their_dates(self):
        days = ["2026-11-03", "2026-11-01", "2026-11-02"]
        (one,) = series([run(date=day) for day in days])
        assert versions(one) == [{"date": day} for day in sorted(days)]
        assert one.title == "A card, PyTorch, inference, batch 2, float32"

    def test_runs_of_one_date_come_in_the_order_of_their_versions(self):
        (one,) = series([run(cudnn="5.10.0"), run(cudnn="5.9.1"), run(cudnn="4.0.7")])
        assert [each["cuDNN"] for each in versions(one)] == ["4.0.7", "5.9.1", "5.10.0"]
        assert one.points[1].changed == ("cuDNN 4.0.7 → 5.9.1",)

    @pytest.mark.parametrize("other", [{"task": "training"}, {"batch": 4}])
    def test_other_work_is_another_series(self, other):
        assert series([run(), run(**other)]) == []
        assert len(series([run(), run(tag="again"), run(**other)])) == 1

    def test_a_run_without_a_library_is_no_step_in_its_history(self):
        assert series([run(cudnn="not used"), run(cudnn="5.0.5")]) == []

    def test_a_single_record_and_records_of_unknown_work_are_none(self):
        assert series([run()]) == series([]) == []
        assert series([run(batch=None), run(batch=None, tag="b")]) == []

    def test_settings_and_devices_set_series_apart(self):
        card = msgspec.structs.replace(run(), device=metadata.Device(name="B", kind="cuda"))
        nhwc = metadata.Numerics(dtype="float32", channels_last=True)
        layout = msgspec.structs.replace(run(), numerics=nhwc)
        assert series([run(), card, layout]) == []


class TestVerdicts:
    def test_each_run_is_judged_against_the_one_before(self):
        days = zip(("2026-01-01", "2026-01-02", "2026-01-03"), (10, 10.01, 12), strict=True)
        (one,) = series([run(ms, date=day) for day, ms in days])
        assert one.points[0].verdict is None
        answers = [point.verdict.answer for point in one.points[1:]]
        assert answers == ["no difference found", "slower"]

    def test_the_noise_band_holds_the_step_and_needs_single_steps(self):
        (one,) = series([run(), run(tag="b")])
        for point in one.points:
            assert point.low < point.ms < point.high < 1.05 * point.ms
        mean = [msgspec.structs.replace(each, step_ms=None, mean_ms=9.0)
                for each in (run(), run(tag="b"))]  # fmt: skip
        (one,) = series(mean)
        assert [(point.ms, point.low, point.high) for point in one.points] == [
            (9.0, None, None)
        ] * 2
        assert one.points[1].verdict.answer == "cannot tell"

    def test_steps_that_differ_wildly_have_no_band(self):
        wild = summarise([[10.0**power for power in range(0, 60, 2)]])
        (one,) = series([msgspec.structs.replace(run(tag=tag), step_ms=wild) for tag in "ab"])
        assert [point.low for point in one.points] == [None, None]
        assert series_chart(one).startswith("<svg")


RECORDS = [
    msgspec.structs.replace(one, step_ms=None, mean_ms=9.0)
    for one in (run(), run(tag="b"), run(cudnn="9.1"), run(task="training"), run(date="2025"))
]


@given(st.permutations(RECORDS))
def test_the_order_of_the_records_changes_nothing(records):
    assert series(records) == series(RECORDS)


class TestChart:
    def test_tells_times_and_verdicts_in_order(self):
        (one,) = series([run(10, cudnn="4.0"), run(8, cudnn="5.0")])
        drawn = series_chart(one)
        assert drawn.startswith("<svg")
        assert "cuDNN 4.0, 10.0 ms; cuDNN 5.0, 8.00 ms, ▼ faster" in drawn

    def test_runs_that_nothing_tells_apart_are_numbered(self):
        (one,) = series([run(), run(tag="b")])
        assert "run 1, 10.0 ms; run 2, 10.0 ms, = no difference" in series_chart(one)

    def test_records_without_bands_are_points(self):
        mean = [msgspec.structs.replace(each, step_ms=None, mean_ms=9.0)
                for each in (run(), run(tag="b"))]  # fmt: skip
        (one,) = series(mean)
        assert "run 2, 9.00 ms, ? cannot tell" in series_chart(one)
