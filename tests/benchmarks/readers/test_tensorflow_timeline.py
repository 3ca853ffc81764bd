"""Timelines of TensorFlow 1."""

import pytest

from .files import read, refusal

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
DAY_US = 1_471_000_000_000_000
"""A time on 2016-08-12."""


def line(pid, name):
    return {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{name} Compute"}}


def event(pid, name, start, dur, label=None):
    return {"ph": "X", "cat": "Op", "name": name, "pid": pid, "tid": 0, "ts": DAY_US + start,
            "dur": dur, "args": {"name": label or f"conv1/{name}", "op": name}}  # fmt: skip


LINES = [
    line(1, "/job:localhost/replica:0/task:0/device:CPU:0"),
    line(2, GPU),
    line(3, f"{GPU}/memcpy"),
    line(4, f"{GPU}/stream:all"),
    line(5, f"{GPU}/stream:13"),
]
COPY = "MEMCPYHtoD 4096 bytes (Pageable to Device)"
TIMELINE = {
    "traceEvents": [
        *LINES,
        event(1, "Const", 0, 3),
        event(2, "Conv2D", 0, 900),
        event(3, "MEMCPYHtoD", 10, 5, COPY),
        event(5, "MEMCPYHtoD", 10, 5, COPY),
        event(4, "Conv2D", 20, 30),
        event(5, "Conv2D", 20, 30),
        event(4, "MatMul", 60, 1),
        event(5, "MatMul", 60, 1),
    ]
}


def test_an_event_that_stands_in_two_lines_counts_once(tmp_path):
    (record,) = read(tmp_path, TIMELINE)
    gpu = record.gpu
    assert (gpu.window_us, gpu.compute_us, gpu.copies_us, gpu.idle_us) == (51, 31, 5, 15)
    assert [(one.name, one.n) for one in gpu.kernels] == [("Conv2D", 1), ("MatMul", 1)]
    assert gpu.concurrent_kernels_us == 0


def test_a_copy_in_the_line_of_all_streams_counts_once_too(tmp_path):
    events = [*TIMELINE["traceEvents"], event(4, "MEMCPYHtoD", 10, 5, COPY)]
    assert read(tmp_path, {"traceEvents": events})[0].gpu == read(tmp_path, TIMELINE)[0].gpu


def test_the_label_of_a_copy_tells_its_bytes(tmp_path):
    (record,) = read(tmp_path, TIMELINE)
    copies = record.gpu.memcpy["HtoD"]
    assert (copies.n, copies.bytes, copies.us) == (1, 4096, 5)


def test_without_the_label_the_bytes_are_unknown(tmp_path):
    text = str(TIMELINE).replace("4096 bytes", "").replace("'", '"')
    assert read(tmp_path, text)[0].gpu.memcpy["HtoD"].bytes is None


def test_lines_of_streams_serve_where_there_is_none_of_all(tmp_path):
    events = [one for one in TIMELINE["traceEvents"] if one["pid"] != 4]
    assert read(tmp_path, {"traceEvents": events})[0].gpu == read(tmp_path, TIMELINE)[0].gpu


def test_names_of_the_first_version(tmp_path):
    text = str(TIMELINE).replace(GPU, "/gpu:0").replace("'", '"')
    assert read(tmp_path, text)[0].gpu == read(tmp_path, TIMELINE)[0].gpu


def test_the_day_and_the_precision(tmp_path):
    (record,) = read(tmp_path, TIMELINE)
    assert (record.run.date, record.software.framework) == ("2016-08-12", "TensorFlow")
    assert "1 for shorter ones" in record.provenance.rounding


def test_operators_of_the_host_stand_on_the_lines_of_devices_and_not_of_streams(tmp_path):
    (record,) = read(tmp_path, TIMELINE)
    found = [(one.name, one.n, one.self_us) for one in record.host_operators]
    assert found == [("Conv2D", 1, 900), ("Const", 1, 3)]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([*LINES, event(4, "Conv2D", 0, -1)], "takes -1 µs"),
        ([*LINES, event(4, "Conv2D", 0, 1) | {"pid": "x"}], "number 5"),
        (LINES, "no event of a device"),
        (LINES[:1], "almost TensorFlow timeline, but it has no line of a GPU"),
    ],
)
def test_refused(tmp_path, events, reason):
    assert reason in refusal(tmp_path, {"traceEvents": events})
