"""JSON of pytest-benchmark."""

import pytest

from .files import read, refusal


def file(**stats):
    return {
        "machine_info": {
            "node": "secret",
            "system": "Linux",
            "release": "6.1",
            "python_version": "3.11.2",
            "cpu": {"brand_raw": "A processor", "count": 8},
        },
        "commit_info": {"id": "abc123", "dirty": True},
        "benchmarks": [
            {
                "name": "test_lenet[1]",
                "fullname": "tests/test_lenet.py::test_lenet[1]",
                "params": {"batch": 1},
                "stats": {"mean": 0.002, "rounds": 3, "median": 0.0019, **stats},
            }
        ],
        "datetime": "2026-03-04T12:00:00.000000",
        "version": "5.1.0",
    }


def test_every_round_is_a_step_where_they_are_kept(tmp_path):
    (record,) = read(tmp_path, file(data=[0.001, 0.002, 0.003]))
    assert record.step_ms.samples == ((1.0, 2.0, 3.0),)
    assert record.mean_ms is None


def test_else_the_mean(tmp_path):
    (record,) = read(tmp_path, file())
    assert (record.mean_ms, record.step_ms, record.method.steps) == (2.0, None, 3)


def test_the_run_and_the_machine_without_its_name(tmp_path):
    (record,) = read(tmp_path, file())
    assert (record.model.id, record.run.date) == ("test_lenet[1]", "2026-03-04")
    assert (record.run.commit, record.run.dirty) == ("abc123", True)
    host = record.host
    assert (host.cpu, host.os, host.logical_cores) == ("A processor", "Linux 6.1", 8)
    assert "secret" not in str(record)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (file(mean=-1), ">= 0"),
        (file(data=["x"]), "wrong field"),
        (file(data=[float("inf")]), "wrong field"),
        (file() | {"benchmarks": []}, "holds no benchmark"),
        ({"commit_info": {}, "benchmarks": []}, "it lacks machine_info"),
    ],
)
def test_refused(tmp_path, content, reason):
    assert reason in refusal(tmp_path, content)
