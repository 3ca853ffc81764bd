"""A trace is held against the network that it is imported for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from modeldocs import catalog
from modeldocs.benchmarks.measurements import HostOperator
from modeldocs.published.same_network import contradiction, fits

from ..benchmarks.examples import example
from ..prototxts import NET


def traced(calls: dict[str, float], steps: int | None = 6):
    made = example(host_operators=tuple(HostOperator(name=name, n=n) for name, n in calls.items()))
    return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, iterations=steps))


@pytest.fixture
def model(tmp_path: Path):
    folder = tmp_path / "models" / "net"
    folder.mkdir(parents=True)
    (folder / "caffe.prototxt").write_text(NET)
    (found,) = catalog.read(tmp_path / "models").models
    return found


@pytest.mark.parametrize(
    ("calls", "count", "marked", "one_network"),
    [
        (5, 5, True, True),
        (10, 5, True, True),  # gradients of two batches
        (53, 5, True, False),
        (50, 5, True, False),
        (50, 5, False, True),  # ten steps, which are not marked
        (53, 5, False, False),
        (53, 0, True, False),
        (2, 5, True, False),
    ],
)
def test_calls_are_those_of_a_few_forward_passes(
    calls: float, count: int, marked: bool, one_network: bool
) -> None:
    assert fits(calls, count, marked=marked) is one_network


def test_a_trace_of_another_network_is_told_with_both_numbers(model) -> None:
    told = contradiction(traced({"aten::conv2d": 53, "aten::add_": 16}), model, None)
    assert told == (
        "a step of the trace runs 53 convolutions, and net/caffe has 1: it is of another network"
    )
    assert contradiction(traced({"aten::conv2d": 1}), model, model.ports[0]) == ""


def test_a_trace_that_tells_of_no_convolution_is_not_refused(model) -> None:
    assert contradiction(traced({"aten::addmm": 5}), model, None) == ""
    assert contradiction(example(), model, None) == ""
