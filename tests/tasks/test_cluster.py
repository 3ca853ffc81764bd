"""A build on a Dask cluster: a real scheduler and two workers on the loopback interface."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modeldocs import catalog
from modeldocs.cli import main
from modeldocs.errors import ModeldocsError
from modeldocs.site.pages import pages
from modeldocs.site.templating import Templates
from modeldocs.tasks import build as tasks
from modeldocs.tasks import cluster
from modeldocs.tasks.pool import Status
from modeldocs.tasks.store import Store
from tests.repositories import caffe

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as made:
        yield made


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for number in range(6):
        file = folder / f"net{number // 2}" / f"port{number % 2}.prototxt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(caffe(num_output=number // 2 + 1, kernel_size=3 + number % 2))
    return folder


def test_the_site_is_the_same_although_a_worker_is_killed(
    workers: Any, models: Path, tmp_path: Path
) -> None:
    victims = [worker.pid for worker in workers.workers.values()][:1]

    def kill_one(status: Status) -> None:
        if status.done >= 2 and victims:
            with distributed.Client(workers, set_as_default=False) as client:
                pids = client.run(os.getpid)
            victims.clear()
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    whole = catalog.read(models)
    with cluster.connected(workers.scheduler_address) as executor:
        there = tasks.build(
            whole,
            Store(tmp_path / "there"),
            workers=executor,
            progress=kill_one,
            pairs_run="never",
        )
    assert victims == []
    here = tasks.build(whole, Store(tmp_path / "here"), workers=1, pairs_run="never")
    assert there.failures == []
    made, expected = (
        {page.path: page.filled() for page in pages(whole, results, Templates())}
        for results in (there, here)
    )
    assert made == expected


def test_the_command_takes_an_address(workers: Any, models: Path, tmp_path: Path) -> None:
    words = ["build", "--models", str(models), "--store", str(tmp_path / "s"), "--no-parity"]
    where = ["--folder", "--out", str(tmp_path / "pages"), "--scheduler", workers.scheduler_address]
    result = CliRunner().invoke(main, [*words, *where])
    assert result.exit_code == 0, result.output
    assert "3 models, 6 ports, 3 diffs" in result.output


def test_an_address_where_nothing_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(ModeldocsError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        cluster.connected("tcp://127.0.0.1:9"),
    ):
        pass


def test_workers_of_another_version_are_refused() -> None:
    with pytest.raises(ModeldocsError, match="has modeldocs 9, and this is"):
        cluster._check({"tcp://a": "9"})
    with pytest.raises(ModeldocsError, match="no workers"):
        cluster._check({})
