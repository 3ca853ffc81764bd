"""A side of a change that the machine failed: the change is not judged by it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from modeldocs.site.preview import rows
from modeldocs.site.preview.document import Preview
from modeldocs.site.preview.violations import POLICIES, unjudged, violations
from modeldocs.tasks import build
from modeldocs.tasks.work import work
from tests import faults
from tests.repositories import History, caffe

from .conftest import Previewed

CHECKOUT = "modeldocs-tree-"
"""In the path of the base, which is checked out, while the head is the working tree."""


@contextlib.contextmanager
def killed(kind: str, base: bool | None = None) -> Iterator[None]:
    """Within this block the processes of tasks of a kind are killed, of one side or of both."""

    def met(place, task):
        sides = (True, False) if base is None else (base,)
        is_met = task.kind == kind and (CHECKOUT in place.root) in sides
        with faults.killed() if is_met else contextlib.nullcontext():
            return work(place, task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "work", met)
        yield


@pytest.fixture
def edited(history: History) -> History:
    (history.folder / "models/a/caffe.prototxt").write_text(caffe(kernel_size=5))
    return history


def told(preview: Preview) -> str:
    (row,) = rows.rows(preview)
    assert row.name == "a/caffe"
    return row.what


@pytest.mark.parametrize("base", [True, False, None], ids=["base", "head", "both"])
@pytest.mark.parametrize("kind", ["load", "proof"])
def test_neither_mended_nor_broken(
    edited: History, previewed: Previewed, tmp_path, kind: str, base: bool | None
) -> None:
    store = tmp_path / "store"
    with killed(kind, base):
        found = previewed(None, store=store, prove=True)
    changed = [row for row in rows.rows(found) if row.name == "a/caffe"]
    assert changed[0].what.startswith("could not be judged: caffe.prototxt: the machine failed")
    assert "1 not judged (a/caffe)" in rows.headline(found)
    assert violations(found, ["failed", "unverified", "removed", "families"]) == []
    assert unjudged(found).startswith("could not judge a/caffe")
    again = previewed(None, store=store, prove=True)
    assert told(again).startswith("changed: ") and unjudged(again) == ""


def test_numbers_that_were_not_run_violate_no_policy(
    edited: History, previewed: Previewed, tmp_path
) -> None:
    (edited.folder / "models/a/caffe.prototxt").write_text(caffe(num_output=9))
    with killed("parity"):
        found = previewed(None, store=tmp_path / "store")
    assert told(found).startswith("could not be judged")
    assert "parity (a/caffe)" not in violations(found, list(POLICIES))
    assert unjudged(previewed(None, store=tmp_path / "store")) == ""


def test_a_definition_that_fails_is_told_whatever_happened_to_the_base(
    history: History, previewed: Previewed, tmp_path
) -> None:
    (history.folder / "models/a/caffe.prototxt").write_text("layer { name: ")
    with killed("load", base=True):
        found = previewed(None, store=tmp_path / "store")
    assert told(found).startswith("does not load: caffe.prototxt:1")
    assert violations(found, ["failed"]) == ["failed (a/caffe)"]
