"""The conditions of two records, and which records may be ranked together."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import measurements, metadata
from modeldocs.benchmarks.comparability import comparable, conditions, differing, groups, obstacle
from modeldocs.benchmarks.ddp import Ddp

from .examples import example

replace = msgspec.structs.replace


def changed(section, **values):
    """The example with other values in a section; its work is known."""
    known = example(
        run=metadata.RunOptions(
            date="2026-11-20",
            task="inference",
            batch=2,
            input_shapes={"x": (2, 3, 32, 32)},
            synthetic_input=True,
        ),
        numerics=metadata.Numerics(dtype="float32", amp=False),
    )
    return replace(known, **{section: replace(getattr(known, section), **values)})


EQUAL = changed("run")


def names(a, b):
    return {one.name for one in differing(a, b) if one.differs}


def test_equal_records_are_comparable():
    assert comparable(conditions(EQUAL, EQUAL)) == "yes"
    assert names(EQUAL, EQUAL) == set()


@pytest.mark.parametrize(
    ("section", "values", "name"),
    [
        ("model", {"id": "other"}, "model"),
        ("run", {"task": "training"}, "task"),
        ("run", {"batch": 4}, "batch"),
        ("run", {"input_shapes": {"x": (2, 3, 64, 64)}}, "input shape"),
        ("run", {"synthetic_input": False}, "input"),
        ("numerics", {"dtype": "float16"}, "precision"),
        ("numerics", {"amp": True}, "mixed precision"),
    ],
)
def test_other_work_is_not_comparable(section, values, name):
    other = changed(section, **values)
    assert names(EQUAL, other) == {name}
    assert comparable(conditions(EQUAL, other)) == "no"


@pytest.mark.parametrize(
    ("section", "values", "name"),
    [
        ("model", {"port": "keras"}, "port"),
        ("device", {"name": "H100"}, "device"),
        ("device", {"count": 8}, "device"),
        ("software", {"framework": "JAX"}, "framework"),
        ("software", {"framework_version": "3.0"}, "framework version"),
        ("numerics", {"compiled": True}, "compiled"),
        ("numerics", {"channels_last": True}, "channels last"),
    ],
)
def test_what_a_comparison_is_about_is_named_and_comparable(section, values, name):
    base = changed("numerics", compiled=False, channels_last=False)
    other = replace(base, **{section: replace(getattr(base, section), **values)})
    assert names(base, other) == {name}
    assert comparable(conditions(base, other)) == "yes"


def test_data_parallel_runs_rank_with_none_of_another_number_of_workers():
    two, four = (replace(EQUAL, ddp=Ddp(world=world)) for world in (2, 4))
    for a, b in ((EQUAL, two), (two, four)):
        assert "world" in names(a, b)
        assert comparable(conditions(a, b)) == "no"
        assert len(groups([a, b], lambda one: one)) == 2
    assert comparable(conditions(two, two)) == "yes"


def test_both_values_are_told_and_an_unknown_one_is_none():
    found = {one.name: one for one in differing(EQUAL, changed("run", batch=None))}
    assert (found["batch"].a, found["batch"].b) == ("2", None)
    assert found["batch"].unknown
    assert not found["batch"].differs


def test_an_unknown_batch_is_not_comparable_and_an_unknown_input_as_far_as_known():
    assert comparable(conditions(EQUAL, changed("run", batch=None))) == "no"
    unknown = changed("run", synthetic_input=None)
    assert comparable(conditions(EQUAL, unknown)) == "as far as known"


def test_the_obstacle_names_what_differs_and_what_is_unknown():
    assert obstacle(conditions(EQUAL, EQUAL)) == ""
    other = changed("run", batch=4, task="training", input_shapes=None)
    assert obstacle(conditions(EQUAL, other)) == "The runs differ in task and batch."
    unknown = changed("run", batch=None, task="training")
    assert obstacle(conditions(EQUAL, unknown)) == (
        "The runs differ in task. It is unknown whether batch is the same."
    )


def test_images_of_both_layouts_have_one_shape():
    last = changed("run", input_shapes={"image": (2, 32, 32, 3)})
    assert "input shape" not in names(EQUAL, last)


def test_a_cpu_has_no_tf32_so_that_it_compares_with_a_gpu_where_it_is_off():
    gpu = changed("device", kind="cuda", name="H100")
    off = replace(gpu, numerics=replace(gpu.numerics, tf32=False))
    on = replace(gpu, numerics=replace(gpu.numerics, tf32=True))
    assert comparable(conditions(EQUAL, off)) == "yes"
    assert names(EQUAL, on) >= {"TF32"}
    assert comparable(conditions(EQUAL, on)) == "no"


def rated(rate, **run):
    made = changed("run", **run)
    return replace(made, throughput=measurements.Throughput(samples=rate, wall_us=1e6))


def ranked(records):
    return groups(records, lambda record: record)


def test_a_group_ranks_the_fastest_first():
    slow, fast, other = rated(10), rated(20), rated(99, batch=64)
    assert ranked([slow, other, fast]) == [[fast, slow], [other]]


def test_records_of_unknown_batch_are_never_ranked():
    unknown = rated(99, batch=None)
    assert ranked([unknown, unknown]) == [[unknown], [unknown]]


@given(
    st.lists(
        st.builds(
            rated,
            st.integers(1, 100),
            batch=st.sampled_from([None, 1, 2]),
            task=st.sampled_from([None, "inference", "training"]),
            synthetic_input=st.sampled_from([None, True]),
        ),
        max_size=8,
    )
)
def test_nothing_ranks_above_a_record_that_it_is_not_comparable_with(records):
    found = ranked(records)
    assert sum(map(len, found)) == len(records)
    for group in found:
        for above in group:
            for below in group:
                assert above is below or comparable(conditions(above, below)) != "no"
