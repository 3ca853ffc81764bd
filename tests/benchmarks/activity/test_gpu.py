"""The activity of a window, from its events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.activity import SMALL_COPY_BYTES, activity
from modeldocs.benchmarks.activity.events import EventColumns, EventKind

US = 1000


def columns(*rows):
    """Events given as kind, start and duration in µs, and keywords."""
    held = EventColumns()
    for kind, start, duration, *others in rows:
        more = others[0] if others else {}
        start, duration = start * US, duration * US
        if kind == "copy":
            held.copy(more.pop("kind", "HtoD"), start, duration, **more)
        elif kind == "memset":
            held.memset(start, duration, **more)
        else:
            held.kernel(kind, start, duration, **more)
    return held.events()


class TestUnions:
    def test_kernels_that_overlap_count_once(self):
        gpu = activity(columns(("a", 0, 10), ("b", 5, 10)))
        assert (gpu.window_us, gpu.compute_us, gpu.concurrent_kernels_us) == (15, 15, 5)

    def test_kernels_that_touch_do_not_overlap(self):
        gpu = activity(columns(("a", 0, 10), ("b", 10, 10)))
        assert (gpu.compute_us, gpu.concurrent_kernels_us, gpu.idle_us) == (20, 0, 0)

    def test_a_copy_behind_a_kernel_is_not_exposed(self):
        gpu = activity(columns(("a", 0, 10), ("copy", 2, 3), ("copy", 8, 6)))
        assert (gpu.copies_us, gpu.overlap_us, gpu.exposed_copies_us) == (9, 5, 4)

    def test_a_memset_is_no_copy_but_not_idle_either(self):
        gpu = activity(columns(("a", 0, 10), ("memset", 10, 5), ("a", 20, 5)))
        assert (gpu.copies_us, gpu.exposed_copies_us, gpu.idle_us) == (0, 5, 5)

    def test_a_collective_is_a_kernel_and_exposed_where_no_other_runs(self):
        gpu = activity(columns(("a", 0, 10), ("ncclDevKernel_AllReduce(x)", 5, 10)))
        assert (gpu.compute_us, gpu.exposed_communication_us) == (15, 5)

    def test_copies_in_both_directions_at_once(self):
        down = ("copy", 5, 10, {"kind": "DtoH", "size": 7})
        gpu = activity(columns(("copy", 0, 8, {"size": 9}), down))
        assert (gpu.concurrent_copies_us, gpu.shorter_direction_us) == (3, 8)
        assert metrics.copy_overlap(gpu) == 3 / 8

    def test_an_event_without_duration_is_counted_and_takes_no_time(self):
        gpu = activity(columns(("a", 5, 0)))
        assert (gpu.window_us, gpu.compute_us, gpu.idle_us) == (0, 0, 0)
        assert gpu.kernels[0].n == 1


class TestCopies:
    def test_number_bytes_and_durations_by_kind(self):
        gpu = activity(columns(("copy", 0, 2, {"size": 100}), ("copy", 1, 2, {"size": 28})))
        assert (gpu.memcpy["HtoD"].n, gpu.memcpy["HtoD"].bytes, gpu.memcpy["HtoD"].us) == (
            2,
            128,
            4,
        )
        assert set(gpu.memcpy) == {"HtoD"}

    def test_bytes_are_unknown_where_one_copy_does_not_tell_them(self):
        gpu = activity(columns(("copy", 0, 2, {"size": 100}), ("copy", 1, 2)))
        assert gpu.memcpy["HtoD"].bytes is None
        assert gpu.small_copies.bytes is None

    def test_a_copy_of_unknown_direction_takes_time_and_is_of_no_kind(self):
        gpu = activity(columns(("copy", 0, 2, {"kind": None, "size": 1})))
        assert (gpu.copies_us, gpu.memcpy) == (2, {})

    def test_small_copies_lie_below_the_threshold_that_is_printed(self):
        small = ("copy", 0, 2, {"size": SMALL_COPY_BYTES - 1})
        gpu = activity(columns(small, ("copy", 4, 6, {"size": SMALL_COPY_BYTES})))
        held = gpu.small_copies
        assert (held.threshold_bytes, held.bytes) == (SMALL_COPY_BYTES, SMALL_COPY_BYTES - 1)
        assert metrics.small_copy_share(gpu) == 2 / 8


class TestKernels:
    def test_the_longest_comes_first_and_equal_ones_by_name(self):
        gpu = activity(columns(("b", 0, 5), ("c", 5, 9), ("a", 20, 2), ("a", 30, 3)))
        assert [(one.name, one.n, one.us) for one in gpu.kernels] == [
            ("c", 1, 9),
            ("a", 2, 5),
            ("b", 1, 5),
        ]

    def test_occupancy_is_weighted_by_duration(self):
        rows = (("a", 0, 1, {"occupancy": 1.0}), ("a", 5, 3, {"occupancy": 0.0}), ("a", 9, 9))
        assert activity(columns(*rows)).kernels[0].occupancy == 0.25

    def test_an_occupancy_that_cannot_be_is_unknown(self):
        assert activity(columns(("a", 0, 1, {"occupancy": 1.7}))).kernels[0].occupancy is None


class TestLaunches:
    """A gap is bound by its launch where that began after the device had gone idle."""

    def test_late_and_early_launches(self):
        late = ("a", 30, 10, {"issued": 20 * US})
        early = ("a", 50, 10, {"issued": 35 * US})
        gpu = activity(columns(("a", 0, 10, {"issued": 0}), late, early))
        assert (gpu.idle_us, gpu.launch_bound_us) == (30, 20)

    def test_unknown_where_a_launch_is(self):
        gpu = activity(columns(("a", 0, 10), ("a", 30, 10)))
        assert gpu.launch_bound_us is None

    def test_nothing_is_bound_where_nothing_is_idle(self):
        assert activity(columns(("a", 0, 10))).launch_bound_us == 0


class TestRefused:
    @pytest.mark.parametrize(("start", "duration"), [(-1, 1), (1, -1), (2**63, 1), (0, 2**62)])
    def test_times_that_cannot_be(self, start, duration):
        with pytest.raises(ValueError, match=r"starts at|takes"):
            EventColumns().kernel("a", start, duration)

    @pytest.mark.parametrize("size", [-1, 2**60])
    def test_sizes_that_cannot_be(self, size):
        with pytest.raises(ValueError, match="copies"):
            EventColumns().copy("HtoD", 0, 1, size=size)

    def test_events_that_lie_years_apart(self):
        held = EventColumns()
        held.kernel("a", 0, 1)
        held.kernel("a", 10**18, 1)
        with pytest.raises(ValueError, match="11,574 days apart"):
            held.events()

    def test_no_events(self):
        with pytest.raises(ValueError, match="no event"):
            EventColumns().events()


EVENTS = st.lists(
    st.tuples(st.sampled_from(EventKind), st.integers(0, 30), st.integers(0, 12)),
    min_size=1,
    max_size=25,
)
NAMES = {
    EventKind.KERNEL: "a",
    EventKind.COLLECTIVE: "ncclKernel",
    EventKind.COPY: "copy",
    EventKind.MEMSET: "memset",
}


class TestOracle:
    """Against a count of every microsecond on its own."""

    @given(EVENTS)
    def test_every_figure_is_the_count_of_its_microseconds(self, rows):
        gpu = activity(columns(*((NAMES[kind], start, took) for kind, start, took in rows)))
        first, last = min(r[1] for r in rows), max(r[1] + r[2] for r in rows)
        moments = [
            {kind: sum(k == kind and s <= at < s + d for k, s, d in rows) for kind in EventKind}
            for at in range(first, last)
        ]
        kernel = [m[EventKind.KERNEL] + m[EventKind.COLLECTIVE] for m in moments]
        copy, memset = [m[EventKind.COPY] for m in moments], [m[EventKind.MEMSET] for m in moments]
        whole = list(zip(moments, kernel, copy, memset, strict=True))
        assert gpu.window_us == last - first
        assert gpu.compute_us == sum(k > 0 for k in kernel)
        assert gpu.copies_us == sum(c > 0 for c in copy)
        assert gpu.overlap_us == sum(k > 0 and c > 0 for _, k, c, _ in whole)
        assert gpu.concurrent_kernels_us == sum(k > 1 for k in kernel)
        assert gpu.concurrent_copies_us == sum(c > 1 for c in copy)
        assert gpu.exposed_copies_us == sum(c + s > 0 and k == 0 for _, k, c, s in whole)
        assert gpu.idle_us == sum(k + c + s == 0 for _, k, c, s in whole)
        assert gpu.exposed_communication_us == sum(
            m[EventKind.COLLECTIVE] > 0 and m[EventKind.KERNEL] == 0 for m in moments
        )

    @given(
        st.lists(
            st.tuples(st.sampled_from(EventKind), st.integers(0, 10**15), st.integers(0, 10**9)),
            min_size=1,
        )
    )
    def test_the_parts_of_the_window_add_up_to_the_nanosecond(self, rows):
        held = EventColumns()
        for kind, start, took in rows:
            if kind in (EventKind.KERNEL, EventKind.COLLECTIVE):
                held.kernel(NAMES[kind], start % 10**13, took)
            elif kind == EventKind.COPY:
                held.copy("DtoD", start % 10**13, took)
            else:
                held.memset(start % 10**13, took)
        gpu = activity(held.events())

        def ns(us):
            return round(us * 1000)

        without = ns(gpu.compute_us) - ns(gpu.exposed_communication_us)
        others = (gpu.exposed_communication_us, gpu.exposed_copies_us, gpu.idle_us)
        assert without + sum(ns(us) for us in others) == ns(gpu.window_us)
        assert without >= 0
