"""`modeldocs bench compare`: verdict, comparability and explained difference of two records."""

from __future__ import annotations

import json
import re

import pytest

from .records import measured, with_blocks, without_steps, write


@pytest.fixture
def pair(folder):
    """Two records, of which the second is 10 % slower."""
    return write(folder, measured(tag="a")), write(folder, measured(1.1, tag="bb"))


def compared(run, *words):
    result = run("bench", "compare", "--json", *words)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_a_slowdown_is_found_and_explained(pair, run):
    found = compared(run, *pair)
    assert found["verdict"]["answer"] == "slower"
    assert found["verdict"]["median"]["ratio"] == pytest.approx(1.1, abs=0.01)
    assert found["comparable"] == "yes"
    assert found["a"]["trust"]["grade"] == "A"
    [explained] = found["explanations"]
    assert [row["name"] for row in explained["rows"]] == ["conv1", "fc", "not attributed"]
    assert sum(row["delta_ns"] for row in explained["rows"]) == explained["delta_ns"]


def printed(text):
    """The column of differences of the table, of which the last is the whole."""
    found = re.findall(r"([+-][\d,]+\.\d{3}) µs", text)
    return [round(float(one.replace(",", "")) * 1000) for one in found]


def test_printed_rows_add_up_to_the_printed_difference(pair, run):
    text = run("bench", "compare", *pair).stdout
    *rows, whole = printed(text)
    assert len(rows) == 3
    assert sum(rows) == whole
    assert text.startswith("slower\n")
    assert "The records are comparable." in text


def test_many_rows_are_one_row_and_still_add_up(folder, run):
    pair = [
        write(folder, with_blocks(measured(tag=tag), {f"b{i}": i * factor for i in range(30)}))
        for tag, factor in (("a", 1.0), ("bb", 1.7))
    ]
    text = run("bench", "compare", *pair).stdout
    *rows, whole = printed(text)
    assert "18 others" in text
    assert len(rows) == 14
    assert sum(rows) == whole


def test_other_work_is_not_judged_and_both_values_are_told(folder, run):
    pair = write(folder, measured(tag="a")), write(folder, measured(batch=64))
    found = compared(run, *pair)
    assert found["verdict"]["answer"] == "cannot tell"
    assert found["verdict"]["reason"] == "The runs differ in batch and input shape."
    assert found["comparable"] == "no"
    [batch] = [one for one in found["conditions"] if one["name"] == "batch"]
    assert (batch["a"], batch["b"]) == ("2", "64")
    text = run("bench", "compare", *pair).stdout
    assert re.search(r"batch +2 +64 +not comparable", text)


def test_a_mean_alone_gives_no_verdict_but_an_explanation(folder, run):
    pair = (
        write(folder, measured(tag="a")),
        write(folder, without_steps(measured(1.1, tag="bb"))),
    )
    found = compared(run, *pair)
    assert found["verdict"]["reason"] == "B has no times of single steps."
    assert [one["whole"] for one in found["explanations"]] == ["mean step"]


def test_files_of_any_name_are_compared(pair, folder, run):
    files = []
    for name, source in zip(("before", "after"), pair, strict=True):
        model, _, stem = source.partition("/")
        data = (folder / "models" / model / "benchmarks" / f"{stem}.json").read_bytes()
        (folder / f"{name}.json").write_bytes(data)
        files.append(f"{name}.json")
    assert compared(run, *files)["a"]["file"] == "before.json"


@pytest.mark.parametrize(
    ("policy", "order", "code"),
    [("slower", 1, 1), ("slower", -1, 0), ("cannot-tell", 1, 0)],
)
def test_a_policy_sets_the_exit_code(pair, run, policy, order, code):
    result = run("bench", "compare", *pair[::order], "--fail-on", policy)
    assert result.exit_code == code
    assert ("fails on slower" in result.stderr) == bool(code)


def test_a_record_that_is_not_there(pair, refused):
    close = pair[0].replace("epyc", "epcy")
    assert f"did you mean {pair[0]}?" in refused("bench", "compare", close, pair[1])
    assert "there is no record 'nothing'" in refused("bench", "compare", "nothing", pair[1])


def test_a_file_that_is_no_record(pair, folder, refused):
    (folder / "other.json").write_text('{"a": 1}')
    message = refused("bench", "compare", "other.json", pair[1])
    assert message.startswith("modeldocs: other.json: not a benchmark record")
