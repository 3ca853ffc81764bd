"""A small catalog, and a session of a server that builds it again and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from modeldocs.tasks.session import TaskSession
from tests.repositories import caffe


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A catalog of two models, the first with two ports."""
    for name in ("a/one", "a/two", "b/one"):
        file = tmp_path / "models" / f"{name}.prototxt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(caffe())
    return tmp_path / "models"


@pytest.fixture
def session() -> Iterator[TaskSession]:
    session = TaskSession(1)
    yield session
    session.close()
