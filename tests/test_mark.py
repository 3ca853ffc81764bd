"""The mark of a folder lists what modeldocs wrote there, whatever happens to the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import mark
from modeldocs.errors import ModeldocsError
from modeldocs.mark import MarkedWriter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    mark.claim(tmp_path / "ours", "site", "")
    return tmp_path / "ours"


def test_a_folder_is_claimed_once(folder: Path) -> None:
    mark.add(folder, ["a.md"])
    mark.claim(folder, "site", "")
    assert mark.listed(folder) == {"a.md"}
    with pytest.raises(ModeldocsError, match="is a site that modeldocs wrote, not a store"):
        mark.claim(folder, "store", "")


def test_one_that_another_process_is_claiming_is_no_readers(tmp_path: Path) -> None:
    (tmp_path / mark.NAME).touch()
    mark.check(tmp_path, "site", "")


@pytest.mark.parametrize("content", [b"mine", b"\xff\xfe", b"modeldoc site\n"])
def test_a_file_of_that_name_is_not_always_a_mark(tmp_path: Path, content: bytes) -> None:
    (tmp_path / mark.NAME).write_bytes(content)
    with pytest.raises(ModeldocsError, match="holds files, and is no site"):
        mark.check(tmp_path, "site", "")
    assert (tmp_path / mark.NAME).read_bytes() == content


@pytest.mark.parametrize(
    "name", ["a b.md", "line\nbreak", "back\\slash", "back\\nslash", "\udce9.md"]
)
def test_any_name_is_listed(folder: Path, name: str) -> None:
    mark.add(folder, [name])
    assert mark.listed(folder) == {name}
    mark.keep(folder, "site", [name, "b"])
    assert mark.listed(folder) == {name, "b"}


def test_a_line_that_was_cut_off_names_no_file(folder: Path) -> None:
    mark.add(folder, ["a.md"])
    with (folder / mark.NAME).open("ab") as stream:
        stream.write(b"models/inde")
    assert mark.listed(folder) == {"a.md"}
    mark.claim(folder, "site", "")
    mark.add(folder, ["b.md"])
    assert mark.listed(folder) == {"a.md", "b.md"}


def test_a_list_leads_nowhere_else(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    mark.add(folder, ["../outside.md", str(outside), "a/../../outside.md"])
    mark.remove(folder, "site", ["../outside.md", str(outside), "a/../../outside.md"])
    assert outside.exists()


def test_only_what_is_listed_is_removed_with_folders_that_are_empty_then(folder: Path) -> None:
    MarkedWriter(folder).write("a/b/ours.md", b"ours")
    MarkedWriter(folder).write("c/ours.md", b"ours")
    (folder / "c" / "theirs.md").write_text("theirs")
    mark.remove(folder, "site", ["a/b/ours.md", "c/ours.md", "c/theirs.md"])
    assert list(mark.files(folder)) == ["c/theirs.md"]
    assert not (folder / "a").exists()
    assert mark.listed(folder) == set()


def test_a_file_is_listed_before_it_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        MarkedWriter(folder).write("a.md", b"ours")
    assert mark.listed(folder) == {"a.md"}


def test_what_is_theirs_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    (folder / "a.md").write_text("theirs")
    (folder / "to").symlink_to(tmp_path)
    for path in ("a.md", "to/b.md"):
        with pytest.raises(ModeldocsError, match="modeldocs did not write it") as caught:
            MarkedWriter(folder).write(path, b"ours")
        assert caught.value.fix
    assert (folder / "a.md").read_text() == "theirs"
    assert not (tmp_path / "b.md").exists()
    MarkedWriter(folder).write("a.md", b"theirs")  # which changes nothing
