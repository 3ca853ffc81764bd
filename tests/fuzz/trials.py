"""Inputs tried one by one in a process that may die of them, and what came of each."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modeldocs import environments
from modeldocs.environments import creation

from . import views
from .parsers import PARSERS
from .worker import REPOSITORY, crash

SECONDS = 10.0
"""What one input may take before it counts as a hang."""

MEMORY_MB = 2048
"""What a process may take beyond what its imports need."""

START_SECONDS = 300.0


@dataclass
class Found:
    """One way in which inputs failed: how often, and the first of them."""

    key: str
    number: int
    said: str
    times: int = 1


@dataclass
class Score:
    """What came of a parser's inputs."""

    parser: str
    counts: Counter[str] = field(default_factory=Counter)
    found: dict[str, Found] = field(default_factory=dict)
    peak: int = 0
    seconds: float = 0.0

    def add(self, number: int, told: dict[str, Any]) -> None:
        """Count one input."""
        self.counts[told["outcome"]] += 1
        self.peak = max(self.peak, told.get("peak", 0))
        key = told.get("key")
        if key is None:
            return
        if key in self.found:
            self.found[key].times += 1
        else:
            print(f"{self.parser}, {number}: {key}", file=sys.stderr, flush=True)  # noqa: T201
            self.found[key] = Found(key, number, told.get("said", ""))


class Trials:
    """A worker process for one parser, started again whenever it is gone."""

    def __init__(self, parser: str) -> None:
        self.parser = parser
        self.python = _python(PARSERS[parser].environment)
        self.process: subprocess.Popen[bytes] | None = None
        self.seen: set[int] = set()

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def number(self, seed: int, number: int, keep: Path | None = None) -> dict[str, Any]:
        """What comes of one broken input, which is written to `keep`."""
        kept = {"keep": str(keep.absolute())} if keep is not None else {}
        return self._shown(self._ask({"seed": seed, "number": number} | kept))

    def file(self, path: Path, name: str) -> dict[str, Any]:
        """What comes of a file."""
        return self._shown(self._ask({"file": str(path), "name": name}))

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        seconds = SECONDS + 5
        if self.process is None:
            self._start()
            seconds = START_SECONDS
        assert self.process is not None and self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(asked).encode() + b"\n")
            self.process.stdin.flush()
            line = self._answer(seconds)
        except BrokenPipeError:
            line = b""
        if line is None:
            self._end()
            return {"outcome": "hung", "key": "hung, and had to be killed"}
        if not line:
            status = self.process.wait()
            self._end()
            return {"outcome": "crashed", "key": f"the process ended with status {status}"}
        told: dict[str, Any] = json.loads(line)
        return told

    def _answer(self, seconds: float) -> bytes | None:
        assert self.process is not None and self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else None

    def _shown(self, told: dict[str, Any]) -> dict[str, Any]:
        """The same, or what kept its graph from being shown."""
        graph = told.pop("graph", None)
        if graph is None:
            return told
        data = graph.encode("utf-8", "surrogatepass")
        digest = hash(data)
        if digest in self.seen:
            return told
        self.seen.add(digest)
        try:
            views.show(data)
        except Exception as error:
            told |= crash(error)
        return told

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [self.python, "-P", "-m", "tests.fuzz.worker", self.parser, str(SECONDS),
             str(MEMORY_MB)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=REPOSITORY,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY), "CUDA_VISIBLE_DEVICES": "",
                              "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    def _end(self) -> None:
        if self.process is None:
            return
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()
        self.process.kill()
        self.process.wait()
        self.process = None


def _python(environment: str | None) -> str:
    if environment is None:
        return sys.executable
    held = environments.locked(environment)
    creation.create(held)
    return str(held.executable)
