"""`modeldocs history`: what changed in a port, when and by whom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import History, caffe

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("load command")]

FILE = "models/net/caffe.prototxt"


@pytest.fixture
def repository(folder: Path) -> History:
    """The catalog in a repository: its port was widened, reformatted and broken."""
    made = History(folder)
    made.commit({FILE: caffe()}, "Add")
    made.commit({FILE: caffe(num_output=8)}, "Widen")
    made.commit({FILE: caffe(num_output=8) + "\n# a remark\n"}, "Remark")
    made.commit({FILE: "layer {"}, "Break")
    return made


@pytest.mark.usefixtures("repository")
def test_each_version_is_compared_with_the_one_before(run) -> None:
    result = run("history", FILE)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    heads = [line for line in lines if line.startswith("2026-01-01")]
    assert [line.split("Ada: ")[1] for line in heads] == ["Break", "Remark", "Widen", "Add"]
    broken, remark, widen, add = (lines.index(head) for head in heads)
    assert lines[broken + 1].startswith("  could not be compared: ")
    assert lines[remark + 1] == "  ≟ nothing of the network changed"
    assert lines[widen + 1].startswith("  ≠ ")
    assert any("4 → 8" in line for line in lines[widen:add])
    assert lines[add + 1] == "  added"


@pytest.mark.usefixtures("repository")
def test_a_port_of_the_catalog_is_named_as_everywhere_and_fewer_versions_are_asked_for(run) -> None:
    result = run("history", "net/caffe", "--limit", "2", "--log-only")
    assert [line.split("Ada: ")[1] for line in result.stdout.splitlines()[:2]] == [
        "Break",
        "Remark",
    ]
    assert "2 older versions" in result.stdout


@pytest.mark.usefixtures("repository")
def test_json_has_the_commits_and_the_changes(run) -> None:
    found = json.loads(run("history", FILE, "--json").stdout)
    assert [one["version"]["subject"] for one in found] == ["Break", "Remark", "Widen", "Add"]
    assert [one["step"] for one in found] == ["", "by-structure", "different-results", ""]


@pytest.mark.usefixtures("repository")
def test_without_a_source_every_port_is_told_and_nothing_is_compared_again(
    run, monkeypatch
) -> None:
    first = run("history")
    assert "net/caffe" in first.stdout.splitlines()
    assert "  ≠ " in first.stdout

    def compare_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("modeldocs.tasks.ports.Ports.diff", compare_again)
    assert run("history").stdout == first.stdout


def test_the_owner_is_whom_the_model_names_else_whom_codeowners_does(repository, run) -> None:
    repository.commit({"CODEOWNERS": "models/ @org/all\n"}, "Own")
    assert "owner: @org/all" in run("history", "net/caffe", "--log-only").stdout
    repository.commit({"models/net/model.yml": "owner: vision team\n"}, "Name")
    assert "owner: vision team" in run("history", "net/caffe", "--log-only").stdout


def test_a_file_that_git_does_not_know_is_refused(folder: Path, refused) -> None:
    History(folder)
    assert "git has no version of it" in refused("history", FILE)
