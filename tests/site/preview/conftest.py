"""Repositories with a catalog, and previews of their changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from modeldocs.site.preview import report, sides
from modeldocs.site.preview.document import Preview
from modeldocs.site.preview.sides import Request
from modeldocs.tasks.pool import silent
from modeldocs.tasks.store import Store
from tests.repositories import History, caffe

Previewed = Callable[..., Preview]


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A repository whose catalog has two models: `a` of two equal ports, and `b` of one."""
    made = History(tmp_path / "repository")
    made.commit(
        {
            "models/a/caffe.prototxt": caffe(),
            "models/a/second.prototxt": caffe(),
            "models/b/caffe.prototxt": caffe(num_output=5),
            "README.md": "Models.",
            ".gitignore": ".modeldocs/\nscratch/\n",
        }
    )
    return made


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that tests share, as previews of a repository do."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def previewed(history: History, stored: Path, tasks_here: None) -> Previewed:
    """`previewed(head)`: the preview of a branch, or of the working tree, against `main`."""

    def preview(
        head: str | None = "HEAD", base: str = "main", *, store: Path = stored, prove: bool = False
    ) -> Preview:
        request = Request(
            base=base,
            head=head,
            models=str(history.folder / "models"),
            store=Store(store),
            prove=prove,
        )
        with sides.compare(request, silent) as both:
            return report.preview(both)

    return preview
