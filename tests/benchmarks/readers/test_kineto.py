"""Traces of the PyTorch profiler."""

import gzip
import json
from collections import Counter
from decimal import Decimal

import pytest

from modeldocs.benchmarks import metrics

from .files import of, read, refusal, shared
from .traces import KERNEL, NEWER, OLDEST, event, newer, properties


class TestNewerDialect:
    def test_times_are_exact_and_the_window_goes_from_first_to_last_event(self, tmp_path):
        (record,) = read(tmp_path, NEWER)
        gpu = record.gpu
        assert (gpu.window_us, gpu.compute_us, gpu.copies_us) == (20.75, 4.875, 10.5)
        assert (gpu.exposed_copies_us, gpu.idle_us) == (11.5, 4.375)

    def test_the_gap_before_the_kernel_waits_for_its_launch(self, tmp_path):
        (record,) = read(tmp_path, NEWER)
        assert record.gpu.launch_bound_us == 4.375

    def test_copies_and_kernels(self, tmp_path):
        (record,) = read(tmp_path, NEWER)
        copies = record.gpu.memcpy["HtoD"]
        assert (copies.n, copies.bytes, copies.us) == (1, 4096, 10.5)
        (kernel,) = record.gpu.kernels
        assert (kernel.name, kernel.n, kernel.us, kernel.occupancy) == (KERNEL, 1, 4.875, 0.27)

    def test_the_device_and_the_software(self, tmp_path):
        (record,) = read(tmp_path, NEWER)
        device = record.device
        assert (device.name, device.kind) == ("NVIDIA H100 80GB HBM3", "cuda")
        assert (device.compute_capability, device.memory_bytes) == ("9.0", 85018279936)
        assert (record.software.framework, record.software.cuda) == ("PyTorch", "12.4")

    def test_the_day_comes_from_the_base_time_and_all_else_is_unknown(self, tmp_path):
        run = read(tmp_path, NEWER)[0].run
        assert (run.date, run.iterations) == ("2025-07-01", 1)
        assert (run.task, run.batch, run.input_shapes) == (None, None, None)
        assert read(tmp_path, NEWER | {"baseTimeNanoseconds": 0})[0].run.date == ""

    def test_fractions_of_times_since_1970_are_not_rounded(self, tmp_path):
        text = json.dumps(NEWER | {"baseTimeNanoseconds": 0})
        text = text.replace("115.125", "1700000000000015.125").replace(
            "100.25", "1700000000000000.25"
        )
        (record,) = read(tmp_path, text.replace("120.0", "1700000000000020.0"))
        assert (record.gpu.window_us, record.gpu.idle_us) == (20.75, 4.375)
        assert record.run.date == "2023-11-14"

    def test_gzip(self, tmp_path):
        assert read(tmp_path, gzip.compress(json.dumps(NEWER).encode())) == read(tmp_path, NEWER)


class TestOlderDialects:
    def test_2021(self, tmp_path):
        (record,) = read(tmp_path, OLDEST)
        assert record.gpu.window_us == 50482
        assert (record.gpu.compute_us, record.gpu.copies_us) == (2, 1940)
        assert record.gpu.memcpy["HtoD"].bytes == 19267584
        assert (record.run.date, record.run.iterations) == ("2021-06-08", 2)
        assert (record.device.name, record.device.compute_capability) == (
            "Tesla V100-DGXS-32GB",
            "7.0",
        )
        assert record.provenance.rounding == "The trace gives times in whole microseconds."

    def test_rocm_names_copies_differently_and_may_not_give_bytes(self, tmp_path):
        trace = newer(
            event("gpu_memcpy", "CopyDeviceToHost", 5, 2, device=2),
            event("kernel", "Cijk_Alik_Bljk", 10, 4, device=2),
            deviceProperties=[properties(0, "AMD Instinct MI300X VF")],
            hip_runtime_version=60443483,
        )
        (record,) = read(tmp_path, trace)
        assert (record.gpu.memcpy["DtoH"].n, record.gpu.memcpy["DtoH"].bytes) == (1, None)
        device = record.device
        assert (device.name, device.kind) == ("AMD Instinct MI300X VF", "unknown")
        assert device.compute_capability is None
        assert record.notes == ("HIP runtime 6.4.43483.",)


class TestDevices:
    def test_each_device_with_events_is_a_recording(self, tmp_path):
        trace = newer(
            event("kernel", "a", 10, 4, device=1),
            event("kernel", "b", 11, 8, device=0),
            deviceProperties=[properties(0, "first"), properties(1, "second")],
        )
        records = read(tmp_path, trace)
        assert [(one.device.name, one.gpu.compute_us) for one in records] == [
            ("second", 4),
            ("first", 8),
        ]

    def test_a_device_that_is_not_described(self, tmp_path):
        trace = newer(event("kernel", "a", 10, 4, device=0))
        del trace["deviceProperties"]
        assert read(tmp_path, trace)[0].device.name == "not named in the trace"

    def test_collectives_of_a_rank(self, tmp_path):
        trace = newer(
            event("kernel", "a", 10, 4, device=0),
            event("kernel", "ncclDevKernel_AllReduce_Sum_f32(x)", 12, 10, device=0),
            distributedInfo={"backend": "nccl", "rank": 3, "world_size": 8},
        )
        (record,) = read(tmp_path, trace)
        assert record.gpu.exposed_communication_us == 8
        assert record.notes == ("Rank 3 of 8 processes (nccl).",)


LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def calls(*rows, operators="cpu_op", ranges="user_annotation"):
    """A trace of operators given as thread, name, start and duration, and a kernel.

    A name with # is that of a range, whose category differs by dialect.
    """
    return newer(
        *(
            event(ranges if "#" in name else operators, name, start, dur) | {"tid": thread}
            for thread, name, start, dur in rows
        ),
        event("kernel", KERNEL, 5000, 1),
    )


class TestOperatorsOfTheHost:
    ROWS = (
        (1, "ProfilerStep#7", 1000, 1000),
        (1, LOADER, 1000, 300),
        (1, "aten::stack", 1050, 100),
        (1, "aten::cat", 1060, 70),
        (1, "aten::linear", 1400, 100),
        (1, "aten::addmm", 1410, 60),
        (2, "autograd::engine::evaluate_function: AddmmBackward0", 1405, 200),
        (2, "AddmmBackward0", 1410, 150),
        (2, "aten::mm", 1420, 30),
        (2, "aten::mm", 1460, 40),
        (1, "aten::empty", 2500, 9),
    )
    PER_STEP = {
        LOADER: (0.5, 100),
        "AddmmBackward0": (0.5, 40),
        "aten::mm": (1, 35),
        "aten::cat": (0.5, 35),
        "aten::addmm": (0.5, 30),
        "autograd::engine::evaluate_function: AddmmBackward0": (0.5, 25),
        "aten::linear": (0.5, 20),
        "aten::stack": (0.5, 15),
        "aten::relu": (0.5, 2),
    }
    """Of two steps, with the operator of the first that all traces here have."""

    def test_calls_and_self_times_per_step(self, tmp_path):
        (record,) = read(tmp_path, calls(*self.ROWS))
        found = {one.name: (one.n, one.self_us) for one in record.host_operators}
        assert found == self.PER_STEP
        assert (record.run.iterations, record.notes) == (2, ())
        assert [one.name for one in record.host_operators[:2]] == [LOADER, "AddmmBackward0"]

    @pytest.mark.parametrize("thread", [str, int])
    def test_a_dialect_changes_nothing(self, tmp_path, thread):
        rows = [(thread(row[0]), *row[1:]) for row in self.ROWS]
        (record,) = read(tmp_path, calls(*rows, operators="Operator", ranges="Operator"))
        assert {one.name: (one.n, one.self_us) for one in record.host_operators} == self.PER_STEP

    def test_of_the_whole_trace_where_it_marks_no_steps(self, tmp_path):
        trace = calls((1, "aten::mm", 10, 4), (1, "aten::mm", 20, 4))
        trace["traceEvents"] = [
            one for one in trace["traceEvents"] if not one["name"].startswith("ProfilerStep")
        ]
        (record,) = read(tmp_path, trace)
        found = {one.name: (one.n, one.self_us) for one in record.host_operators}
        assert found == {"aten::mm": (2, 8), "aten::relu": (1, 4)}
        assert record.run.iterations is None

    def test_ranges_that_the_user_marks_are_no_operators(self, tmp_path):
        (record,) = read(tmp_path, calls((1, "## forward #", 91, 90)))
        assert [one.name for one in record.host_operators] == ["aten::relu"]

    def test_none_where_the_trace_has_no_operators(self, tmp_path):
        trace = newer(event("kernel", KERNEL, 10, 4))
        trace["traceEvents"] = trace["traceEvents"][-1:]
        assert read(tmp_path, trace)[0].host_operators is None


def test_the_causes_of_idle_time(tmp_path):
    trace = newer(
        event("kernel", KERNEL, 100, 10, correlation=1),
        event("cuda_runtime", "cudaStreamSynchronize", 105, 6) | {"tid": 1},
        event("user_annotation", LOADER, 115, 20) | {"tid": 1},
        event("cuda_runtime", "cudaLaunchKernel", 140, 2, correlation=2) | {"tid": 1},
        event("kernel", KERNEL, 145, 10, correlation=2),
    )
    told = read(tmp_path, trace)[0].gpu.idle_causes
    assert (told.input_us, told.synchronisation_us) == (20, 15)
    assert (told.launch_us, told.other_us) == (0, 0)


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"ts": -5}, "starts at -5 µs"),
            ({"dur": -5}, "takes -5 µs"),
            ({"ts": None}, "ts"),
            ({"dur": "long"}, "dur"),
            ({"dur": 1e30}, "time"),
            ({"name": 7}, "name"),
            ({"args": {"device": "x"}}, "device"),
        ],
    )
    def test_an_event_that_cannot_be(self, tmp_path, change, reason):
        said = refusal(tmp_path, newer(event("kernel", "a", 10, 4) | change))
        assert reason in said
        assert "event, number 3 of its list" in said

    def test_not_a_number(self, tmp_path):
        assert "event, number 3" in refusal(tmp_path, newer(event("kernel", "a", float("nan"), 4)))

    def test_a_trace_that_is_cut_off(self, tmp_path):
        data = gzip.compress(json.dumps(NEWER).encode())
        assert "cut off" in refusal(tmp_path, data[:-20])
        assert "no readable JSON" in refusal(tmp_path, json.dumps(NEWER)[:-20])

    def test_a_trace_without_events_of_a_device(self, tmp_path):
        assert "no event of a device" in refusal(tmp_path, newer())

    def test_events_that_lie_years_apart(self, tmp_path):
        trace = newer(event("kernel", "a", 0, 1), event("kernel", "a", 1.7e15, 1))
        assert "19,676 days apart" in refusal(tmp_path, trace)

    def test_a_trace_of_the_framework_without_a_mark_of_kineto(self, tmp_path):
        said = refusal(tmp_path, {"traceEvents": [event("cpu_op", "aten::relu", 0, 1)]})
        assert "almost PyTorch profiler trace, but it has none of schemaVersion" in said


def brute_force(path):
    """Self time of each operator in steps, in ns per step: duration less those begun later."""
    with gzip.open(path) as stream:
        events = json.load(stream, parse_float=Decimal)["traceEvents"]
    events = [one for one in events if "dur" in one and "gpu" not in one["cat"]]

    def span(one):
        return int(one["ts"] * 1000), int((one["ts"] + one["dur"]) * 1000)

    steps = [span(one) for one in events if one["name"].startswith("ProfilerStep#")]
    operators = [
        (*span(one), one["tid"], one["name"]) for one in events
        if (one.get("cat") in ("cpu_op", "Operator") and "ProfilerStep" not in one["name"])
        or one["name"].startswith(("enumerate(DataLoader)", "Optimizer."))
    ]  # fmt: skip
    order = sorted(operators, key=lambda one: (one[0], -one[1]))
    times = Counter()
    for at, (start, end, thread, name) in enumerate(order):
        if steps and not any(begins <= start <= ends for begins, ends in steps):
            continue
        times[name], reach = times[name] + end - start, start
        for begins, ends, other, _ in order[at + 1 :]:
            if begins >= end:
                break
            if other == thread and min(ends, end) > reach:
                times[name] -= min(ends, end) - max(begins, reach)
                reach = min(ends, end)
    return {name: time / (len(steps) or 1) for name, time in times.items()}


@pytest.mark.parametrize(
    "name",
    [
        "alexnet-a100.kineto.json.gz",
        "bert-small-h100.kineto.json.gz",
        "bert-small-mi300.kineto.json.gz",
        "nccl-rank0.kineto.json.gz",
        "resnet50-v100.kineto2021.json.gz",
    ],
)
def test_self_times_are_those_of_a_count_without_columns(name):
    path = shared(name)
    (record,) = of(path)
    expected = brute_force(path)
    for one in record.host_operators:
        assert one.self_us * 1000 == pytest.approx(expected[one.name], abs=2)
    kept = {one.name for one in record.host_operators}
    least = record.host_operators[-1].self_us * 1000
    assert all(time <= least + 2 for name, time in expected.items() if name not in kept)


class TestRealTraces:
    """Figures that HolisticTraceAnalysis 0.5.0 gives for the same events."""

    def test_alexnet(self):
        (record,) = of(shared("alexnet-a100.kineto.json.gz"))
        gpu = record.gpu
        assert (gpu.compute_us, gpu.copies_us) == (10_630, 55_503)
        assert (gpu.exposed_copies_us, gpu.idle_us, gpu.window_us) == (
            55_511,
            12_854_103,
            12_920_244,
        )
        assert (gpu.memcpy["HtoD"].n, gpu.memcpy["HtoD"].bytes) == (16, 61_100_840 * 4)
        assert round(metrics.compute_copy_efficiency(gpu), 4) == 0.1915
        assert round(metrics.copy_throughput(gpu.memcpy["HtoD"]) / 1e9, 3) == 4.403
        assert (record.device.name, record.run.date) == ("NVIDIA A100-PG509-200", "2023-09-27")

    def test_bert_small_on_two_devices(self):
        (h100,) = of(shared("bert-small-h100.kineto.json.gz"))
        (mi300,) = of(shared("bert-small-mi300.kineto.json.gz"))
        assert (h100.gpu.compute_us, h100.gpu.idle_us) == (307.197, 3598.388)
        assert round(metrics.idle_share(h100.gpu), 2) == 0.92
        assert (mi300.gpu.compute_us, mi300.gpu.idle_us) == (388.344, 3105.228)
        assert (h100.run.date, h100.device.kind) == ("2025-07-18", "cuda")
        assert (mi300.device.name, mi300.device.kind) == ("AMD Instinct MI300X VF", "unknown")

    def test_collectives_of_a_rank(self):
        (record,) = of(shared("nccl-rank0.kineto.json.gz"))
        gpu = record.gpu
        assert gpu.compute_us - gpu.exposed_communication_us == 210_320
        assert gpu.exposed_communication_us + gpu.exposed_copies_us == 337_336
        assert (gpu.idle_us, gpu.window_us) == (675_191, 1_222_847)
        assert set(gpu.memcpy) == {"HtoD", "DtoH", "DtoD"}

    def test_resnet50_starved_by_its_input(self):
        (record,) = of(shared("resnet50-v100.kineto2021.json.gz"))
        gpu = record.gpu
        assert record.run.iterations == 6
        labels = 32 * 8
        assert gpu.memcpy["HtoD"].bytes == 6 * (32 * 3 * 224**2 * 4 + labels)
        assert (gpu.compute_us, gpu.exposed_copies_us, gpu.idle_us) == (591_532, 12_026, 392_919)
        assert round(metrics.idle_share(gpu), 3) == 0.394
        # Counted microsecond by microsecond: idle, and in the loader's range on the host.
        assert gpu.idle_causes.input_us == 286_877
        told = gpu.idle_causes
        assert told.synchronisation_us + told.launch_us + told.other_us == 392_919 - 286_877
