"""What a server has ready before a port is edited."""

from __future__ import annotations

from pathlib import Path

from modeldocs import catalog
from modeldocs.catalog import Catalog
from modeldocs.isolation import forkservers
from modeldocs.loaders import loading
from modeldocs.tasks import build
from modeldocs.tasks.results import Results
from modeldocs.tasks.session import TaskSession
from modeldocs.tasks.store import Store
from tests.repositories import caffe


def built(models: Path, session: TaskSession | None = None) -> tuple[Catalog, Results]:
    read = catalog.read(models)
    store = Store(models.parent / "store")
    with store.in_use():
        return read, build.build(read, store, workers=1, pairs_run="never", session=session)


def imported() -> list[set[str]]:
    """What each idle fork server of a process of the pool has imported."""
    return [server.imported for _, server in forkservers._servers.idle]


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_process_has_loaded_and_drawn_a_port(models: Path, session: TaskSession) -> None:
    built(models)
    before = files(models.parent / "store")
    session.rest(*built(models, session))
    assert session.pool.own is not None
    (both,) = session.pool.own.submit(imported).result()
    assert {*loading.preload("caffe"), "modeldocs.diagram.layout:preload"} == both
    assert files(models.parent / "store") == before


def test_a_process_that_has_run_tasks_stays(models: Path, session: TaskSession) -> None:
    built(models)
    (models / "a" / "one.prototxt").write_text(caffe(kernel_size=5))
    result = built(models, session)
    process = session.pool.own
    assert process is not None
    session.rest(*result)
    assert session.pool.own is process


def test_the_processes_of_a_build_of_many_ports_end(models: Path, session: TaskSession) -> None:
    result = built(models, session)
    process = session.pool.own
    session.rest(*result)
    assert session.pool.own is not process


def test_nothing_is_loaded_where_no_port_loads(models: Path, session: TaskSession) -> None:
    for file in models.rglob("*.prototxt"):
        file.write_text("layer {")
    session.rest(*built(models, session))
    assert session.pool.own is not None
    assert session.pool.own.submit(imported).result() == []
