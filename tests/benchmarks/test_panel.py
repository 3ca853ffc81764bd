"""Which charts stand together: what there is to draw decides."""

import msgspec

from modeldocs.benchmarks import chart_set, measurements, metadata
from modeldocs.benchmarks.summary import summarise

from .examples import example


def timed(date, milliseconds=1.0):
    return example(run=metadata.RunOptions(date=date), step_ms=summarise([[milliseconds] * 3]))


def test_records_without_a_figure_draw_nothing():
    bare = example(step_ms=None, throughput=None, blocks=None)
    assert chart_set.draw([]) == chart_set.draw([bare]) == chart_set.ChartSet()


def rated(task, samples=3, framework="PyTorch", **run):
    return example(
        step_ms=None,
        blocks=None,
        run=metadata.RunOptions(date="2026-11-20", task=task, batch=2, **run),
        software=metadata.Software(framework=framework),
        throughput=measurements.Throughput(samples=samples, wall_us=1e6),
    )


def test_each_chart_is_drawn_where_there_is_something_in_it():
    drawn = chart_set.draw([rated("inference"), rated("inference", 4)])
    assert drawn.rates["inference"].startswith("<svg")
    assert drawn.steps == drawn.blocks == drawn.history == ""
    block = measurements.Block(path="a", kind="Conv2d", forward_us=3.0)
    whole = msgspec.structs.replace(timed("2026-11-20"), blocks=(block,))
    assert chart_set.draw([whole]).steps.startswith("<svg")
    assert chart_set.draw([whole]).blocks.startswith("<svg")


def test_tasks_are_drawn_apart_and_a_single_run_is_not():
    drawn = chart_set.draw([rated("inference"), rated("inference", 4), rated("training")])
    assert list(drawn.rates) == ["inference"]


def test_other_input_sizes_are_left_to_the_table():
    sizes = {"input_shapes": {"": (2, 3, 224, 224)}}, {"input_shapes": {"": (2, 3, 160, 160)}}
    usual = [rated("inference", 3, **sizes[0]), rated("inference", 4, **sizes[0])]
    other = rated("inference", 777, **sizes[1])
    assert ": 777" not in chart_set.draw([*usual, other]).rates["inference"]


def test_frameworks_are_compared_on_equal_device_task_batch_and_size():
    shape = {"input_shapes": {"": (2, 3, 8, 8)}}
    pair = [rated("training", **shape), rated("training", framework="Caffe", **shape)]
    (drawn,) = chart_set.draw(pair).frameworks
    assert drawn.title == "AMD EPYC(R) 9,000, training, 2×3×8×8"
    other = rated("inference", framework="Caffe", **shape)
    assert chart_set.draw([pair[0], other]).frameworks == ()


def test_the_latest_record_with_timed_steps_is_told():
    old, new = timed("2025-01-01"), timed("2026-01-01")
    untimed = example(run=metadata.RunOptions(date="2027-01-01"), step_ms=None)
    assert chart_set.latest([old, new, untimed]) is new
    assert chart_set.latest([untimed]) is None
