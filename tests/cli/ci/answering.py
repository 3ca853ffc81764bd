"""`modeldocs` for scripts, run in the process of the tests, which has imported what it needs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from tests.commands import run_here

_SCRIPT = """\
#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as asking:
    asking.connect({place!r})
    asking.sendall(json.dumps([os.getcwd(), dict(os.environ), sys.argv[1:]]).encode())
    asking.shutdown(socket.SHUT_WR)
    code, output, error = json.load(asking.makefile())
sys.stdout.write(output)
sys.stderr.write(error)
sys.exit(code)
"""


def run_script(script: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What Bash does with a script, which ends with the first command that fails.

    Its `modeldocs` has the arguments, the folder and the environment that the script gives it.
    """
    with contextlib.ExitStack() as held:
        place = Path(held.enter_context(tempfile.TemporaryDirectory()))
        told = [held.enter_context((place / name).open("w+")) for name in ("output", "error")]
        listening = held.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(place / "socket"))
        listening.listen()
        command = place / "bin" / "modeldocs"
        command.parent.mkdir()
        command.write_text(_SCRIPT.format(python=sys.executable, place=str(place / "socket")))
        command.chmod(0o755)
        process = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=folder,
            env=env | {"PATH": os.pathsep.join([str(command.parent), env["PATH"]])},
            stdout=told[0],
            stderr=told[1],
        )
        while process.poll() is None:
            if select.select([listening], [], [], 0.02)[0]:
                _answer(listening)
        for file in told:
            file.seek(0)
        output, error = (file.read() for file in told)
        return subprocess.CompletedProcess(script, process.returncode, output, error)


def _answer(listening: socket.socket) -> None:
    """Run the command of one connection."""
    asked, _ = listening.accept()
    with asked:
        folder, variables, words = json.load(asked.makefile())
        with mock.patch.dict(os.environ, variables, clear=True):
            done = run_here(*words, cwd=Path(folder))
        asked.sendall(json.dumps([done.returncode, done.stdout, done.stderr]).encode())
