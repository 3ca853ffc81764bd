"""Results of asv."""

import pytest

from .files import read, refusal

COLUMNS = [
    *("result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b"),
    *("stats_q_25", "stats_q_75", "stats_number", "stats_repeat", "samples", "profile"),
]
STARTED = 1697559305660


def file(*, name="nets.Lenet.time_forward", row=None):
    return {
        "version": 2,
        "commit_hash": "b32d20aa",
        "env_name": "existing",
        "date": 1600000000000,
        "params": {"arch": "x86_64", "cpu": "A processor", "machine": "secret", "os": "Linux 6.1"},
        "python": "3.11",
        "result_columns": COLUMNS,
        "results": {name: row or [[0.002], [], "1f", STARTED, 0.4]},
    }


def test_the_result_in_milliseconds_and_the_day_of_the_run(tmp_path):
    (record,) = read(tmp_path, file())
    assert (record.model.id, record.mean_ms) == ("nets.Lenet.time_forward", 2.0)
    assert (record.run.date, record.run.commit) == ("2023-10-17", "b32d20aa")
    assert record.host.cpu == "A processor"
    assert "secret" not in str(record)


def test_infinite_bounds_of_confidence_which_asv_writes(tmp_path):
    row = [[0.002], [], "1f", STARTED, 0.4, [float("-inf")], [float("inf")]]
    assert read(tmp_path, file(row=row))[0].mean_ms == 2.0


def test_samples_are_steps(tmp_path):
    row = [[0.002], [], "1f", STARTED, 0.4, [0], [1], [0], [1], [1], [2], [[0.001, 0.003]]]
    assert read(tmp_path, file(row=row))[0].step_ms.samples == ((1.0, 3.0),)


def test_each_combination_of_parameters_with_a_result(tmp_path):
    row = [[0.001, None, 0.003, 0.004], [["1", "8"], ["'a'", "'b'"]], "1f", STARTED, 1.0]
    records = read(tmp_path, file(row=row))
    assert [(one.model.id, one.mean_ms) for one in records] == [
        ("nets.Lenet.time_forward(1, 'a')", 1.0),
        ("nets.Lenet.time_forward(8, 'a')", 3.0),
        ("nets.Lenet.time_forward(8, 'b')", 4.0),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (file(name="nets.track_size"), "no result of a benchmark of time"),
        (file(row=[[-1.0], [], "1f", STARTED, 1.0]), ">= 0"),
        (file(row=["x"]), "wrong field"),
        (file() | {"results": {"a.time_b": None}}, "wrong field"),
        ({"result_columns": [], "results": {}}, "it lacks commit_hash"),
    ],
)
def test_refused(tmp_path, content, reason):
    assert reason in refusal(tmp_path, content)
