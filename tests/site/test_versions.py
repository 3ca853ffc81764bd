"""Versions of a site by mike, as the guide describes them, with previews beside them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page

from tests.commands import run_here
from tests.repositories import History, caffe

pytestmark = [pytest.mark.slow, pytest.mark.browser]

BIN = Path(sys.executable).parent
SITE_URL = "https://example.org/sub/"


class Published:
    """A catalog in a repository, and the branch of its sites at a bare remote."""

    def __init__(self, folder: Path) -> None:
        self.bare = folder / "bare.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.bare], check=True)
        self.catalog = History(folder / "catalog")
        self.catalog.git("remote", "add", "origin", str(self.bare))
        self.catalog.git("config", "user.name", "Ada")
        self.catalog.git("config", "user.email", "ada@example.org")
        self.run("modeldocs", "new", ".")
        settings = self.catalog.folder / "mkdocs.yml"
        with settings.open("a") as file:
            file.write("\nextra: {version: {provider: mike}}\n")
        text = re.sub(r"(?m)^#? ?site_url:.*\n", "", settings.read_text())
        settings.write_text(f"site_url: {SITE_URL}\n{text}")
        self.catalog.commit()

    def run(self, *words: str) -> str:
        """The output of a command of the environment in the catalog's folder."""
        if words[0] == "modeldocs":
            process = run_here(*words[1:], cwd=self.catalog.folder)
        else:
            process = subprocess.run(
                [BIN / words[0], *words[1:]] if words[0] != "git" else words,
                cwd=self.catalog.folder,
                env={**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]])},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    def tree(self, path: str) -> str:
        """The name of what the branch holds at a path: equal as long as that is the same."""
        return subprocess.run(
            ["git", "-C", self.bare, "rev-parse", f"gh-pages:{path}"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip

    def checkout(self, folder: Path) -> Path:
        words = ["clone", "-q", "--branch", "gh-pages", self.bare, folder]
        subprocess.run(["git", *words], check=True)
        return folder


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Version 1.0, a preview beside it, and version 2.0 with one more model."""
    folder = tmp_path_factory.mktemp("versions")
    made = Published(folder)
    made.run("mike", "deploy", "--push", "--update-aliases", "1.0", "latest")
    made.run("mike", "set-default", "--push", "latest")
    first = made.tree("1.0")
    preview = folder / "preview"
    preview.mkdir()
    (preview / "index.html").write_text("<h1>A preview</h1>")
    made.run("modeldocs", "ci", "publish", str(preview), "--to", "previews/12")
    assert made.tree("1.0") == first
    made.catalog.commit({"models/later/caffe.prototxt": caffe()})
    made.run("git", "fetch", "--quiet", "--force", "origin", "gh-pages:gh-pages")
    made.run("mike", "deploy", "--push", "--update-aliases", "2.0", "latest")
    assert made.tree("1.0") == first
    return made


@pytest.fixture(scope="module")
def sub(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is at the path /sub/ of a static host."""
    return published.checkout(tmp_path_factory.mktemp("www") / "sub")


def test_versions_are_listed_newest_first(published: Published, sub: Path) -> None:
    assert published.run("mike", "list").split("\n") == ["2.0 [latest]", "1.0", ""]
    listed = json.loads((sub / "versions.json").read_text())
    assert [(one["version"], one["aliases"]) for one in listed] == [
        ("2.0", ["latest"]), ("1.0", []),
    ]  # fmt: skip
    assert 'url=latest/"' in (sub / "index.html").read_text().replace("'", '"')


def test_each_version_has_its_own_models(sub: Path) -> None:
    def models(version: str) -> set[str]:
        catalog = json.loads((sub / version / "catalog.json").read_text())
        return {Path(model["page"]).parent.name for model in catalog["models"]}

    assert models("1.0") == {"tiny-cnn"}
    assert models("2.0") == models("latest") == {"tiny-cnn", "later"}
    assert (sub / "latest").is_symlink()


def test_links_stay_in_their_version(sub: Path) -> None:
    for version in ("1.0", "2.0"):
        pages = [page for page in (sub / version).rglob("*.html") if page.name != "404.html"]
        assert sub / version / "models/tiny-cnn/ports/caffe/index.html" in pages
        wrong = {
            (str(page.relative_to(sub)), link)
            for page in pages
            for link in links(page)
            if not _leads_to_a_file(sub / version, page, link)
        }
        assert wrong == set()


def _leads_to_a_file(version: Path, page: Path, link: str) -> bool:
    parts = urlsplit(link)
    if link.startswith(SITE_URL):  # the canonical address
        target = Path(version.parent, unquote(parts.path).removeprefix("/sub/"))
    elif parts.scheme:
        return parts.scheme in ("https", "data")
    else:
        target = Path(os.path.normpath(page.parent / unquote(parts.path)))
    file = target / "index.html" if link.partition("#")[0].endswith(("/", ".")) else target
    return file.is_relative_to(version) and (not parts.path or file.is_file())


def links(page: Path) -> set[str]:
    """The addresses in a page's `href` and `src`."""
    found = set()

    class Finder(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.update(value for name, value in attrs if name in ("href", "src") and value)

    Finder().feed(page.read_text())
    return found


def test_a_reader_chooses_between_versions(
    sub: Path, serve: Callable[[Path], str], new_tab: Page
) -> None:
    heard: list[str] = []
    new_tab.on("response", lambda r: r.status >= 400 and heard.append(r.url))
    new_tab.goto(f"{serve(sub.parent)}/sub/1.0/models/tiny-cnn/")
    new_tab.locator(".md-version__link").first.wait_for(state="attached")
    assert new_tab.locator(".md-version__link").all_inner_texts() == ["2.0", "1.0"]
    assert new_tab.locator(".md-version__current").inner_text().split()[0] == "1.0"
    assert heard == []


def test_previews_and_versions_leave_each_other_alone(published: Published, sub: Path) -> None:
    assert (sub / "previews/12/index.html").is_file()
    versions = [published.tree(name) for name in ("1.0", "2.0", "versions.json", "index.html")]
    published.run("modeldocs", "ci", "publish", "--remove", "--to", "previews/12")
    now = [published.tree(name) for name in ("1.0", "2.0", "versions.json", "index.html")]
    assert now == versions
    listed = subprocess.run(
        ["git", "-C", published.bare, "ls-tree", "--name-only", "gh-pages"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert sorted(listed) == [
        ".modeldocs",
        ".nojekyll",
        "1.0",
        "2.0",
        "index.html",
        "latest",
        "versions.json",
    ]
