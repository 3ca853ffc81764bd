"""A small catalog to run commands on, and a way to run them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from modeldocs.cli import main
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.tasks import store
from tests.prototxts import NET


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a catalog of one model of two ports, one of them broken."""
    model = tmp_path / "models" / "net"
    model.mkdir(parents=True)
    (model / "caffe.prototxt").write_text(NET)
    (model / "broken.prototxt").write_text('layer { name: "a" type: ')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def loads_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands of a test module share loads of equal files, since each takes a process."""

    def load(framework: str, request: LoadRequest, limits: Limits) -> LoadedPort:
        content = Path(str(request.path)).read_bytes()
        key = (framework, content, store.key(msgspec.structs.replace(request, root="", path="")))
        if key not in _LOADS:
            _LOADS[key] = load_really(framework, request, limits)
        return _LOADS[key]

    load_really = loading.load
    monkeypatch.setattr(loading, "load", load)


_LOADS: dict[tuple[str, bytes, str], LoadedPort] = {}


@pytest.fixture
def run(tasks_here: None) -> Callable[..., Result]:
    """Run a command; whatever it was, it ends without a traceback."""

    def invoke(*words: str) -> Result:
        result = CliRunner().invoke(main, words, prog_name="modeldocs")
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def refused(run: Callable[..., Result]) -> Callable[..., str]:
    """Run a command that cannot be done: exit code 2, nothing on stdout; what it said."""

    def stderr_of(*words: str) -> str:
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.strip()
        return result.stderr

    return stderr_of
