"""What many tests share: our catalog, its ports loaded once a session, and golden files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock

from modeldocs import catalog, environments
from modeldocs.build import loading
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog
from modeldocs.environments import Environment, creation
from modeldocs.loaders import isolated
from modeldocs.loaders.isolated import Loaded

REPOSITORY = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write what was made to tests/golden instead of comparing with it",
    )


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
def store_folder(shared_folder: Path) -> Path:
    """The store of a session: whatever loads a port of our catalog keeps it here for the others."""
    return shared_folder / "store"


@pytest.fixture(scope="session")
def loaded(
    own_catalog: Catalog, shared_folder: Path, store_folder: Path
) -> Callable[[str, str], Loaded]:
    """`loaded(model, port)`: a port of our catalog from its worker process, once a session."""
    place, root = Store(store_folder), Path(own_catalog.root)

    @functools.cache
    def load(model: str, port: str) -> Loaded:
        held, found = own_catalog.port(f"{model}/{port}")
        needed = isolated.environment(found.framework, found.request)
        if needed is not None:
            creation.create(needed)
        task = loading.load_task(own_catalog, held, found)
        with FileLock(shared_folder / f"{model}-{port}.lock"):
            data = loading.stored_load(place, task, found, root)
            if data is None:
                made = msgspec.msgpack.decode(loading.run_load(task), type=Loaded)
                data = loading.remember_load(place, task, found, root, made)
        result = msgspec.msgpack.decode(data, type=Loaded)
        assert result.failure is None, result.failure
        return result

    return load


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Environment]:
    """`environment(name)`: a locked environment, made if it is not there yet."""

    @functools.cache
    def made(name: str) -> Environment:
        held = environments.locked(name)
        creation.create(held)
        return held

    return made


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
