"""What many tests share: our catalog, its ports loaded once a session, and golden files."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock

from modeldocs import catalog, environments, tasks
from modeldocs.catalog import Catalog
from modeldocs.environments import Environment, creation
from modeldocs.isolation import forkservers
from modeldocs.loaders import loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import LOAD
from modeldocs.tasks.work import work
from tests import serial
from tests.stored import whole

pytest_plugins = ["tests.browser"]

REPOSITORY = Path(__file__).parents[1]
_WHOLE = {"loaded", "environment", "own_site", "bad_build"}
GOLDEN = Path(__file__).parent / "golden"
_LONGEST_NAME = 200
_PROCESSES = {"tensorflow"}
"""Fixtures that are a process with a framework, which one worker of pytest-xdist starts."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write what was made to tests/golden instead of comparing with it",
    )
    parser.addoption(
        "--every-pair",
        action="store_true",
        help="hold every pair of ports against its known answer, whatever its ports take to load",
    )


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A short name for a long text: the workers send the names of all tests to and fro."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_NAME:
        return f"{argname} of {len(val)}"
    return None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that load whole ports, run environments or build sites, and group those that
    share a process.

    Files with long ones come first: one that starts last would run alone.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if _WHOLE & fixtures:
            item.add_marker("whole")
        for process in _PROCESSES & fixtures:
            item.add_marker(pytest.mark.xdist_group(process))
        if not any(item.iter_markers("xdist_group")) and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    ranks: dict[Path, int] = {}
    for item in items:
        ranks[item.path] = min(_rank(item), ranks.get(item.path, _SHORT))
    items.sort(key=lambda item: ranks[item.path])


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the session: an eighth of all its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _shares(item: pytest.Item) -> bool:
    """Whether a test uses what is made once for its file, in each process that runs some of it."""
    found = getattr(item, "_fixtureinfo", None)
    definitions = found.name2fixturedefs.values() if found is not None else ()
    return any(made[-1].scope in ("module", "class") for made in definitions if made)


_SHORT = 2


def _rank(item: pytest.Item) -> int:
    """0 for tests with a browser or an installation, 1 for others that take long."""
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"slow", "browser"}:
        return 0
    return 1 if marks & {"whole", "xdist_group"} else _SHORT


@pytest.fixture(scope="session", autouse=True)
def _more_servers() -> None:
    """Keep a fork server for each framework and each other worker, whatever order tests run in."""
    forkservers.MAX_IDLE = 12


@pytest.fixture(scope="session")
def own_catalog() -> Catalog:
    """The catalog of this repository."""
    return catalog.read(REPOSITORY / "models")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all of pytest-xdist's workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if base.name.startswith("popen-") else base


@pytest.fixture(scope="session")
def store_folder() -> Path:
    """The store of all sessions: whatever loads a port of our catalog keeps it here for the others.

    A key holds all that decides a result, so that an older session's is as good as this one's.
    """
    return REPOSITORY / ".cache" / "store"


@pytest.fixture(scope="session")
def loaded(
    own_catalog: Catalog, shared_folder: Path, store_folder: Path
) -> Callable[[str, str], LoadedPort]:
    """`loaded(model, port)`: a port of our catalog from its worker process, once a session."""
    place = TaskFolders(root=own_catalog.root, store=str(store_folder))

    @functools.cache
    def load(model: str, port: str) -> LoadedPort:
        held, found = own_catalog.port(f"{model}/{port}")
        needed = loading.environment(found.framework, found.request)
        if needed is not None:
            creation.create(needed)
        task = tasks.load.task(own_catalog, held, found)
        with FileLock(shared_folder / f"{model}-{port}.lock"):
            answer = LOAD.stored(task.inputs, place)
            data = answer.data if answer else place.read(work(place, task).digest)
        result = msgspec.msgpack.decode(data, type=LOAD.result)
        assert result.failure is None, result.failure
        return whole(result, place)

    return load


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Environment]:
    """`environment(name)`: a locked environment, made if it is not there yet."""

    @functools.cache
    def create(name: str) -> Environment:
        held = environments.locked(name)
        creation.create(held)
        return held

    return create


@pytest.fixture
def tasks_here() -> Iterator[None]:
    """Builds run their tasks in this process: see `tests.serial`."""
    with serial.tasks_here():
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """`golden(name, made)`: `made` is, byte for byte, what `tests/golden/name` holds."""

    def compare(name: str, made: bytes) -> None:
        path = GOLDEN / name
        if request.config.getoption("--rewrite-golden"):
            path.write_bytes(made)
        assert path.exists(), "no golden file of that name: run pytest --rewrite-golden"
        expected = path.read_bytes()
        assert made.decode().splitlines() == expected.decode().splitlines()
        assert made == expected

    return compare
