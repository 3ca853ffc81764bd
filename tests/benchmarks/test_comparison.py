"""The explained difference: rows add up to the whole, whatever the records hold."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import measurements, metadata
from modeldocs.benchmarks.parts import OVERLAP
from modeldocs.benchmarks.step_breakdown import UNATTRIBUTED, explain
from modeldocs.benchmarks.summary import summarise

from .examples import example

US = st.floats(0, 1e7)
MAYBE = st.none() | US
NAMES = st.sampled_from(["sgemm", "relu", "ncclAllReduce", "scudnn", "x"])
KERNELS = st.none() | st.lists(
    st.builds(measurements.Kernel, name=NAMES, us=MAYBE), max_size=5
).map(tuple)
GPUS = st.none() | st.builds(
    measurements.Gpu,
    window_us=MAYBE,
    compute_us=MAYBE,
    exposed_copies_us=MAYBE,
    exposed_communication_us=MAYBE,
    idle_us=MAYBE,
    kernels=KERNELS,
)
BLOCKS = st.none() | st.lists(
    st.builds(
        measurements.Block,
        path=st.sampled_from(["a", "a.b", "a.b.c", "d", "e"]),
        forward_us=MAYBE,
        backward_us=MAYBE,
        layer=st.sampled_from([None, "1", "2"]),
    ),
    max_size=5,
).map(tuple)
PHASES = st.none() | st.lists(
    st.builds(
        measurements.Phase,
        name=st.sampled_from(["forward", "backward"]),
        mean_ms=st.floats(0, 1e4),
        samples_ms=st.none() | st.lists(st.floats(0, 1e4), max_size=4).map(tuple),
    ),
    max_size=2,
).map(tuple)
STEPS = st.none() | st.lists(st.floats(0, 1e4), min_size=1, max_size=4).map(
    lambda times: summarise([times])
)
RECORDS = st.builds(
    example,
    step_ms=STEPS,
    mean_ms=st.none() | st.floats(0, 1e4),
    gpu=GPUS,
    blocks=BLOCKS,
    phases=PHASES,
    run=st.builds(
        metadata.RunOptions,
        date=st.just("2026"),
        batch=st.none() | st.integers(1, 64),
        iterations=st.none() | st.integers(1, 20),
    ),
)


@given(RECORDS, RECORDS)
def test_rows_add_up_to_the_whole_difference(a, b):
    for found in explain(a, b):
        assert sum(row.delta_ns for row in found.rows) == found.delta_ns == found.b_ns - found.a_ns
        assert sum(row.a_ns or 0 for row in found.rows) == found.a_ns
        assert sum(row.b_ns or 0 for row in found.rows) == found.b_ns
        assert found.rows[-1].name == UNATTRIBUTED
        sizes = [abs(row.delta_ns) for row in found.rows[:-1]]
        assert sizes == sorted(sizes, reverse=True)


@given(RECORDS, RECORDS)
def test_exchanging_the_records_turns_the_signs(a, b):
    there, back = explain(a, b), explain(b, a)
    assert [(one.by, one.whole, one.delta_ns) for one in there] == [
        (one.by, one.whole, -one.delta_ns) for one in back
    ]


def times(*records):
    return {by.by: {row.name: row.delta_ns for row in by.rows} for by in explain(*records)}


def traced(step_ms, steps, window, compute, copies, idle, *kernels):
    return example(
        step_ms=summarise([[step_ms]]),
        run=metadata.RunOptions(date="2026", iterations=steps),
        gpu=measurements.Gpu(
            window_us=window,
            compute_us=compute,
            exposed_copies_us=copies,
            idle_us=idle,
            kernels=tuple(measurements.Kernel(name=name, us=us) for name, us in kernels),
        ),
    )


def test_the_window_of_a_trace_is_divided_by_its_steps():
    a = traced(1.2, 2, 2000, 1000, 200, 800)
    b = traced(1.0, 4, 4000, 2000, 400, 1600)
    assert times(a, b) == {
        "activity of the device": {
            "compute": 0,
            "exposed copies": 0,
            "idle": 0,
            UNATTRIBUTED: -200_000,
        }
    }


def test_kernels_are_told_by_name_and_kind_and_their_overlap_is_a_row():
    a = traced(1.0, 1, 1000, 600, 0, 400, ("volta_sgemm_64x64_nt", 500), ("relu_kernel", 200))
    b = traced(0.9, 1, 900, 500, 0, 400, ("volta_sgemm_64x64_nt", 400), ("relu_kernel", 100))
    found = times(a, b)
    assert found["kernel"] == {
        "volta_sgemm_64x64_nt": -100_000,
        "relu_kernel": -100_000,
        OVERLAP: 100_000,
        "exposed copies": 0,
        "idle": 0,
        UNATTRIBUTED: 0,
    }
    assert found["kind of kernel"]["matrix product"] == -100_000
    assert found["kind of kernel"]["elementwise"] == -100_000


def test_devices_without_a_kernel_in_common_are_compared_by_kind_alone():
    a = traced(1.0, 1, 1000, 600, 0, 400, ("volta_sgemm_64x64_nt", 500))
    b = traced(0.9, 1, 900, 500, 0, 400, ("ampere_sgemm_32x32_nt", 400))
    assert set(times(a, b)) == {"activity of the device", "kind of kernel"}


def test_a_trace_of_unknown_steps_explains_its_own_window():
    a, b = (traced(1.0, None, window, window / 2, 0, window / 2) for window in (800, 1000))
    [found] = explain(a, b)
    assert (found.whole, found.delta_ns) == ("traced window", 200_000)


def test_exposed_communication_is_apart_from_compute():
    a, b = (
        example(
            step_ms=None,
            gpu=measurements.Gpu(
                window_us=1000, compute_us=600, exposed_communication_us=us, idle_us=400
            ),
        )
        for us in (100, 300)
    )
    found = times(a, b)["activity of the device"]
    assert (found["compute"], found["exposed communication"]) == (-200_000, 200_000)


def phased(forward, backward, step):
    return example(
        step_ms=summarise([[step]]),
        phases=(
            measurements.Phase(name="forward", mean_ms=forward),
            measurements.Phase(name="backward", mean_ms=backward),
        ),
    )


def test_phases():
    assert times(phased(1, 2, 3), phased(1, 4, 6))["phase"] == {
        "backward": 2_000_000,
        "forward": 0,
        UNATTRIBUTED: 1_000_000,
    }


def blocks(*given):
    return tuple(
        measurements.Block(path=path, forward_us=us, layer=layer) for path, us, layer in given
    )


def test_blocks_are_leaves_matched_by_path_or_layer():
    a = example(blocks=blocks(("net", 99, None), ("net.conv", 10, "L1"), ("net.fc", 5, "L2")))
    b = example(blocks=blocks(("net.conv", 12, "L1"), ("net.head", 9, "L2"), ("net.new", 1, None)))
    assert times(a, b)["block"] == {
        "net.fc": 4_000,
        "net.conv": 2_000,
        "net.new": 1_000,
        UNATTRIBUTED: -7_000,
    }
    [found] = explain(a, b)
    assert [row.a_ns for row in found.rows if row.name == "net.new"] == [None]


def test_layers_of_another_port_are_not_matched():
    a = example(blocks=blocks(("conv", 1, None), ("fc", 5, "L2")))
    other = msgspec.structs.replace(a.model, port="keras")
    b = example(model=other, blocks=blocks(("conv", 1, None), ("dense", 9, "L2")))
    found = times(a, b)["block"]
    assert (found["fc"], found["dense"]) == (-5_000, 9_000)


def test_backward_counts_where_both_records_have_it():
    both = (measurements.Block(path="a", forward_us=1, backward_us=2),)
    more = (measurements.Block(path="a", forward_us=1, backward_us=3),)
    alone = (measurements.Block(path="a", forward_us=1),)
    assert times(example(blocks=both), example(blocks=more))["block"]["a"] == 1_000
    assert times(example(blocks=both), example(blocks=alone))["block"]["a"] == 0


def test_means_are_compared_where_a_record_has_no_median():
    a, b = phased(1, 2, 3), msgspec.structs.replace(phased(1, 2, 3), step_ms=None, mean_ms=5.0)
    [found] = explain(a, b)
    assert (found.whole, found.delta_ns) == ("mean step", 2_000_000)


def test_records_with_nothing_in_common_are_not_explained():
    assert explain(phased(1, 2, 3), example()) == ()


@pytest.mark.parametrize("times", [None, 3.0])
def test_without_a_time_of_both_there_is_nothing_to_divide(times):
    bare = msgspec.structs.replace(phased(1, 2, 3), step_ms=None, mean_ms=times)
    assert bool(explain(bare, msgspec.structs.replace(bare))) == (times is not None)
