"""Answers that are remembered between builds: the same as the store would give."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.tasks import build
from modeldocs.tasks.kind import TaskKind
from modeldocs.tasks.results import Results
from modeldocs.tasks.session import TaskSession
from modeldocs.tasks.store import Store
from tests.repositories import caffe


def built(models: Path, session: TaskSession | None) -> Results:
    store = Store(models.parent / "store")
    read = catalog.read(models, session.models if session is not None else None)
    return build.build(read, store, workers=1, pairs_run="never", session=session)


def ran(results: Results) -> set[str]:
    return {f"{run.kind} {run.name}" for run in results.log if run.outcome == "ran"}


def test_the_store_is_not_read_where_nothing_changed(
    models: Path, session: TaskSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(models, session)
    first = built(models, session)
    monkeypatch.setattr(TaskKind, "stored", lambda *_: pytest.fail("looked into the store"))
    second = built(models, session)
    assert second.digests == first.digests
    assert second.answers == first.answers


def test_a_port_that_changed_is_loaded_again(models: Path, session: TaskSession) -> None:
    built(models, session)
    (models / "a" / "one.prototxt").write_text(caffe(kernel_size=5))
    results = built(models, session)
    assert {"load a/one", "draw a/one", "diff a/one-vs-two"} >= ran(results) >= {"load a/one"}
    assert results.digests == built(models, None).digests


def test_a_file_of_weights_that_comes_beside_a_port_is_noticed(
    models: Path, session: TaskSession
) -> None:
    built(models, session)
    built(models, session)
    (models / "b" / "one.caffemodel").write_bytes(b"")
    assert built(models, session).digests == built(models, None).digests


def test_a_result_that_was_deleted_is_computed_again(models: Path, session: TaskSession) -> None:
    built(models, session)
    results = built(models, session)
    results.store.path(results.digests["draw", "b/one"]).unlink()
    again = built(models, session)
    assert ran(again) >= {"draw b/one"}
    assert again.digests == results.digests


def test_a_result_that_another_process_has_stored_is_found(
    models: Path, session: TaskSession
) -> None:
    built(models, session)
    assert not any(kind == "parity" for kind, _ in built(models, session).digests)
    store = Store(models.parent / "store")
    other = build.build(catalog.read(models), store, workers=1)
    assert built(models, session).digests == other.digests


def test_a_port_that_is_as_it_was_is_not_loaded(models: Path, session: TaskSession) -> None:
    port = models / "a" / "one.prototxt"
    before = port.read_text()
    first = built(models, session)
    port.write_text(caffe(kernel_size=5))
    built(models, session)
    port.write_text(before)
    results = built(models, session)
    assert ran(results) == set()
    assert results.digests == first.digests
