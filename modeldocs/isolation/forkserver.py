"""A process that has imported packages, and forks itself for each isolated run that needs them.

`bootstrap` starts it for `modeldocs.isolation.forkservers`. It never runs code of a port: what a
run does stays in the forked process, which confines itself before it imports the port.

It reads lines from its standard input: what to import, and the folder of each run. To the former it
answers whether it may still fork, to the latter with the number of the process, then with its exit
status. It ends when its input ends, and ends the run with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from modeldocs import gc_tuning, lazy_import
from modeldocs.isolation import confinement

_PR_SET_CHILD_SUBREAPER = 36
IMPORT, RUN = "import", "run"
"""The commands of a server, before what to import and before a folder."""
_LOOKS = 20
"""How often a server looks, in as many milliseconds, whether its threads have ended."""


def main() -> None:
    """Import modules, call functions (`module:function`), and serve runs until the input ends."""
    commands, answers = _private_streams()
    lazy_import.defer_symbolic()
    _preload("numpy")
    # Orphans of a run become children of this process, which ends them.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    gc_tuning.collect_rarely()
    try:
        _serve(commands, answers)
    finally:
        shutil.rmtree(os.environ["HOME"], ignore_errors=True)


def _serve(commands: IO[str], answers: IO[str]) -> None:
    for line in commands:
        command, _, argument = line.rstrip("\n").partition(" ")
        if command == IMPORT:
            _say(answers, "ready" if _import(argument.split()) else "threads")
            continue
        folder = Path(argument)
        child = os.fork()
        if child == 0:
            commands.close()
            answers.close()
            _run(folder)
        _say(answers, str(child))
        status = _wait(child, commands)
        if status is None:
            shutil.rmtree(folder, ignore_errors=True)  # the parent was killed, and cannot
            return
        _kill_orphans()
        _say(answers, str(status))


def _import(names: list[str]) -> bool:
    """Import modules and call functions; whether this process may fork after that.

    Bytecode that is lacking is written, which runs cannot: else each server would compile again
    what was installed without it, such as torch by `uv pip install`.
    """
    before = _threads()
    sys.dont_write_bytecode = False
    for name in names:
        _preload(name)
    sys.dont_write_bytecode = True
    gc.freeze()  # objects that are never collected stay shared with the forked processes
    return _threads() == before or _is_alone_after_fork()


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def _is_alone_after_fork() -> bool:
    """Whether no thread stays beside this one: those of numpy's products end before a fork by
    themselves, and are started again when they are needed.
    """
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    for _ in range(_LOOKS):  # Linux may list a thread for a moment after its end
        if _threads() == 1:
            return True
        time.sleep(0.001)
    return False


def _private_streams() -> tuple[IO[str], IO[str]]:
    """The streams of commands and answers, which what is imported can neither read nor write."""
    commands = os.fdopen(os.dup(0), "r", buffering=1)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    return commands, answers


def _say(answers: IO[str], text: str) -> None:
    answers.write(text + "\n")
    answers.flush()


def _preload(name: str) -> None:
    """Import a module or call a function; what fails here fails in the run too, which tells it."""
    module, _, function = name.partition(":")
    with contextlib.suppress(Exception):
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()


def _run(folder: Path) -> None:
    """The whole of a forked process: as a new one would be, in the folder of its run."""
    code = 1
    try:
        os.setsid()
        printed = os.open(folder / "printed.txt", os.O_WRONLY)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        home = str(folder / "home")
        os.chdir(home)
        os.environ.update(HOME=home, TMPDIR=home)
        tempfile.tempdir = None
        confinement.main(folder)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(child: int, commands: IO[str]) -> int | None:
    """The exit status of a run, as `subprocess` has it; None where the parent ended, after it was
    killed.
    """
    ended = os.pidfd_open(child)
    try:
        readable, _, _ = select.select([ended, commands.fileno()], [], [])
        if ended not in readable:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            _kill_orphans()
            return None
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill_orphans() -> None:
    """Kill the processes that a run left, which are children of this one by now."""
    while _has_children():
        for child in _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _has_children() -> bool:
    """Whether there is any, which most runs do not leave; to look through /proc takes longer."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _children() -> Iterator[int]:
    own = os.getpid()
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # The name of the program, in parentheses, may hold spaces.
            if int(place.read_text().rpartition(")")[2].split()[1]) == own:
                yield int(place.parent.name)
