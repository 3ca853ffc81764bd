"""Versions of files in git across renames, and their owners."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import history
from modeldocs.history import Owners
from tests.prototxts import NET
from tests.repositories import History, caffe


@pytest.fixture
def repository(tmp_path: Path) -> History:
    """A port that was added, changed and renamed, beside another one."""
    made, file = History(tmp_path / "repository"), "models/tiny/caffe.prototxt"
    made.commit({file: NET, "models/other/caffe.prototxt": NET}, "Add both")
    made.commit({file: caffe(num_output=8)}, "Widen")
    made.git("mv", "models/tiny", "models/small")
    made.commit(subject="Rename")
    return made


def test_a_file_has_its_versions_from_before_it_was_renamed(repository: History) -> None:
    log = history.read(repository.folder / "models")
    found = log.of([repository.folder / "models/small/caffe.prototxt"])
    assert [(one.kind, one.subject, one.path) for one in found] == [
        ("renamed", "Rename", "models/small/caffe.prototxt"),
        ("changed", "Widen", "models/tiny/caffe.prototxt"),
        ("added", "Add both", "models/tiny/caffe.prototxt"),
    ]
    assert {(one.author, one.date) for one in found} == {("Ada", "2026-01-01")}
    assert found == log.of([repository.folder / "models/small"])
    assert not log.cut


def test_a_folder_in_no_repository_has_no_history(tmp_path: Path) -> None:
    assert history.read(tmp_path).of([tmp_path]) == ()


def test_a_shallow_clone_says_that_it_has_a_part(repository: History, tmp_path: Path) -> None:
    repository.git(
        "clone", "-q", "--depth=1", f"file://{repository.folder}", str(tmp_path / "part")
    )
    log = history.read(tmp_path / "part" / "models")
    assert log.cut and [one.subject for one in log.of([tmp_path / "part/models/small"])] == [
        "Rename"
    ]


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("models/bert/pytorch.py", "@org/language"),
        ("models/vgg/caffe.prototxt", "@org/vision @ada"),
        ("models/vgg/notes.md", "@org/docs"),
        ("README.md", ""),
    ],
)
def test_the_last_rule_that_matches_names_the_owner(path: str, owner: str, tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text(
        "# who looks after what\nmodels/ @org/vision @ada\n/models/bert/ @org/language\n"
        "*.md @org/docs\nREADME.md  # nobody\n"
    )
    assert Owners.read(tmp_path).of(path) == owner
