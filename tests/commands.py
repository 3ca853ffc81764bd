"""Commands of modeldocs: in processes of their own, to be interrupted, and in this one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from modeldocs.cli import main
from tests.serial import tasks_here


def run_here(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command in a folder, in this process, which has imported what it needs."""
    with contextlib.chdir(cwd), tasks_here():
        result = CliRunner().invoke(main, words, prog_name="modeldocs")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)


@contextlib.contextmanager
def running(*words: str, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A command that heeds SIGINT, which background jobs of a shell ignore; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "modeldocs", *words],
        cwd=cwd,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
