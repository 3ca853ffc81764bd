"""Causes of idle time."""

from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.activity import HostColumns, activity
from modeldocs.benchmarks.activity.events import EventColumns

US = 1000
SINGLE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def device(*rows):
    """Kernels given as start, duration and launch in µs, None where that is not known."""
    held = EventColumns()
    for start, duration, issued in rows:
        launch = None if issued is None else issued * US
        held.kernel("k", start * US, duration * US, issued=launch)
    return held.events()


def host(*rows, waits=()):
    """Operators given as name, start and duration in µs, and calls that wait."""
    held = HostColumns()
    for name, start, duration in rows:
        held.operator(1, name, start * US, duration * US)
    for start, duration in waits:
        held.wait(start * US, duration * US)
    return held


def causes(events, told):
    found = activity(events, told).idle_causes
    return found.input_us, found.synchronisation_us, found.launch_us, found.other_us


class TestCauses:
    """A kernel from 0 to 10, another from 50 to 60: a gap of 40 µs."""

    def test_the_part_in_which_the_host_waits_for_a_batch_is_the_input_pipeline_s(self):
        late = device((0, 10, 0), (50, 10, 48))
        assert causes(late, host((SINGLE, 5, 30))) == (25, 0, 15, 0)

    def test_what_is_left_of_a_gap_that_began_during_a_wait_is_synchronisation(self):
        late = device((0, 10, 0), (50, 10, 48))
        assert causes(late, host((SINGLE, 20, 30), waits=[(3, 8)])) == (30, 10, 0, 0)

    def test_a_wait_that_ended_before_the_gap_is_not_its_cause(self):
        late = device((0, 10, 0), (50, 10, 48))
        assert causes(late, host(("aten::mm", 0, 5), waits=[(3, 4)])) == (0, 0, 40, 0)

    def test_an_event_that_was_launched_before_has_another_cause(self):
        assert causes(device((0, 10, 0), (50, 10, 9)), host(("a", 0, 5))) == (0, 0, 0, 40)

    def test_so_has_one_whose_launch_is_not_known(self):
        assert causes(device((0, 10, 0), (50, 10, None)), host(("a", 0, 5))) == (0, 0, 0, 40)

    def test_loaders_that_overlap_count_once(self):
        late = device((0, 10, 0), (50, 10, 48))
        assert causes(late, host((SINGLE, 5, 20), (SINGLE, 15, 20))) == (25, 0, 15, 0)

    def test_unknown_where_the_trace_tells_nothing_of_the_host(self):
        assert activity(device((0, 10, 0), (50, 10, 48)), host()).idle_causes is None
        assert activity(device((0, 10, 0), (50, 10, 48))).idle_causes is None


def training(loader, loading):
    """Ten steps of 100 µs of kernels, launched when the batch is there."""
    kernels, operators, at = [], [], 0
    for _ in range(10):
        operators.append((loader, at, loading))
        kernels += [(at + loading + 5, 60, at + loading), (at + loading + 65, 40, at + loading + 1)]
        at += loading + 105
    return activity(device(*kernels), host(*operators))


class TestWorkers:
    """The same kernels with a loader in the process, and with four workers that keep up."""

    def test_without_workers_the_device_starves(self):
        gpu = training(SINGLE, loading=65)
        window = 10 * 100 + 9 * 70
        assert (gpu.window_us, gpu.compute_us, gpu.idle_us) == (window, 1000, 630)
        assert gpu.idle_causes.input_us == 9 * 65
        assert gpu.idle_causes.launch_us == 9 * 5

    def test_with_workers_it_does_not(self):
        gpu = training(WORKERS, loading=2)
        assert (gpu.compute_us, gpu.idle_us) == (1000, 63)
        assert gpu.idle_causes.input_us == 9 * 2
        assert metrics.idle_share(gpu) < 0.06


times = st.integers(0, 60)
spans = st.tuples(times, st.integers(0, 20))


@given(
    st.lists(st.tuples(times, st.integers(0, 20), st.one_of(st.none(), times)), min_size=1),
    st.lists(st.tuples(st.sampled_from([SINGLE, "IteratorGetNext", "a"]), times, times)),
    st.lists(spans),
)
def test_the_causes_partition_the_idle_time(kernels, operators, waits):
    events, told = device(*kernels), host(("a", 0, 1), *operators, waits=waits)
    gpu = activity(events, told)
    assert sum(causes(events, told)) == gpu.idle_us
    busy = {at for start, took, _ in kernels for at in range(start, start + took)}
    ends = [start + took for start, took, _ in kernels]
    idle = set(range(min(start for start, _, _ in kernels), max(ends))) - busy
    loading = {at for name, start, took in operators if name != "a"
               for at in range(start, start + took)}  # fmt: skip
    assert gpu.idle_causes.input_us == len(idle & loading)
