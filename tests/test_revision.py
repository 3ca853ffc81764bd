"""What is unpacked of a revision: a file, and what it may import."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import loaders, revision
from tests.repositories import History

FILES = {
    "README.md": "",
    "data.bin": "0",
    "nets/port.py": "from nets import parts",
    "nets/parts.py": "from core.base import torch",
    "core/base.py": "import torch",
    "core/weights.bin": "0",
}


def test_a_python_file_comes_with_the_python_of_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    History(tmp_path / "r").commit(dict(FILES))
    monkeypatch.chdir(tmp_path / "r")
    place = tmp_path / "unpacked"
    assert revision.unpack_around("HEAD", Path("nets/port.py"), place) == ""
    unpacked = {path.relative_to(place).as_posix() for path in place.rglob("*.*")}
    assert unpacked == set(FILES) - {"data.bin", "core/weights.bin"}
    assert loaders.recognise(place / "nets" / "port.py") == "pytorch"


def test_another_file_comes_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    History(tmp_path / "r").commit(dict(FILES))
    monkeypatch.chdir(tmp_path / "r")
    assert revision.unpack_around("HEAD", Path("core/weights.bin"), tmp_path / "u") == ""
    assert {path.name for path in (tmp_path / "u").rglob("*.*")} == {"base.py", "weights.bin"}
    assert "nosuch" in revision.unpack_around("nosuch", Path("a.py"), tmp_path / "u")
