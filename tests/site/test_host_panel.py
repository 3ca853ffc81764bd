"""The host's side of a profile."""

import msgspec
import pytest

from modeldocs.benchmarks.measurements import Gpu, HostOperator, IdleCauses
from modeldocs.site.benchmarks import host_panel

from ..benchmarks.examples import example

SINGLE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def traced(operator="aten::mm", idle=400.0, **causes):
    known = {"input_us": 0.0, "synchronisation_us": 0.0, "launch_us": 0.0, "other_us": 0.0}
    gpu = Gpu(window_us=1000.0, idle_us=idle, idle_causes=IdleCauses(**known | causes))
    return example(gpu=gpu, host_operators=(HostOperator(name=operator, n=1, self_us=2),))


def test_the_largest_cause_comes_first_and_the_unexplained_last():
    found = host_panel.idle(traced(input_us=100.0, launch_us=120.0, other_us=180.0))
    assert found.share == 0.4
    assert [round(one.share, 2) for one in found.causes] == [0.12, 0.1, 0.18]
    assert "launch less" in found.remedy


@pytest.mark.parametrize(
    ("operator", "text", "remedy"),
    [
        (SINGLE, "data loader, which has no workers", "num_workers"),
        (WORKERS, "workers of", "more"),
        ("IteratorGetNext", "next batch", "during the step"),
    ],
)  # fmt: skip
def test_the_loader_tells_what_helps_against_starvation(operator, text, remedy):
    found = host_panel.idle(traced(operator, input_us=400.0))
    assert text in found.causes[0].text
    assert remedy in found.remedy


def test_a_small_cause_needs_no_remedy():
    assert host_panel.idle(traced(idle=10.0, input_us=10.0)).remedy == ""
    assert host_panel.idle(traced(other_us=400.0)).remedy == ""


def test_a_cause_of_hardly_any_time_is_not_named():
    found = host_panel.idle(traced(launch_us=399.6, other_us=0.4))
    assert [one.us for one in found.causes] == [399.6]


def test_nothing_is_said_of_unknown_causes_or_a_device_that_is_never_idle():
    assert host_panel.idle(example()) is None
    assert host_panel.idle(example(gpu=Gpu(window_us=10.0, idle_us=4.0))) is None
    assert host_panel.idle(traced(idle=0.0)) is None


def test_operators_are_per_step_where_the_steps_are_known():
    record = traced()
    assert host_panel.operators(record).per_step
    unknown = msgspec.structs.replace(record.method, steps=None)
    found = host_panel.operators(msgspec.structs.replace(record, method=unknown))
    assert not found.per_step
    assert [row.share for row in found.rows] == [1.0]
    assert host_panel.operators(example()) is None
