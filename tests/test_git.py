"""Repositories: commits, what changed between two, and their files in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.git import Repository
from tests.repositories import History


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "repository")
    made.commit({"a.txt": "a" * 100, "folder/b.txt": "b", ".gitignore": "*.log\nout/\n"})
    return made


@pytest.fixture
def repository(history: History) -> Repository:
    return Repository.around(history.folder / "folder")


def test_it_is_found_from_a_folder_in_it(history: History, repository: Repository) -> None:
    assert repository.root == history.folder.resolve()


def test_a_folder_in_no_repository(tmp_path: Path) -> None:
    with pytest.raises(ModeldocsError, match="is in no git repository"):
        Repository.around(tmp_path)


def test_names_that_differ_are_told_with_both_names_of_a_moved_file(
    history: History, repository: Repository
) -> None:
    first = repository.commit("main")
    second = history.commit({"a.txt": None, "ä \n.txt": "a" * 100, "folder/b.txt": "c"})
    assert repository.changed(first, second) == {"a.txt", "ä \n.txt", "folder/b.txt"}
    assert repository.changed(second, second) == set()


def test_the_working_tree_has_new_files_but_no_ignored_ones(
    history: History, repository: Repository
) -> None:
    history.write({"new.txt": "", "run.log": "", "out/x.txt": "", "folder/b.txt": "c"})
    assert repository.changed("HEAD", None) == {"new.txt", "folder/b.txt"}
    assert repository.ignored() == {"run.log", "out"}


def test_the_base_of_two_branches(history: History, repository: Repository) -> None:
    start = repository.commit("main")
    history.branch("change")
    history.commit({"c.txt": ""})
    history.git("checkout", "-q", "main")
    history.commit({"d.txt": ""})
    assert repository.merge_base("main", "change") == start


def test_branches_without_a_common_commit(history: History, repository: Repository) -> None:
    history.git("checkout", "-q", "--orphan", "other")
    history.commit({"other.txt": ""})
    with pytest.raises(ModeldocsError, match="no commit in common") as refused:
        repository.merge_base("main", "other")
    assert "unshallow" not in str(refused.value.fix)  # all of the history is there


@pytest.mark.parametrize("name", ["nowhere", "--help", "main:a.txt", ""])
def test_a_name_that_is_no_commit(repository: Repository, name: str) -> None:
    with pytest.raises(ModeldocsError, match="revision"):
        repository.commit(name)


class TestCheckout:
    def test_it_has_the_files_of_the_commit_and_is_removed(
        self, history: History, repository: Repository
    ) -> None:
        history.write({"a.txt": "changed since"})
        with repository.checkout(repository.commit("main")) as folder:
            assert (folder / "a.txt").read_text() == "a" * 100
        assert not folder.exists()
        assert len(history.git("worktree", "list").splitlines()) == 1

    def test_no_hook_runs(self, history: History, repository: Repository, tmp_path: Path) -> None:
        mark, hook = tmp_path / "ran", history.folder / ".git" / "hooks" / "post-checkout"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
        with repository.checkout(repository.commit("main")):
            pass
        assert not mark.exists()

    def test_a_filter_of_the_configuration_runs_where_that_is_allowed(
        self, history: History, repository: Repository
    ) -> None:
        """A change names the files that it runs on, in `.gitattributes`."""
        history.git("config", "filter.loud.smudge", "tr a b")
        history.commit({".gitattributes": "*.txt filter=loud\n"})
        commit = repository.commit("main")
        with repository.checkout(commit, filters=False) as folder:
            assert (folder / "a.txt").read_text() == "a" * 100
        with repository.checkout(commit) as folder:
            assert (folder / "a.txt").read_text() == "b" * 100

    def test_a_submodule_is_filled_as_far_as_it_is_checked_out(
        self, history: History, repository: Repository, tmp_path: Path
    ) -> None:
        inner = History(tmp_path / "inner")
        inner.commit({"net.txt": "first"})
        allowed = ("-c", "protocol.file.allow=always")
        history.git(*allowed, "submodule", "add", "-q", str(inner.folder), "nets")
        commit = history.commit()
        History(history.folder / "nets").commit({"net.txt": "second"})
        with repository.checkout(commit) as folder:
            assert (folder / "nets" / "net.txt").read_text() == "first"
        plain = History(tmp_path / "plain")
        plain.git("pull", "-q", str(history.folder), "main")
        with Repository(plain.folder).checkout(commit) as folder:
            assert list((folder / "nets").iterdir()) == []

    def test_a_hook_of_another_repository_may_call_it(
        self, history: History, repository: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = history.folder / ".git" / "index"
        before = index.read_bytes()
        monkeypatch.setenv("GIT_DIR", ".git")
        monkeypatch.setenv("GIT_INDEX_FILE", str(index))
        with repository.checkout(repository.commit("main")) as folder:
            assert (folder / "a.txt").exists()
        assert index.read_bytes() == before

    def test_two_at_once(self, repository: Repository) -> None:
        commit = repository.commit("main")
        with repository.checkout(commit) as one, repository.checkout(commit) as two:
            assert {path.name for path in one.iterdir()} == {path.name for path in two.iterdir()}
