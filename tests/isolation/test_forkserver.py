"""Runs that a server forks: what they share, which is only what was imported before any of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from modeldocs import environments, isolation
from modeldocs.isolation import Limits, forkservers
from modeldocs.loaders import LoadRequest, loading

from .misbehaving import Code

REPOSITORY = Path(__file__).parents[2]
MODULE = Code.__module__

pytestmark = pytest.mark.skipif(not forkservers.available(), reason="only Linux has fork servers")


@pytest.fixture
def run(monkeypatch):
    """`run(code)`: what `code` printed and how it ended, in a process forked by a server."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))

    def start(code, *, preload=(MODULE,), seconds=20):
        request = Code(text=textwrap.dedent(code))
        with isolation.run(MODULE, request, Limits(seconds=seconds), preload=preload) as outcome:
            return outcome

    return start


def test_a_server_serves_one_run_after_the_other(run):
    code = "import os; print(os.getppid())"
    assert run(code).printed == run(code).printed


def test_what_is_preloaded_is_imported_before_the_run(run):
    code = "import sys; print('xml.dom.minidom' in sys.modules)"
    assert run(code).printed == "False\n"
    preload = (MODULE, "xml.dom.minidom")
    assert run(code, preload=preload).printed == "True\n"


def test_runs_that_need_our_own_modules_alone_share_a_server(run):
    code = "import os, sys; print(os.getppid(), 'modeldocs.mark' in sys.modules)"
    ours = (f"modeldocs.{name}" for name in ("mark", "git", "cache_last"))
    first, second, third = (run(code, preload=(name,)).printed for name in ours)
    assert first == second == third
    assert first.endswith(" True\n")
    assert run(code).printed.split()[0] != first.split()[0]


def test_loads_of_the_frameworks_of_one_environment_share_a_server():
    keys = {
        forkservers._shared(("python", loading.preload(framework), ()))
        for framework in ("keras", "tensorflow")
    }
    assert len(keys) == 1


def test_a_server_writes_the_bytecode_that_a_package_lacks(run, tmp_path, monkeypatch):
    (tmp_path / "uncompiled.py").write_text("import os\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    code = "import sys; print(sys.dont_write_bytecode, 'uncompiled' in sys.modules)"
    assert run(code, preload=(MODULE, "uncompiled")).printed == "True True\n"
    assert [file.stem.partition(".")[0] for file in tmp_path.rglob("*.pyc")] == ["uncompiled"]


@pytest.mark.parametrize("framework", ["caffe", "mxnet", "onnx", "torch7"])
def test_a_load_finds_imported_what_loads_share(run, framework):
    preload = loading.preload(framework)
    code = f"""
        import sys
        before = set(sys.modules)
        import modeldocs.loaders.{framework}.assembly, modeldocs.loaders.{framework}.source
        import modeldocs.loaders.weights, modeldocs.normal, onnxscript.optimizer
        print(sorted(set(sys.modules) - before - {{"mxnet"}}))
        """
    assert run(code, preload=("tests.misbehaving", *preload)).printed == "[]\n"


def test_comparisons_find_their_random_numbers_drawn(run):
    code = """
        import os
        from modeldocs.numeric.parity import weight_init
        print(os.getppid(), weight_init._numbers.cache_info().currsize)
        """
    preload = ("tests.misbehaving", "modeldocs.numeric.parity.worker:preload")
    first = run(code, preload=preload).printed
    assert first.endswith(" 1\n")
    assert run(code, preload=preload).printed == first  # by one server: it started no threads


def test_drawings_find_the_fonts_found(run):
    code = """
        import os
        with open("/proc/self/maps") as maps:
            print(os.getppid(), "pango" in maps.read().lower())
        """
    preload = ("tests.misbehaving", "modeldocs.diagram.layout:preload")
    first = run(code, preload=preload).printed
    assert first.endswith(" True\n")
    assert run(code, preload=preload).printed == first  # by one server: it started no threads


def test_nothing_that_a_run_changes_is_seen_by_the_next(run):
    run(
        """
        import json, os, sys
        sys.modules["planted"] = json
        json.planted = 1
        os.environ["PLANTED"] = "x"
        """
    )
    seen = run(
        """
        import json, os, sys
        print("planted" in sys.modules, hasattr(json, "planted"), "PLANTED" in os.environ)
        """
    )
    assert seen.printed == "False False False\n"


def test_a_run_that_crashes_costs_itself_alone(run):
    server = run("import os; print(os.getppid())").printed
    assert run("import os; os.abort()").failure == "crashed its process with SIGABRT"
    assert run("import os; print(os.getppid())").printed == server


@pytest.mark.skipif(os.geteuid() != 0 and sys.platform != "linux", reason="wants signals")
def test_a_server_that_was_killed_is_replaced(run):
    server = int(run("import os; print(os.getppid())").printed)
    os.kill(server, signal.SIGKILL)
    time.sleep(0.1)
    outcome = run("import os; print(os.getppid())")
    assert outcome.failure is None
    assert int(outcome.printed) != server


def test_a_package_that_starts_threads_is_imported_by_each_run(run, tmp_path, monkeypatch):
    sleeper = "threading.Thread(target=time.sleep, args=(600,), daemon=True)"
    (tmp_path / "threaded.py").write_text(f"import threading, time\n{sleeper}.start()\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    outcome = run("import os; print(os.getppid())", preload=(MODULE, "threaded"))
    assert outcome.printed == f"{os.getpid()}\n"


def test_a_server_ends_with_the_process_that_started_it(tmp_path):
    program = """
    import os, time
    from modeldocs import environments, isolation
    from modeldocs.isolation import Limits
    from tests.isolation.misbehaving import Code
    with isolation.run(
        Code.__module__, Code(text="import os; print(os.getppid())"), Limits(seconds=20),
        preload=[Code.__module__],
    ) as outcome:
        print(outcome.printed, flush=True)
    time.sleep(60)
    """
    paths = os.pathsep.join([str(REPOSITORY), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )
    server = int(process.stdout.readline())
    assert Path(f"/proc/{server}").exists()
    process.kill()
    process.wait()
    end = time.monotonic() + 10
    while Path(f"/proc/{server}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{server}").exists()


def test_a_process_that_was_killed_leaves_no_folder_of_its_run(tmp_path):
    program = """
    from modeldocs import isolation
    from modeldocs.isolation import Limits
    from tests.isolation.misbehaving import Code
    code = "print('began', flush=True); import time; time.sleep(600)"
    with isolation.run(
        Code.__module__, Code(text=code), Limits(seconds=600), preload=[Code.__module__]
    ):
        pass
    """
    paths = os.pathsep.join([str(REPOSITORY), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": paths, "TMPDIR": str(tmp_path)},
    )

    def wait_until(holds) -> None:
        end = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < end, list(tmp_path.iterdir())
            time.sleep(0.05)

    wait_until(lambda: any(path.read_text() for path in tmp_path.glob("*/printed.txt")))
    process.kill()
    process.wait()
    wait_until(lambda: not any(tmp_path.iterdir()))


@pytest.mark.parametrize("declared", [False, True])
def test_packages_that_a_catalog_declares_are_not_imported_by_a_server(monkeypatch, declared):
    environment = environments.declared("3.11", ("numpy==2.4.6",)) if declared else None
    request = LoadRequest(root=".", path="keras.py", declared=environment)
    asked = []

    @contextlib.contextmanager
    def recorded(*_, preload, **__):
        asked.extend(preload)
        yield None

    monkeypatch.setattr(isolation, "run", recorded)
    with loading.running("keras", request, Limits()):
        pass
    assert bool(asked) is not declared


def test_a_server_that_is_ended_leaves_nothing_in_the_temporary_folder(run, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run("print('done')", preload=(MODULE, "wave")).printed == "done\n"
    forkservers.close()
    assert list(tmp_path.iterdir()) == []


def test_few_idle_servers_are_kept(run):
    modules = ["colorsys", "sndhdr", "chunk", "cmd", "fileinput", "getopt", "netrc", "plistlib"]
    servers = [
        int(run("import os; print(os.getppid())", preload=(MODULE, name)).printed)
        for name in modules
    ]
    alive = [server for server in servers if Path(f"/proc/{server}").exists()]
    assert len(alive) <= forkservers.MAX_IDLE
