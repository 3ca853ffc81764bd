"""Pages that MkDocs need not render again: the site is the same as if it had rendered all."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from modeldocs.site.incremental.rendering import Rendering
from modeldocs.site.project import build_site, configure
from tests.repositories import caffe
from tests.serial import tasks_here

CONFIG = {
    "site_name": "Models",
    "site_url": "https://example.org/under/",
    "theme": {"name": "material", "font": False, "custom_dir": "theme"},
    "plugins": ["search", {"modeldocs": {"parity": False}}],
    "markdown_extensions": ["admonition", "attr_list", "md_in_html", "tables"],
}
TEMPLATE = '{% extends "base.html" %}{% block extrahead %}<!-- one -->{% endblock %}'
ABOUT = "# About\n\nThe [first](models/a/index.md#nowhere), and [none](nowhere.md).\n"


class Project:
    """A catalog with a theme and pages of its own."""

    is_served = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.before: dict[str, Rendering | None] = {}
        """What a server that builds into a folder again and again remembers, by that folder."""

    def begin(self) -> None:
        for name in ("a/one", "a/two", "b/one", "c/one"):
            self.write(f"models/{name}.prototxt", caffe())
        self.write("models/b/model.yml", "title: Second\nsummary: See [a](../a/index.md).\n")
        self.write("docs/about.md", ABOUT)
        self.write("docs/guide/first.md", "# Guide\n")
        self.write("theme/main.html", TEMPLATE)
        self.configure()

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def remove(self, name: str) -> None:
        file = self.folder / name
        shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)

    def configure(self, **changes: object) -> None:
        self.write("mkdocs.yml", yaml.safe_dump(CONFIG | changes))

    def build(self, out: str = "site", store: str = ".modeldocs") -> set[str]:
        """Build the site; returns the sources of our pages that were rendered."""
        config, site = configure(self.folder / "mkdocs.yml", out=self.folder / out, store=store)
        site._before = self.before.get(out)
        with tasks_here():
            build_site(config, site)
        self.before[out] = site._rendering if self.is_served else None
        kept = {file.src_uri for file in site._rendering.kept}
        return {path for path in site._paths if path.endswith(".md")} - kept

    def pages(self) -> set[str]:
        """The sources of all of our pages."""
        folder = self.folder / ".modeldocs" / "pages"
        return {str(file.relative_to(folder)) for file in folder.rglob("*.md")}

    def fresh(self) -> dict[str, bytes]:
        """The site as it is where nothing was kept."""
        (self.folder / "fresh-store" / "rendered.msgpack").unlink(missing_ok=True)
        self.build("fresh", "fresh-store")
        return contents(self.folder / "fresh")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Project(tmp_path_factory.mktemp("project"))
    project.begin()
    project.build()
    project.fresh()
    return project.folder


@pytest.fixture
def project(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, built once with either store; times of files are those of the first build."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")  # a theme shows it on the home page
    return Project(shutil.copytree(built, tmp_path / "project"))


class TestWhatIsRendered:
    def test_the_home_page_alone_where_nothing_changed(self, project: Project) -> None:
        assert project.build() == {"index.md"}

    def test_pages_of_the_model_that_changed(self, project: Project) -> None:
        project.write("models/b/one.prototxt", caffe(kernel_size=5))
        rendered = project.build()
        assert "models/b/ports/one/index.md" in rendered
        assert not any(path.startswith(("models/a/", "models/c/")) for path in rendered)

    def test_no_page_of_ours_where_a_page_of_the_project_changed(self, project: Project) -> None:
        project.write("docs/about.md", ABOUT + "More words.\n")
        assert project.build() == {"index.md"}
        assert b"More words" in (project.folder / "site" / "about" / "index.html").read_bytes()

    @pytest.mark.parametrize(
        "change",
        [
            lambda project: project.configure(site_name="Nets"),
            lambda project: project.configure(use_directory_urls=False),
            lambda project: project.write("theme/main.html", TEMPLATE.replace("one", "two")),
            lambda project: project.write("docs/about.md", "# Another title in the navigation\n"),
            lambda project: project.write("docs/more.md", "# One more page in the navigation\n"),
            lambda project: project.write(
                "docs/about.md", "---\nicon: material/abacus\n---\n# About"
            ),
        ],
    )
    def test_all_where_something_changed_that_all_show(
        self, project: Project, change: Callable[[Project], None]
    ) -> None:
        change(project)
        assert project.build() == project.pages()
        assert contents(project.folder / "site") == project.fresh()

    def test_all_where_it_is_not_known_what_they_show(self, project: Project) -> None:
        project.configure(plugins=[*CONFIG["plugins"], "tags"])
        project.build()
        assert project.build() == project.pages()
        project.configure()
        project.write("theme/main.html", TEMPLATE.replace("<!-- one -->", "{{ pages | length }}"))
        project.build()
        assert project.build() == project.pages()

    def test_a_page_whose_kept_file_was_changed(self, project: Project) -> None:
        project.build()
        with (project.folder / "site" / "models" / "a" / "index.html").open("a") as page:
            page.write("<!-- changed in the site -->")
        assert project.build() == {"index.md", "models/a/index.md"}
        assert contents(project.folder / "site") == project.fresh()


def test_a_server_leaves_files_where_they_are(project: Project) -> None:
    project.is_served = True
    project.build()
    page = project.folder / "site" / "models" / "a" / "index.html"
    before = page.parent.stat().st_ino
    project.write("docs/models/b/words.md", "# Words")
    project.build()
    assert page.parent.stat().st_ino == before
    project.remove("docs/models")
    project.write("models/c/one.prototxt", caffe(kernel_size=5))
    project.build()
    assert page.parent.stat().st_ino == before
    assert contents(project.folder / "site") == project.fresh()


def test_a_site_needs_no_more_space_for_what_is_kept(project: Project) -> None:
    project.build()
    assert (project.folder / "site" / "models" / "a" / "index.html").stat().st_nlink == 2


def test_broken_links_of_the_project_are_told_each_time(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        caplog.clear()
        with caplog.at_level("INFO", "mkdocs"):
            project.build()
        assert "contains a link 'nowhere.md'" in caplog.text
        assert "does not contain an anchor '#nowhere'" in caplog.text


EDITS: list[Callable[[Project, random.Random], None]] = [
    lambda p, r: p.write("models/a/one.prototxt", caffe(kernel_size=r.choice((3, 5, 7)))),
    lambda p, r: p.write("models/b/one.prototxt", caffe(kernel_size=r.choice((3, 5, 7)))),
    lambda p, r: p.write("models/b/model.yml", f"title: Second\nsummary: Number {r.random()}.\n"),
    lambda p, r: p.write("models/b/model.yml", "title: Third\nsummary: See [d](../d/index.md).\n"),
    lambda p, r: p.write("models/d/new.prototxt", caffe(kernel_size=r.choice((3, 5)))),
    lambda p, r: p.remove("models/d"),
    lambda p, r: p.write("docs/about.md", ABOUT + str(r.random())),
    lambda p, r: p.write("docs/about.md", f"# {r.random()}\n"),
    lambda p, r: p.write("docs/models/a/index.md", "# Hidden by the page of the model"),
    lambda p, r: p.write("docs/picture.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    lambda p, r: p.configure(site_name=f"Nets {r.random()}"),
    lambda p, r: p.configure(use_directory_urls=False),
    lambda p, r: p.configure(nav=["index.md", {"A": "models/a/index.md"}, "about.md"]),
    lambda p, r: p.configure(plugins=[{"material/search": {}}, CONFIG["plugins"][1]]),
    lambda p, r: p.configure(theme={"name": "mkdocs"}),
    lambda p, r: p.write("theme/main.html", TEMPLATE.replace("one", str(r.random()))),
    lambda p, r: p.write("templates/parts/nothing.html.j2", str(r.random())),
]


@pytest.mark.parametrize("seed", range(4))
def test_edits_one_after_another_give_the_site_that_a_fresh_build_gives(
    project: Project, seed: int
) -> None:
    draw = random.Random(seed)
    project.is_served = seed % 2 == 1
    for _ in range(5):
        for edit in draw.sample(EDITS, draw.choice((1, 1, 2))):
            edit(project, draw)
        project.build()
        assert contents(project.folder / "site") == project.fresh()


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
