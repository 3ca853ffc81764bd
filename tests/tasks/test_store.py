"""The store: what was written is read, whoever wrote it, and damage counts as absence."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError
from modeldocs.tasks import store
from modeldocs.tasks.store import Accepted, Store

LOAD = "0123456789abcdef"
ELSEWHERE = Accepted({}, exact=False)
"""What is accepted where nothing that it depends on is installed."""


@pytest.fixture
def place(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def root(tmp_path):
    """A catalog's folder with two files."""
    folder = tmp_path / "models"
    (folder / "net").mkdir(parents=True)
    (folder / "net" / "port.py").write_text("a = 1\n")
    (tmp_path / "shared.py").write_text("b = 2\n")
    return folder


def read(place: Store, *task: object) -> bytes | None:
    answer = place.answer(*task)
    return answer.data if answer is not None else None


def files(root: Path) -> dict[str, str]:
    return {name: store.digest_file(root / name) or "" for name in ("net/port.py", "../shared.py")}


@settings(max_examples=30, deadline=None)
@given(contents=st.dictionaries(st.text("0123456789abcdef", min_size=40, max_size=40), st.binary()))
def test_what_was_written_is_read(contents):
    with TemporaryDirectory() as folder:
        for task, data in contents.items():
            Store(Path(folder)).write(task, data)
        assert {task: read(Store(Path(folder)), task) for task in contents} == contents


@settings(max_examples=50, deadline=None)
@given(a=st.recursive(st.none() | st.integers(-9, 9) | st.text(), st.lists, max_leaves=5))
def test_a_key_tells_plain_data_apart(a):
    assert store.key(a) == store.key(a)
    assert store.key(a) != store.key([a]) != store.key(a, a)


def test_a_key_does_not_depend_on_the_order_of_names():
    assert store.key({"a": 1, "b": 2}) == store.key({"b": 2, "a": 1})


def test_what_was_never_written_is_not_there(place, root):
    assert read(place, store.key("never")) is None
    assert place.read_object("0" * 40) is None
    assert read(place, LOAD, root, Accepted({})) is None


def test_a_later_result_takes_the_place_of_an_earlier(place):
    for data in (b"first", b"second"):
        place.write(store.key("task"), data)
    assert read(place, store.key("task")) == b"second"


def test_content_is_kept_once(place):
    assert place.write_object(b"same") == place.write_object(b"same")
    assert sum(path.is_file() for path in (place.folder / "objects").rglob("*")) == 1


class TestLoads:
    def test_a_load_is_read_while_its_files_and_software_are_the_same(self, place, root):
        place.write(LOAD, b"result", files(root), {"torch": "2.0"})
        assert read(place, LOAD, root, Accepted({"torch": "2.0"})) == b"result"
        os.utime(root / "net" / "port.py", (0, 0))
        assert read(place, LOAD, root, Accepted({"torch": "2.0"})) == b"result"

    @pytest.mark.parametrize("name", ["net/port.py", "../shared.py"])
    def test_a_changed_or_lost_file_gives_no_answer(self, place, root, name):
        place.write(LOAD, b"result", files(root), {})
        (root / name).write_text("changed = True\n")
        assert read(place, LOAD, root, Accepted({})) is None
        (root / name).unlink()
        assert read(place, LOAD, root, Accepted({})) is None

    @pytest.mark.parametrize("software", [{}, {"torch": "2.1"}, {"torch": "2.0", "numpy": "2"}])
    def test_other_software_gives_no_answer(self, place, root, software):
        place.write(LOAD, b"result", files(root), {"torch": "2.0"})
        assert read(place, LOAD, root, Accepted(software)) is None

    def test_another_load_gives_no_answer(self, place, root):
        place.write(LOAD, b"result", files(root), {})
        assert read(place, LOAD[::-1], root, Accepted({})) is None

    def test_a_file_changed_back_is_answered_again(self, place, root):
        place.write(LOAD, b"before", files(root), {})
        (root / "net" / "port.py").write_text("a = 2\n")
        place.write(LOAD, b"after", files(root), {})
        assert read(place, LOAD, root, Accepted({})) == b"after"
        (root / "net" / "port.py").write_text("a = 1\n")
        assert read(place, LOAD, root, Accepted({})) == b"before"

    def test_without_the_framework_the_highest_version_answers(self, place, root):
        for version in ("2.9.1", "2.13.0", "2.13"):
            place.write(LOAD, version.encode(), files(root), {"torch": version})
        assert read(place, LOAD, root, ELSEWHERE) == b"2.13.0"

    def test_without_the_framework_a_result_answers_before_a_failure(self, place, root):
        place.write(LOAD, b"result", files(root), {"torch": "2.0"})
        failed = {"torch": "2.1", "environment": "e", "limits": "l", "beside": "b"}
        place.write(LOAD, b"failure", files(root), failed)
        assert read(place, LOAD, root, ELSEWHERE) == b"result"

    @pytest.mark.parametrize(
        ("known", "answers"),
        [({"onnx": "1.20"}, True), ({"onnx": "1.21"}, False), ({"numpy": "2.0"}, True)],
    )
    def test_without_the_framework_what_is_known_must_be_the_same(
        self, place, root, known, answers
    ):
        place.write(LOAD, b"result", files(root), {"torch": "2.0", "onnx": "1.20"})
        found = read(place, LOAD, root, Accepted(known, exact=False))
        assert found == (b"result" if answers else None)

    def test_without_the_framework_files_outside_of_the_catalog_may_be_missing(self, place, root):
        place.write(LOAD, b"result", files(root), {"torch": "2.0"})
        (root / "../shared.py").unlink()
        assert read(place, LOAD, root, Accepted({"torch": "2.0"})) is None
        assert read(place, LOAD, root, ELSEWHERE) == b"result"
        (root / "../shared.py").write_text("changed = True")
        assert read(place, LOAD, root, ELSEWHERE) is None
        (root / "../shared.py").unlink()
        (root / "net/port.py").unlink()
        assert read(place, LOAD, root, ELSEWHERE) is None

    def test_a_catalog_and_its_store_that_moved_together_answer(self, place, root, tmp_path):
        place.write(LOAD, b"result", files(root), {"torch": "2.0"})
        place.write(store.key("task"), b"drawn")
        moved = tmp_path / "elsewhere" / "deep"
        shutil.copytree(tmp_path / "models", moved / "models")
        shutil.copytree(tmp_path / "store", moved / "store")
        shutil.copy(tmp_path / "shared.py", moved)
        shutil.rmtree(tmp_path / "models")
        assert read(Store(moved / "store"), LOAD, moved / "models", ELSEWHERE) == b"result"
        assert read(Store(moved / "store"), store.key("task")) == b"drawn"


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _overwrite(path: Path) -> None:
    path.write_bytes(b"\xff\x00" * 40)


def _put_other_content(path: Path) -> None:
    """Content that is whole, and belongs elsewhere."""
    path.write_bytes(b"{}" if path.parts[-3] == "objects" else b'{"files":{},"software":{}}')


def _swap_a_letter(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b"0", b"1") if b"0" in data else data.swapcase())


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "in-the-way").write_text("")


def _make_link_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _make_unreadable(path: Path) -> None:
    path.chmod(0)


def _turn_its_folder_into_a_file(path: Path) -> None:
    folder = path.parent
    if folder.is_dir():
        shutil.rmtree(folder)
        folder.write_text("no folder")


def _close_its_folder(path: Path) -> None:
    path.parent.chmod(0)


DAMAGES = [
    _cut,
    _empty,
    _overwrite,
    _put_other_content,
    _swap_a_letter,
    _make_folder,
    _make_link_to_itself,
    _make_unreadable,
    _turn_its_folder_into_a_file,
    _close_its_folder,
]


@pytest.mark.parametrize("kind", ["objects", "answers"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_counts_as_absent_and_is_written_again(place, root, kind, damage):
    part = place.write_object(b"a part")

    def write() -> None:
        place.write_object(b"a part")
        place.write(store.key("task"), b"a result", parts=[part])
        place.write(LOAD, b"another result", files(root), {})

    def both() -> list[bytes | None]:
        return [read(place, store.key("task")), read(place, LOAD, root, Accepted({}))]

    write()
    for path in [path for path in (place.folder / kind).rglob("*") if path.is_file()]:
        damage(path)
    found = both()
    assert set(found) <= {None, b"a result", b"another result"}
    if os.geteuid() or damage not in (_make_unreadable, _close_its_folder):  # root reads all
        assert found == [None, None]
    write()
    assert both() == [b"a result", b"another result"]


def test_a_result_whose_part_is_lost_counts_as_absent(place):
    part = place.write_object(b"a part")
    place.write(store.key("task"), b"a result", parts=[part])
    place.path(part).unlink()
    assert read(place, store.key("task")) is None


def test_the_answer_to_another_task_is_none(place):
    place.write(store.key("task"), b"a result")
    place.write(store.key("other"), b"another result")
    (mine,) = place._folder(store.key("task")).iterdir()
    (other,) = place._folder(store.key("other")).iterdir()
    shutil.copy(other, mine)
    assert read(place, store.key("task")) is None


def test_an_answer_in_the_format_of_an_earlier_version_is_none(place):
    digest = place.write(store.key("task"), b"a result")
    (answer,) = place._folder(store.key("task")).iterdir()
    answer.write_bytes(msgspec.json.encode({"files": {}, "software": {}, "result": digest}))
    assert read(place, store.key("task")) is None


def test_a_store_that_is_a_file_is_told(tmp_path):
    (tmp_path / "store").write_text("")
    with pytest.raises(ModeldocsError, match="cannot be written") as caught:
        Store(tmp_path / "store").write_object(b"data")
    assert caught.value.fix


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "0" * 39, "Z" * 40, "0\0" * 20])
def test_an_answer_leads_nowhere_but_into_the_store(place, digest):
    place.write(store.key("task"), b"data")
    (answer,) = [path for path in (place.folder / "answers").rglob("*") if path.is_file()]
    entry = msgspec.json.decode(answer.read_bytes(), type=store.Dependencies)
    answer.write_bytes(msgspec.json.encode(msgspec.structs.replace(entry, result=digest)))
    assert read(place, store.key("task")) is None


def test_many_writers_leave_whole_results(place):
    data = [bytes([n]) * 100_000 for n in range(4)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: place.write(store.key("task"), data[n % 4]), range(80)))
        list(pool.map(lambda n: place.write_object(data[n % 4]), range(80)))
    assert read(place, store.key("task")) in data
    assert not list(place.folder.rglob(".part-*"))


def test_a_failed_write_leaves_nothing_behind(place, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ModeldocsError, match="cannot be written: No space left") as caught:
        place.write_object(b"data")
    assert caught.value.fix and str(caught.value.file).startswith("store/objects/")
    monkeypatch.undo()
    assert not [path for path in (place.folder / "objects").rglob("*") if path.is_file()]
