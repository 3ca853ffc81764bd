"""The process that computes one comparison, from the server's side; its own side is `worker`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from modeldocs.site.serving.plan import PLAN, START, Plan

_STOP_SECONDS = 10.0


class WaitingProcess:
    """A process that waits in `folder` for a plan. It holds a pipe of this one: when this one ends,
    however it does, it ends as well and deletes the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "tmp").mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "modeldocs.site.serving.worker", str(folder)],
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._pipe = self._process.stdin

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def begin(self, plan: Plan) -> None:
        """Let it carry out a plan; nothing happens where it was ended before."""
        with contextlib.suppress(OSError, ValueError):
            (self._folder / PLAN).write_bytes(msgspec.json.encode(plan))
            self._pipe.write(START)
            self._pipe.flush()

    def end(self) -> None:
        """Close its pipe, at which it ends; kill it where it does not."""
        with contextlib.suppress(OSError):
            self._pipe.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
