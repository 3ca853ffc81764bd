"""JSON of trtexec."""

import pytest

from .files import read, refusal


def query(latency, compute):
    return {"startEnqMs": 0.2, "endEnqMs": 1.0, "h2dMs": 0.1, "computeMs": compute, "d2hMs": 0.1,
            "latencyMs": latency}  # fmt: skip


TIMES = [query(1.2, 1.0), query(1.4, 1.25)]
PROFILE = [
    {"count": 200},
    {"name": "conv1 + relu1", "timeMs": 40.0, "averageMs": 0.2, "medianMs": 0.19, "percentage": 80},
    {"name": "fc", "timeMs": 10.0, "averageMs": 0.05, "percentage": 20},
]


def test_times_of_queries(tmp_path):
    (record,) = read(tmp_path, TIMES)
    assert record.step_ms.samples == ((1.2, 1.4),)
    assert record.device_ms.samples == ((1.0, 1.25),)
    assert (record.software.framework, record.run.task) == ("TensorRT", "inference")
    assert record.blocks is None


def test_layers_have_the_median_of_a_query_else_the_mean(tmp_path):
    (record,) = read(tmp_path, PROFILE)
    assert [(one.path, one.forward_us) for one in record.blocks] == [
        ("conv1 + relu1", 190),
        ("fc", 50),
    ]
    assert (record.method.steps, record.step_ms) == (200, None)


def test_a_total_is_divided_by_the_number_of_queries(tmp_path):
    layer = {"name": "fc", "timeMs": 10.0, "percentage": 20}
    assert read(tmp_path, [{"count": 200}, layer])[0].blocks[0].forward_us == 50
    assert read(tmp_path, [layer])[0].blocks[0].forward_us is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([query(-1.0, 1.0)], ">= 0"),
        ([query(1.0, float("nan"))], "wrong field"),
        ([query(1.0, "x")], "wrong field"),
        ([TIMES[0], 7], "wrong field"),
        ([{"count": 0}, PROFILE[1]], "wrong field"),
        ([{"computeMs": 1.0}], "lacks latencyMs"),
    ],
)
def test_refused(tmp_path, content, reason):
    assert reason in refusal(tmp_path, content)
