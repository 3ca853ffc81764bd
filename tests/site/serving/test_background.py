"""Pairs of ports that run while the site is served already."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.site.serving.background import Background
from modeldocs.tasks import build
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import Store
from tests.repositories import caffe

pytestmark = pytest.mark.usefixtures("tasks_here")


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        file = tmp_path / "models" / "a" / f"{name}.prototxt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(caffe())
    return tmp_path / "models"


@pytest.fixture
def ended():
    return threading.Event()


@pytest.fixture
def background(ended: threading.Event):
    background = Background(1, ended.set)
    yield background
    background.close()


def built(models: Path) -> Results:
    store = Store(models.parent / "store")
    return build.build(catalog.read(models), store, pairs_run="later")


def verdict(results: Results) -> str:
    (name,) = (name for kind, name in results.digests if kind == "diff")
    parity = results.parity_of(name)
    assert parity is not None
    return parity.verdict


def test_a_build_does_not_wait_for_a_pair_and_the_next_has_its_result(
    models: Path,
    background: Background,
    ended: threading.Event,
    capfd: pytest.CaptureFixture[str],
) -> None:
    first = built(models)
    assert [task.kind for task in first.postponed] == ["parity"]
    assert verdict(first) == "not run"
    assert first.failures == []
    background.adopt(first)
    background.start(first.place)
    assert ended.wait(120)
    assert capfd.readouterr().err == ""
    second = built(models)
    assert second.postponed == []
    assert verdict(second) == "holds"


def test_nothing_is_run_where_the_store_has_all(
    models: Path, background: Background, ended: threading.Event
) -> None:
    store = Store(models.parent / "store")
    build.build(catalog.read(models), store)
    results = built(models)
    background.adopt(results)
    background.start(results.place)
    assert not ended.is_set()
    assert background.process is None


def test_a_pair_that_no_build_wants_any_more_is_stopped(
    models: Path, background: Background, ended: threading.Event
) -> None:
    first = built(models)
    background.adopt(first)
    background.start(first.place)
    process = background.process
    assert process is not None
    (models / "a" / "two.prototxt").write_text(caffe(kernel_size=5))
    second = built(models)
    background.adopt(second)
    background.start(second.place)
    assert process.poll() is not None
    assert ended.wait(120)
    assert built(models).postponed == []


def test_a_pair_that_leaves_no_result_fails_and_is_run_again_by_the_build_after_that(
    models: Path, background: Background, ended: threading.Event
) -> None:
    first = built(models)
    background.adopt(first)
    background.start(first.place)
    assert background.process is not None
    background.process.kill()
    assert ended.wait(60)
    second = built(models)
    background.adopt(second)
    background.start(second.place)
    assert background.process is None
    reason = "the run left no result; the next change tries again"
    assert [failure.reason for _, failure in second.failures] == [reason]
    ended.clear()
    third = built(models)
    background.adopt(third)
    background.start(third.place)
    assert ended.wait(120)
    assert built(models).postponed == []


def test_what_runs_is_stopped_when_the_server_ends(models: Path, background: Background) -> None:
    first = built(models)
    background.adopt(first)
    background.start(first.place)
    process = background.process
    assert process is not None
    background.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
