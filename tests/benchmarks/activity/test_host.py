"""Operators of the host: calls and self times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks.activity import HostColumns
from modeldocs.benchmarks.activity.host import MAX_OPERATORS, is_input, waits

US = 1000


def columns(*rows, steps=()):
    """Operators given as thread, name, start and duration in µs, and steps likewise."""
    held = HostColumns()
    for thread, name, start, duration in rows:
        held.operator(thread, name, start * US, duration * US)
    for start, duration in steps:
        held.step(start * US, duration * US)
    return held


def found(held):
    return {one.name: (one.n, one.self_us) for one in held.operators()}


class TestSelfTime:
    def test_is_the_duration_without_the_operators_that_it_calls(self):
        nested = columns((1, "linear", 0, 100), (1, "t", 10, 20), (1, "view", 15, 5),
                         (1, "addmm", 40, 50), (1, "linear", 200, 7))  # fmt: skip
        assert found(nested) == {"addmm": (1, 50), "linear": (2, 37), "t": (1, 15), "view": (1, 5)}

    def test_operators_of_another_thread_are_not_called_by_it(self):
        held = columns((1, "forward", 0, 100), ("2", "backward", 10, 20), ("2", "mm", 12, 3))
        assert found(held) == {"forward": (1, 100), "backward": (1, 17), "mm": (1, 3)}

    def test_the_longest_of_those_that_begin_at_one_time_calls_the_others(self):
        assert found(columns((1, "in", 0, 4), (1, "out", 0, 10))) == {"out": (1, 6), "in": (1, 4)}

    def test_a_call_that_ends_late_by_rounding_is_counted_once(self):
        held = columns((1, "out", 0, 10), (1, "in", 8, 3), (1, "next", 11, 2))
        assert found(held) == {"out": (1, 8), "in": (1, 3), "next": (1, 2)}

    def test_an_operator_without_duration_counts(self):
        assert found(columns((1, "a", 5, 0))) == {"a": (1, 0)}


class TestSteps:
    def test_figures_are_means_over_the_steps(self):
        held = columns((1, "mm", 1, 2), (1, "mm", 4, 2), (1, "mm", 11, 5), steps=[(0, 10), (10, 9)])
        assert found(held) == {"mm": (1.5, 4.5)}

    def test_what_began_outside_of_the_steps_does_not_count(self):
        held = columns((1, "setup", 0, 5), (1, "mm", 12, 3), (1, "export", 40, 9), steps=[(10, 20)])
        assert found(held) == {"mm": (1, 3)}


def test_those_with_the_longest_time_come_first_and_only_some_are_kept():
    held = columns(*((1, f"{number:02}", 100 * number, number) for number in range(40)))
    names = [one.name for one in held.operators()]
    assert names == [f"{number:02}" for number in range(39, 39 - MAX_OPERATORS, -1)]


def test_none_where_nothing_ran():
    assert columns().operators() is None
    assert columns((1, "setup", 0, 5), steps=[(10, 20)]).operators() is None


@pytest.mark.parametrize(("start", "duration"), [(-1, 1), (1, -1), (2**62, 1), (0, 2**61)])
def test_times_that_cannot_be_are_refused(start, duration):
    for add in (HostColumns().step, HostColumns().wait):
        with pytest.raises(ValueError, match=r"starts at|takes"):
            add(start * US, duration * US)
    with pytest.raises(ValueError, match=r"starts at|takes"):
        columns((1, "a", start, duration))


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 60), st.integers(0, 20))
    )
)
def test_self_times_of_a_thread_add_up_to_the_union_of_its_operators(rows):
    moments = {(thread, at) for thread, _, start, took in rows for at in range(start, start + took)}
    total = sum(one.self_us for one in columns(*rows).operators() or ())
    assert total == len(moments)


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
            "IteratorGetNext",
            "IteratorGetNextOp::DoCompute",
        ],
    )
    def test_of_input_pipelines(self, name):
        assert is_input(name)

    @pytest.mark.parametrize("name", ["aten::copy_", "DataLoader", "Iterator::Prefetch"])
    def test_of_other_operators(self, name):
        assert not is_input(name)

    def test_of_calls_that_wait(self):
        yes = ["cudaDeviceSynchronize", "cudaStreamSynchronize", "hipEventSynchronize",
               "cuCtxSynchronize", "cudaMemcpy", "cuMemcpyDtoH_v2",
               "hipMemcpyWithStream"]  # fmt: skip
        no = ["cudaMemcpyAsync", "cuMemcpyHtoDAsync_v2", "cudaLaunchKernel", "cudaEventQuery",
              "cudaMemcpy2DAsync", "aten::copy_"]  # fmt: skip
        assert [waits(one) for one in yes + no] == [True] * len(yes) + [False] * len(no)
