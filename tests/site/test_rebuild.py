"""Building again: what nothing changed is left as it is, and what changed is made anew."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest
import yaml
from click.testing import CliRunner

from modeldocs.cli import main
from modeldocs.site import build as builds
from modeldocs.site.build import Built
from modeldocs.site.incremental import stored_pages
from modeldocs.site.settings import Settings
from tests.repositories import caffe

Build = Callable[..., set[str]]
CONFIG = {"site_name": "Models", "theme": {"name": "material"}, "plugins": ["search", "modeldocs"]}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tasks_here: None) -> Path:
    """A project of two models, the first with two ports, built once."""
    for name in ("a/one", "a/two", "b/one"):
        file = tmp_path / "models" / f"{name}.prototxt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(caffe())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "about.md").write_text("# About")
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(CONFIG))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def build(project: Path) -> Build:
    """`build()`: the files of the site that a build writes."""

    def run() -> set[str]:
        before = times(project / "site")
        result = CliRunner().invoke(main, ["build"])
        assert result.exit_code == 0, result.output
        after = times(project / "site")
        return {name for name in after if after[name] != before.get(name)}

    return run


class TestSite:
    def test_nothing_is_written_where_nothing_changed(self, build: Build) -> None:
        assert "models/a/index.html" in build()
        assert build() == set()

    def test_a_page_of_the_project_that_changed(self, build: Build, project: Path) -> None:
        build()
        (project / "docs" / "about.md").write_text("# About us")
        assert "about/index.html" in build()
        assert build() == set()

    def test_the_configuration_that_changed(self, build: Build, project: Path) -> None:
        build()
        (project / "mkdocs.yml").write_text(yaml.safe_dump(CONFIG | {"site_name": "Nets"}))
        assert "index.html" in build()

    def test_a_file_of_the_site_that_is_gone(self, build: Build, project: Path) -> None:
        build()
        (project / "site" / "models" / "a" / "index.html").unlink()
        assert "models/a/index.html" in build()

    def test_other_plugins_may_read_anything(self, build: Build, project: Path) -> None:
        (project / "mkdocs.yml").write_text(
            yaml.safe_dump(CONFIG | {"plugins": ["search", "tags", "modeldocs"]})
        )
        build()
        assert "index.html" in build()


class TestPages:
    @pytest.fixture
    def written_now(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
        """The models whose pages a build makes, and the paths of all pages."""

        def run() -> set[str]:
            built = builds.build(project, Settings(jobs=1, parity=False))
            made: set[str] = set()
            original = stored_pages._write_model

            def note(one: Built, model, *rest):
                made.add(model.id)
                return original(one, model, *rest)

            monkeypatch.setattr(stored_pages, "_write_model", note)
            paths = stored_pages.write(built, "index.md", stored_pages.WrittenCache()).paths
            monkeypatch.setattr(stored_pages, "_write_model", original)
            assert {page.path for page in built.pages()} == {
                path for path in paths if not path.startswith("assets/")
            }
            return made

        return run

    def test_only_the_model_that_changed_is_made_again(
        self, project: Path, written_now: Callable[[], set[str]]
    ) -> None:
        assert written_now() == {"a", "b"}
        assert written_now() == set()
        (project / "models" / "a" / "one.prototxt").write_text(caffe(kernel_size=5))
        assert written_now() == {"a"}

    def test_pages_are_those_that_a_fresh_store_gives(
        self, project: Path, written_now: Callable[[], set[str]]
    ) -> None:
        written_now()
        (project / "models" / "a" / "one.prototxt").write_text(caffe(kernel_size=5))
        (project / "models" / "b" / "model.yml").write_text("title: Other")
        written_now()
        pages = contents(project / ".modeldocs" / "pages")
        (project / ".modeldocs" / "written.msgpack").unlink()
        assert written_now() == {"a", "b"}
        assert contents(project / ".modeldocs" / "pages") == pages

    def test_pages_made_in_processes_are_the_same(
        self, project: Path, written_now: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written_now()
        pages, late = (contents(project / ".modeldocs" / name) for name in ("pages", "late"))
        (project / ".modeldocs" / "written.msgpack").unlink()
        shutil.rmtree(project / ".modeldocs" / "pages")
        monkeypatch.setattr(stored_pages, "_MANY", 2)
        built = dataclasses.replace(builds.build(project, Settings(parity=False)), jobs=2)
        monkeypatch.setattr(stored_pages, "_write_model", None)  # not in this process
        stored_pages.write(built, "index.md", stored_pages.WrittenCache())
        assert contents(project / ".modeldocs" / "pages") == pages
        assert contents(project / ".modeldocs" / "late") == late

    def test_what_cannot_be_made_in_a_process_says_why(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (project / "templates").mkdir()
        (project / "templates" / "model.md.j2").write_text("{{ absent }}")
        monkeypatch.setattr(stored_pages, "_MANY", 2)
        built = dataclasses.replace(builds.build(project, Settings(parity=False)), jobs=2)
        with pytest.raises(jinja2.UndefinedError, match="absent"):
            stored_pages.write(built, "index.md", stored_pages.WrittenCache())

    def test_a_page_that_is_gone_or_other_is_made_again(
        self, project: Path, written_now: Callable[[], set[str]]
    ) -> None:
        written_now()
        page = project / ".modeldocs" / "pages" / "models" / "b" / "index.md"
        page.write_text("other")
        assert written_now() == {"b"}
        assert page.read_text() != "other"

    def test_a_new_title_reaches_the_neighbours(
        self, project: Path, written_now: Callable[[], set[str]]
    ) -> None:
        written_now()
        (project / "models" / "b" / "model.yml").write_text("title: Other")
        assert written_now() == {"a", "b"}

    def test_pages_of_a_model_that_is_gone_go(
        self, project: Path, written_now: Callable[[], set[str]]
    ) -> None:
        written_now()
        (project / "models" / "b" / "one.prototxt").unlink()
        written_now()
        assert not (project / ".modeldocs" / "pages" / "models" / "b").exists()


def times(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in files}


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
