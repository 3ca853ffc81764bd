"""`modeldocs bench list`: the records of the catalog, in groups that are comparable."""

from __future__ import annotations

import json

import msgspec

from modeldocs.benchmarks.ddp import Ddp

from .records import measured, write


def listed(run, *words):
    result = run("bench", "list", "--json", *words)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_each_record_is_listed_with_its_grade_and_reasons(folder, run):
    name = write(folder, measured())
    [entry] = listed(run)
    assert entry["file"] == f"models/net/benchmarks/{name.removeprefix('net/')}.json"
    assert (entry["model"], entry["port"], entry["task"]) == ("net", "caffe", "inference")
    assert (entry["batch"], entry["precision"], entry["date"]) == (2, "float32", "2026-11-20")
    assert abs(entry["step_ms"] - 10) < 0.1
    assert abs(entry["samples_per_second"] - 200) < 2
    assert (entry["grade"], entry["reasons"]) == ("A", [])


def test_records_of_other_work_are_apart_and_the_fastest_of_a_group_is_first(folder, run):
    for made in (measured(1.5, tag="slow"), measured(tag="wide", batch=64), measured(tag="a")):
        write(folder, made)
    assert [(one["group"], one["batch"], one["file"].split("-")[-1]) for one in listed(run)] == [
        (1, 2, "a.json"),
        (1, 2, "slow.json"),
        (2, 64, "wide.json"),
    ]


def test_data_parallel_runs_are_apart_and_told_with_their_workers(folder, run):
    write(folder, measured())
    write(folder, msgspec.structs.replace(measured(tag="ddp2"), ddp=Ddp(world=2)))
    assert [(one["group"], one["workers"]) for one in listed(run)] == [(1, 2), (2, 1)]
    assert "2 workers" in " ".join(run("bench", "list").stdout.split())


def test_a_run_of_several_workers_is_compared_with_none_of_one(folder, run):
    write(folder, measured(tag="one"))
    write(folder, msgspec.structs.replace(measured(tag="ddp2"), ddp=Ddp(world=2)))
    told = run("bench", "compare", "net/one", "net/ddp2")
    assert "The runs differ in world" in told.stdout


def test_the_table_names_what_the_json_has(folder, run):
    write(folder, measured())
    text = run("bench", "list").stdout
    for word in ("net", "caffe", "inference", "float32", "AMD EPYC(R) 9,000", "2026-11-20"):
        assert word in text


def test_a_tag_stands_for_the_name_of_a_record(folder, run):
    write(folder, measured(tag="before"))
    write(folder, measured(1.5, tag="after"))
    assert [one["name"] for one in listed(run)] == ["before", "after"]
    assert "net/before" not in run("bench", "compare", "net/before", "net/after").stderr


def test_it_filters_by_model_and_device(folder, run):
    write(folder, measured())
    assert len(listed(run, "--model", "net", "--device", "amd")) == 1
    assert listed(run, "--device", "H100") == []
    assert run("bench", "list", "--device", "H100").stdout == "no records\n"


def test_a_model_that_is_not_there(folder, refused):
    assert "there is no model 'nat'" in refused("bench", "list", "--model", "nat")


def test_a_broken_record_is_told_and_the_others_are_listed(folder, run):
    write(folder, measured())
    (folder / "models/net/benchmarks/20260101-broken.json").write_text("{")
    result = run("bench", "list", "--json")
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)) == 1
    assert "20260101-broken.json" in result.stderr


def test_no_catalog(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    assert "the catalog's folder does not exist" in refused("bench", "list")
