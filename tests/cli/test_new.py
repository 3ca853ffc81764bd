"""`modeldocs new`: a first catalog, made where nothing is in the way."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from modeldocs import verdict
from modeldocs.site.catalog.port_states import STATES

FILES = {
    ".gitignore",
    "README.md",
    "mkdocs.yml",
    "docs/about.md",
    "docs/reading.md",
    "models/tiny-cnn/caffe.prototxt",
    "models/tiny-cnn/model.yml",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", ["catalog", "deep/er", 'it\'s: <a> "net" # 1', "ünï", "yes"])
def test_makes_a_catalog_named_after_its_folder(run, tmp_path, name):
    assert run("new", name).exit_code == 0
    assert files_in(tmp_path / name) == FILES
    settings = yaml.safe_load((tmp_path / name / "mkdocs.yml").read_text("utf-8"))
    assert settings["site_name"] == Path(name).name


def test_says_what_to_type_next(run):
    assert run("new", "two words").stdout.endswith("next: cd 'two words' && modeldocs build\n")


def test_its_page_on_reading_has_the_words_and_signs_of_verdicts_and_states(run, tmp_path):
    run("new", "catalog")
    text = (tmp_path / "catalog" / "docs" / "reading.md").read_text("utf-8")
    told = [*verdict.STEPS, *STATES.values()]
    assert all(f"| {one.sign} {one.word} | {one.meaning} |" in text for one in told)
    assert text.count("\n| ") == len(told) + 2  # two tables, with a head each


def test_into_the_current_folder(run, tmp_path):
    assert run("new", ".").stdout.endswith("\nnext: modeldocs build\n")
    assert files_in(tmp_path) == FILES


def test_leaves_other_files_alone(run, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert run("new", ".").exit_code == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_writes_nothing_where_one_of_its_files_is_there_already(refused, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "README.md").write_text("mine")
    assert "a: README.md exists already\n  fix: choose another folder" in refused("new", "a")
    assert files_in(tmp_path / "a") == {"README.md"}


def test_a_gitignore_that_is_there_stays(run, tmp_path):
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert "kept .gitignore: add .modeldocs/ and site/ to it" in run("new", ".").stdout
    assert (tmp_path / ".gitignore").read_text() == "*.log\n"
    assert files_in(tmp_path) == FILES


def test_a_file_is_no_folder(refused, tmp_path):
    (tmp_path / "a").write_text("")
    assert "'a' is a file" in refused("new", "a")
    assert "Not a directory" in refused("new", "a/b")


def test_what_it_makes_builds(run, tmp_path, monkeypatch):
    run("new", "catalog")
    monkeypatch.chdir(tmp_path / "catalog")
    result = run("build", "--strict", "--jobs", "1")
    assert result.exit_code == 0
    assert "1 model, 1 port, 0 diffs, 0 records, 0 failures; 1 loaded now" in result.stdout
    assert (tmp_path / "catalog" / "site" / "index.html").exists()
    made = {path.name for path in (tmp_path / "catalog").iterdir()}
    ignored = (tmp_path / "catalog" / ".gitignore").read_text().split()
    assert {"/site/", ".modeldocs/"} <= set(ignored)
    assert made == {*(name.split("/")[0] for name in FILES), "site", ".modeldocs"}


def test_its_site_has_tabs_and_a_switch_between_light_and_dark(run, tmp_path):
    run("new", "catalog")
    settings = yaml.safe_load((tmp_path / "catalog" / "mkdocs.yml").read_text("utf-8"))
    theme = settings["theme"]
    assert "navigation.tabs" in theme["features"]
    assert [one["scheme"] for one in theme["palette"]] == ["default", "slate"]
    assert all(one["toggle"]["name"] for one in theme["palette"])
    assert {"How to read these pages": "reading.md"} in settings["nav"]
