"""A store that was filled elsewhere builds the site, with no framework and in another folder."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.clean_machine import FRAMEWORKS, REPOSITORY, Elsewhere
from tests.commands import run_here

from .test_determinism import DATED, files

pytestmark = [pytest.mark.xdist_group("elsewhere"), pytest.mark.slow]

PORTS = ("caffe.prototxt", "chainer.py", "keras.py", "model.onnx", "pytorch.py", "torch7.lua")
PROVEN = ("lenet/pytorch", "lenet/chainer", "lenet/onnx", "lenet/torch7")
CONFIG = {
    "site_name": "Models",
    "theme": {"name": "material", "font": False},
    "plugins": ["search", "modeldocs"],
}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    return Elsewhere(tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, environment: Callable[[str], object]) -> Path:
    """LeNet in six frameworks, built here from what nothing was stored of; some ports proven."""
    folder = tmp_path_factory.mktemp("here") / "project"
    model = folder / "models" / "lenet"
    model.mkdir(parents=True)
    for name in PORTS:
        shutil.copy(REPOSITORY / "models" / "lenet" / name, model)
    settings = {"title": "LeNet", "reference": "caffe", "pairs": "reference"}
    (model / "model.yml").write_text(yaml.safe_dump(settings))
    (folder / "docs").mkdir()
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(CONFIG))
    for name in ("tensorflow", "chainer"):
        environment(name)
    succeeds(run_here("verify", *PROVEN, "--strict", cwd=folder))
    succeeds(run_here("build", "--strict", cwd=folder))
    return folder


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """A web server that lists no folders: its address, its folder, and the requests that it got."""
    requests: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *of: object) -> None:
            super().__init__(*of, directory=str(tmp_path / "served"))

        def list_directory(self, _path: object) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            requests.append(self.command)

    (tmp_path / "served").mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", tmp_path / "served", requests
        listening.shutdown()


@pytest.fixture
def moved(project: Path, tmp_path: Path) -> Path:
    """The project and its store on another machine: at another path, without the site."""
    folder = tmp_path / "some" / "other" / "place"
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("site", "pages", "late"))
    return folder


def succeeds(process: subprocess.CompletedProcess[str]) -> str:
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def results(folder: Path) -> dict[str, int]:
    """The files of results in a store; a file that is written again has another number."""
    kept = [file for kind in ("answers", "objects") for file in (folder / kind).rglob("*")]
    return {str(file.relative_to(folder)): file.stat().st_ino for file in kept if file.is_file()}


def test_no_framework_can_be_imported_there(elsewhere: Elsewhere, tmp_path: Path) -> None:
    code = f"from importlib import util; print([n for n in {FRAMEWORKS} if util.find_spec(n)])"
    assert succeeds(elsewhere.python("-c", code, cwd=tmp_path)) == "[]\n"


def test_it_builds_the_same_site_and_runs_nothing(
    elsewhere: Elsewhere, project: Path, moved: Path
) -> None:
    before = results(moved / ".modeldocs")
    said = succeeds(elsewhere.run("build", "--strict", "--jobs", "1", cwd=moved))
    assert "1 model, 6 ports, 5 diffs, 0 records, 0 failures; 0 loaded now" in said
    assert results(moved / ".modeldocs") == before
    here, there = project / "site", moved / "site"
    assert files(here) == files(there)
    differing = [n for n in files(here) if (here / n).read_bytes() != (there / n).read_bytes()]
    assert [name for name in differing if name not in DATED] == []


def test_a_remote_store_that_was_filled_here_is_enough_there(
    elsewhere: Elsewhere, project: Path, moved: Path, server: tuple[str, Path, list[str]]
) -> None:
    address, folder, requests = server
    succeeds(run_here("build", "--strict", "--store", f"file://{folder}", cwd=moved))
    shutil.rmtree(moved / ".modeldocs")
    said = succeeds(elsewhere.run("build", "--strict", "--store", address, cwd=moved))
    assert "0 failures; 0 loaded now" in said
    here, there = project / "site", moved / "site"
    assert files(here) == files(there)
    differing = [n for n in files(here) if (here / n).read_bytes() != (there / n).read_bytes()]
    assert [name for name in differing if name not in DATED] == []
    assert set(requests) <= {"GET", "HEAD"}
    assert "431,080 parameters" in succeeds(elsewhere.run("load", "lenet/pytorch", cwd=moved))


def test_commands_on_ports_answer_too(elsewhere: Elsewhere, moved: Path) -> None:
    said = succeeds(elsewhere.run("load", "lenet/pytorch", cwd=moved))
    assert "431,080 parameters" in said
    succeeds(elsewhere.run("diff", "lenet/caffe", "lenet/keras", "--parity", cwd=moved))
    succeeds(elsewhere.run("verify", "lenet/pytorch", "--strict", cwd=moved))


FAILURES = {
    "pytorch.py": "PyTorch is not installed",
    "keras.py": "the environment that Keras runs in is not there",
}


def test_ports_that_changed_fail_with_the_command_that_mends_it(
    elsewhere: Elsewhere, moved: Path
) -> None:
    for port in FAILURES:
        with (moved / "models" / "lenet" / port).open("a") as file:
            file.write("\n# changed\n")
    process = elsewhere.run("build", "--strict", "--jobs", "1", cwd=moved)
    assert process.returncode == 1
    assert process.stderr.count("fix: ") >= len(FAILURES)
    assert f"{len(FAILURES)} failures; 0 loaded now" in process.stdout
    for port, failure in FAILURES.items():
        assert failure in process.stderr
        page = moved / "site" / "models" / "lenet" / "ports" / Path(port).stem / "index.html"
        assert failure in page.read_text()


def test_a_data_file_that_changed_is_loaded_there(elsewhere: Elsewhere, moved: Path) -> None:
    with (moved / "models" / "lenet" / "caffe.prototxt").open("a") as file:
        file.write("# changed\n")
    assert "0 failures; 1 loaded now" in succeeds(elsewhere.run("build", "--strict", cwd=moved))
