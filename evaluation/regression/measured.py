"""Runs of one small program, repeated on this machine: step times by process, kept in a cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs

PROCESSES: Final = 60
"""Processes that are recorded of each program, one after another."""

WARM_UP, TIMED = 0.5, 2.0
"""Seconds of a process that are not timed, and that are."""

CACHE: Final = Path(platformdirs.user_cache_dir("modeldocs"), "bench-regression")


_MATRIX: Final = np.random.default_rng(0).standard_normal((384, 384), dtype=np.float32)
_VECTOR: Final = np.random.default_rng(0).standard_normal(4_000_000, dtype=np.float32)
_RESULT: Final = np.zeros_like(_VECTOR)

PROGRAMS: Final[dict[str, Callable[[], object]]] = {
    "matrix products": lambda: _MATRIX @ _MATRIX,
    "sums of vectors": lambda: np.add(_VECTOR, _VECTOR, out=_RESULT),
    "sums into new memory": lambda: _VECTOR + _VECTOR,
}
"""Steps that are timed: bound by arithmetic, by memory, and by the system that hands out memory."""


def steps(program: str) -> list[float]:
    """Milliseconds of the steps of this process."""
    step = PROGRAMS[program]
    warm = time.perf_counter() + WARM_UP
    while time.perf_counter() < warm:
        step()
    times, end = [], time.perf_counter() + TIMED
    while (start := time.perf_counter()) < end:
        step()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def recorded(program: str) -> list[list[float]]:
    """Step times of processes that ran the same program, in the order in which they ran."""
    file = CACHE / f"{program.replace(' ', '-')}-{PROCESSES}.json"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        processes = [_process(program) for _ in range(PROCESSES)]
        file.write_text(json.dumps(processes))
    series: list[list[float]] = json.loads(file.read_text())
    return series


def _process(program: str) -> list[float]:
    """Step times of a fresh process, on one thread."""
    command = [sys.executable, "-m", __spec__.name, program]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(
        command, env={**os.environ, **threads}, capture_output=True, text=True, check=True
    )
    times: list[float] = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    sys.stdout.write(json.dumps([round(ms, 4) for ms in steps(sys.argv[1])]))
