"""Profiles of TensorFlow 2 and JAX."""

import pytest

from modeldocs.benchmarks.readers import xplane_messages

from .files import read, refusal

STATS = ("correlation_id", "memcpy_details", "memset_details", "kernel_details")
DETAILS = "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"
DAY_NS = 1_700_000_000_000_000_000
"""A time on 2023-11-14."""


def plane(space, name, lines):
    """A plane of lines, each of events: name, start and duration in ps, and statistics."""
    made = space.planes.add(name=name)
    for key, stat in enumerate(STATS, start=1):
        made.stat_names.add(key=key).value.name = stat
    known = {}
    for line_name, events in lines.items():
        line = made.lines.add(name=line_name, timestamp_ns=1000)
        for event_name, start, duration, stats in events:
            key = known.setdefault(event_name, len(known) + 1)
            event = line.events.add(name_id=key, offset_ps=start, duration_ps=duration)
            for stat, value in stats.items():
                held = event.stats.add(name_id=STATS.index(stat) + 1)
                setattr(held, "text" if isinstance(value, str) else "unsigned", value)
    for name, key in known.items():
        made.event_names.add(key=key).value.name = name
    return made


def profile(*more):
    """A copy, a kernel after a gap, and a memset on a stream; the launch of the kernel."""
    space = xplane_messages.space()()
    launches = [("cuLaunchKernel", 8_000_000, 2_000_000, {"correlation_id": 7})]
    plane(space, "/host:CPU", {"python": launches})
    events = [
        ("MemcpyH2D", 0, 5_000_000, {"memcpy_details": DETAILS}),
        ("void gemm<float>()", 10_000_000, 4_250_400, {"correlation_id": 7, "kernel_details": "r"}),
        ("Memset", 14_250_400, 1_000_000, {"memset_details": "kind:device size:4"}),
        *more,
    ]
    derived = [("jit_step", 0, 99_000_000, {})]
    plane(space, "/device:GPU:0", {"Stream #14(Compute)": events, "XLA Modules": derived})
    return space


def data(space):
    return space.SerializeToString(deterministic=True)


def test_streams_are_read_and_derived_lines_are_not(tmp_path):
    (record,) = read(tmp_path, data(profile()))
    gpu = record.gpu
    assert (gpu.window_us, gpu.copies_us, gpu.compute_us) == (15.25, 5, 4.25)
    assert (gpu.exposed_copies_us, gpu.idle_us) == (6, 5)
    assert [one.name for one in gpu.kernels] == ["void gemm<float>()"]


def test_sizes_of_copies_and_launches(tmp_path):
    (record,) = read(tmp_path, data(profile()))
    copies = record.gpu.memcpy["HtoD"]
    assert (copies.n, copies.bytes, copies.us) == (1, 4096, 5)
    assert record.gpu.launch_bound_us == 5


def test_the_day_where_the_profile_tells_its_start(tmp_path):
    assert read(tmp_path, data(profile()))[0].run.date == ""
    space = profile()
    told = space.planes.add(name="Task Environment")
    told.stat_names.add(key=1).value.name = "profile_start_time"
    told.stats.add(name_id=1, unsigned=DAY_NS)
    assert read(tmp_path, data(space))[0].run.date == "2023-11-14"


def test_each_device_is_a_recording(tmp_path):
    space = profile()
    plane(space, "/device:GPU:1", {"Stream #1": [("relu", 0, 2_000_000, {})]})
    assert [one.gpu.compute_us for one in read(tmp_path, data(space))] == [4.25, 2]


def test_operators_of_the_host_without_launches_and_functions_of_python(tmp_path):
    space = profile()
    held = space.planes[0]
    line = held.lines[0]
    for key, (name, start, took) in enumerate(
        [("step", 0, 9_000_000), ("MatMul", 1_000_000, 4_000_000), ("$a.py:1 f", 0, 9_500_000)], 2
    ):
        held.event_names.add(key=key).value.name = name
        line.events.add(name_id=key, offset_ps=start, duration_ps=took)
    (record,) = read(tmp_path, data(space))
    found = [(one.name, one.n, one.self_us) for one in record.host_operators]
    assert found == [("step", 1, 5), ("MatMul", 1, 4)]
    assert read(tmp_path, data(profile()))[0].host_operators is None


class TestRefused:
    def test_an_event_that_cannot_be(self, tmp_path):
        said = refusal(tmp_path, data(profile(("relu", 0, -5_000_000, {}))))
        assert "takes -5 µs" in said

    def test_a_profile_that_is_cut_off(self, tmp_path):
        assert "damaged profile" in refusal(tmp_path, data(profile())[:-40])

    def test_a_profile_of_the_host_alone(self, tmp_path):
        space = xplane_messages.space()()
        plane(space, "/host:CPU", {"python": [("step", 0, 1, {})]})
        assert "it has no stream of a GPU" in refusal(tmp_path, data(space))

    @pytest.mark.parametrize("kind", ["/device:GPU:0", "/device:GPU:1"])
    def test_no_event(self, tmp_path, kind):
        space = xplane_messages.space()()
        plane(space, kind, {"Stream #1": []})
        assert "no event of a device" in refusal(tmp_path, data(space))
