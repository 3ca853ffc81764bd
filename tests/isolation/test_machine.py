"""How a run is told that the machine failed, and one that failed by itself."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits, watch
from tests import faults

from .misbehaving import Code

MODULE = Code.__module__
REPOSITORY = Path(__file__).parents[2]
COMPUTES, SLEEPS = "while True: pass", "import time; time.sleep(600)"
IN_A_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{COMPUTES}'])"


@pytest.fixture(params=["new process", "forked"])
def run(monkeypatch, request):
    """`run(code)`: how running `code` isolated ended."""
    preload = [MODULE] if request.param == "forked" else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))

    def start(code, python=sys.executable, *, result=True, **limits):
        limited = Limits(**({"seconds": 20} | limits))
        asked = Code(text=code, result=result)
        with isolation.run(MODULE, asked, limited, python, preload=preload) as ended:
            return ended

    return start


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Within this block four programs compute for each processor."""
    hogs = [
        subprocess.Popen([sys.executable, "-c", COMPUTES])
        for _ in range(4 * len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


@pytest.mark.parametrize("code", [COMPUTES, SLEEPS, IN_A_CHILD])
def test_a_run_that_had_its_time_ends_by_itself(run, code):
    ended = run(code, seconds=1)
    assert (ended.failure, ended.machine) == ("was stopped after 1 s", False)


def test_one_that_the_machine_gives_no_time_does_not(run):
    with faults.signalled(signal.SIGSTOP, seconds=0.5):
        ended = run(SLEEPS)
    assert ended.machine and ended.failure.startswith("was stopped after 1.5 s, in most of which")
    with pytest.raises(ModeldocsError, match="not the definition: loading it was stopped"):
        ended.check(doing="loading it ")


def test_on_a_busy_machine_a_run_gets_the_time_that_it_may_compute(run):
    """With a fifth of a processor it takes longer than its limit by the clock, and ends well."""
    code = "import time\nwhile time.process_time() < 0.7: pass"
    began = time.monotonic()
    with busy():
        ended = run(code, seconds=1)
    assert ended.failure is None or ended.machine
    assert time.monotonic() - began < 20


def test_where_the_system_tells_nothing_no_end_is_its_own(run, monkeypatch):
    monkeypatch.setattr(watch, "_tree", lambda _: iter(()))
    ended = run(SLEEPS, seconds=0.5)
    assert ended.machine and "this system does not tell" in ended.failure


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_a_signal_of_others_is_told_with_all_that_may_have_sent_it(run, name):
    ended = run(f"import os, signal; os.kill(os.getpid(), signal.{name})", result=False)
    assert ended.machine
    expected = f"was killed ({name}) by the system, by another program, or by its own code"
    assert ended.failure == expected


def test_memory_that_ran_out_meanwhile_is_told(run, monkeypatch, tmp_path):
    counts = tmp_path / "vmstat"
    counts.write_text("nr_free_pages 1\noom_kill 3\n")
    monkeypatch.setattr(watch, "_COUNTS", counts)
    moments = watch.RunWatch.moments

    def struck(one, process):
        counts.write_text("oom_kill 4\n")
        os.kill(process, signal.SIGKILL)
        yield from moments(one, process)

    monkeypatch.setattr(watch.RunWatch, "moments", struck)
    ended = run(SLEEPS)
    assert ended.failure == "was killed (SIGKILL) while the machine ran out of memory"


@pytest.mark.parametrize("number", [28, 5, 23])
def test_what_the_machine_refuses_our_code_in_it_is_not_its_own(run, number):
    """The module that runs is ours, and catches what a port's code raises."""
    ended = run(f"raise OSError({number}, 'no')")
    assert ended.machine and ended.failure.startswith("the disk of ")


@pytest.mark.parametrize("code", ["raise OSError(27, 'no')", "raise MemoryError"])
def test_a_limit_of_its_own_is(run, code):
    ended = run(code)
    assert (ended.failure, ended.machine) == ("ended its process itself, with status 1", False)


def test_an_interpreter_that_ends_at_once_ran_nothing(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    with isolation.run(MODULE, Code("pass"), Limits(seconds=20), str(python)) as ended:
        assert ended.machine
        assert ended.failure == "its process ended before it began, with status 3"


def test_an_interpreter_that_is_not_there_is_told():
    with (
        pytest.raises(ModeldocsError, match="a process cannot be started: No such file") as caught,
        isolation.run(MODULE, Code("pass"), Limits(seconds=20), "/nowhere/python"),
    ):
        pass
    assert caught.value.machine


def test_so_are_too_many_open_files(run):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(int(one.name) for one in Path("/proc/self/fd").iterdir()) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (used, hard))
    held = []
    try:
        with contextlib.suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(ModeldocsError, match="too many open files") as caught:
            run("pass")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for one in held:
            os.close(one)
    assert caught.value.machine
    assert run("pass").failure is None


def test_a_server_that_is_killed_is_the_machines(monkeypatch):
    """It may be what the kernel chooses where memory runs out."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), *sys.path]))

    def kill_server(one, process):
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        os.kill(int(stat[1]), signal.SIGKILL)
        yield from moments(one, process)

    moments = watch.RunWatch.moments
    monkeypatch.setattr(watch.RunWatch, "moments", kill_server)
    preload = [MODULE]
    with isolation.run(MODULE, Code(SLEEPS), Limits(seconds=20), preload=preload) as ended:
        assert ended.machine and ended.failure.startswith("was killed (SIGKILL)")
