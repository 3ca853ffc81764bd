"""Commands of modeldocs in processes of their own, to be interrupted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


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
