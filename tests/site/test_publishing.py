"""A built site on a branch: put there, taken away, and never in place of anything else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.git import Repository
from modeldocs.site import publishing
from modeldocs.site.publishing import PublishedFolder
from tests.repositories import History


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    folder = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder], check=True)
    return folder


@pytest.fixture
def history(tmp_path: Path, bare: Path) -> History:
    """A repository whose remote is the bare one."""
    made = History(tmp_path / "project")
    made.git("remote", "add", "origin", str(bare))
    made.commit({"README.md": "Models."})
    made.git("push", "-q", "origin", "main")
    return made


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_bytes(b"<h1>Models</h1>\r\n")
    return folder


def publish(history: History, site: Path | None, **place: str) -> str | None:
    return publishing.publish(Repository(history.folder), site, PublishedFolder(**place))


def files(bare: Path, branch: str) -> set[str]:
    listed = subprocess.run(
        ["git", "-C", bare, "ls-tree", "-r", "--name-only", branch],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return set(listed.stdout.split())


def test_nothing_is_made_where_there_is_nothing_to_remove(history: History, bare: Path) -> None:
    assert publish(history, None, folder="previews/7") is None
    assert files(bare, "gh-pages") == set()


def test_previews_are_removed_by_their_whole_name(history: History, bare: Path, site: Path) -> None:
    for folder in ("previews/1", "previews/10"):
        publish(history, site, folder=folder)
    publish(history, None, folder="previews/1")
    assert files(bare, "gh-pages") == {".modeldocs", ".nojekyll", "previews/10/index.html"}


def test_the_main_branch_is_not_replaced_by_a_site(
    history: History, bare: Path, site: Path
) -> None:
    with pytest.raises(ModeldocsError, match="is the repository's main branch"):
        publish(history, site, branch="main")
    assert files(bare, "main") == {"README.md"}


@pytest.mark.parametrize(
    "place",
    [
        {"remote": "--upload-pack=touch pwned"},
        {"branch": "--force"},
        {"branch": "main:other"},
        {"branch": "refs/heads/main"},
        *({"folder": one} for one in ("../x", "/x", "a//b", ".", "a/.git", "a\nb")),
    ],
)
def test_names_that_git_would_take_for_something_else(
    history: History, site: Path, place: dict[str, str]
) -> None:
    with pytest.raises(ModeldocsError, match="is no "):
        publish(history, site, **place)


def test_a_clone_with_its_history_stays_one(history: History, site: Path) -> None:
    """Also where the branch has a history, as `mike` makes it."""
    history.branch("gh-pages")
    history.commit({"1.0/index.html": ""})
    history.commit({"2.0/index.html": ""})
    history.git("push", "-q", "origin", "gh-pages")
    history.git("checkout", "-q", "main")
    publish(history, site, folder="previews/1")
    assert history.git("rev-parse", "--is-shallow-repository") == "false"


class TestFilesOfOthers:
    def test_they_stay_with_their_history(self, history: History, bare: Path, site: Path) -> None:
        history.branch("gh-pages")
        theirs = history.commit({"1.0/index.html": "theirs", "CNAME": "nets.example.org"})
        history.git("push", "-q", "origin", "gh-pages")
        history.git("checkout", "-q", "main")
        for text in ("first", "second"):
            (site / "index.html").write_text(text)
            publish(history, site)
            publish(history, site, folder="previews/7")
        publish(history, None, folder="previews/7")
        assert files(bare, "gh-pages") == {
            ".modeldocs", ".nojekyll", "1.0/index.html", "CNAME", "README.md", "index.html",
        }  # fmt: skip
        ours = history.git("ls-remote", "origin", "gh-pages").split()[0]
        assert history.git("rev-parse", f"{ours}^") == theirs

    def test_a_clone_without_history_keeps_it_too(
        self, history: History, bare: Path, site: Path, tmp_path: Path
    ) -> None:
        publish(history, site)
        history.git("fetch", "-q", "origin", "gh-pages:gh-pages")
        history.git("checkout", "-q", "gh-pages")
        theirs = history.commit({"CNAME": "nets.example.org"})
        history.git("push", "-q", "origin", "gh-pages")
        for number in range(2):
            shallow = History(tmp_path / f"shallow{number}")
            shallow.git("remote", "add", "origin", str(bare))
            shallow.git("fetch", "-q", "--depth=1", f"file://{bare}", "main")
            (site / "index.html").write_text(f"site {number}")
            publish(shallow, site)
        history.git("fetch", "-q", "origin", "gh-pages")
        assert history.git("rev-parse", "FETCH_HEAD^") == theirs
        assert "CNAME" in files(bare, "gh-pages")

    def test_one_in_the_way_is_refused(self, history: History, bare: Path, site: Path) -> None:
        history.branch("gh-pages")
        history.commit({"index.html": "theirs", "previews/7": "a file"})
        history.git("push", "-q", "origin", "gh-pages")
        before = history.git("ls-remote", "origin", "gh-pages")
        for folder in ("", "previews/7"):
            with pytest.raises(ModeldocsError, match="modeldocs did not publish it") as caught:
                publish(history, site, folder=folder)
            assert caught.value.fix
        assert history.git("ls-remote", "origin", "gh-pages") == before


def test_files_are_published_as_they_are(history: History, bare: Path, site: Path) -> None:
    history.git("config", "core.autocrlf", "true")
    publish(history, site)
    shown = subprocess.run(
        ["git", "-C", bare, "show", "gh-pages:index.html"], capture_output=True, check=True
    )
    assert shown.stdout == (site / "index.html").read_bytes()
    (site / ".gitattributes").write_text("* text")
    with pytest.raises(ModeldocsError, match="would change how git stores the site"):
        publish(history, site)


def test_a_remote_that_cannot_be_reached_is_told(history: History, site: Path) -> None:
    with pytest.raises(ModeldocsError, match="the remote elsewhere cannot be reached"):
        publish(history, site, remote="elsewhere")
