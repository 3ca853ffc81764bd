"""A build that is killed at any moment leaves a store from which the next build is right."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prototxts import NET
from tests.tasks.test_build import onnx_file

pytestmark = pytest.mark.xdist_group("build")

KILLS = 20
TO_FOLDER, TO_SITE = ("--folder", "--out", "pages"), ("--out", "site")
LIVES = [("title", TO_FOLDER)] * 9 + [("port", TO_FOLDER)] * 5 + [("port", TO_SITE)] * 2
"""What changed before a build, and what it writes: a plain folder, or a site by MkDocs."""


class Builds:
    """Builds of the catalog in a folder, in processes that can be killed with all they started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.tasks.builds"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2])])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def run(self, *words: str, seconds: float | None = None) -> int:
        """The exit status of a build, which is killed after so many seconds."""
        assert self.server.stdin is not None and self.server.stdout is not None
        self.server.stdin.write(json.dumps([*words, "--jobs", "1", "--no-parity"]).encode() + b"\n")
        process = int(self._line())
        if not select.select([self.server.stdout], [], [], seconds)[0]:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
        return int(self._line())

    def _line(self) -> bytes:
        assert self.server.stdout is not None
        return self.server.stdout.readline()


@pytest.fixture
def builds(tmp_path) -> Iterator[Builds]:
    model = tmp_path / "models" / "net"
    model.mkdir(parents=True)
    (model / "caffe.prototxt").write_text(NET)
    onnx_file(model / "model.onnx")
    running = Builds(tmp_path)
    yield running
    assert running.server.stdin is not None
    running.server.stdin.close()
    running.server.wait()


def change(folder: Path, what: str, number: int) -> None:
    """Change a port, so that a build has something to load, draw and compare, or a title alone."""
    model = folder / "models" / "net"
    if what == "port":
        text = NET.replace("num_output: 4", f"num_output: {number + 5}")
        (model / "caffe.prototxt").write_text(text)
    (model / "model.yml").write_text(f"title: Net {number}\n")


def content(folder: Path) -> dict[str, str]:
    """Digests of the pages and data in a folder."""
    files = [p for p in folder.rglob("*") if p.suffix in (".md", ".html", ".json", ".svg", ".onnx")]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_a_build_after_any_number_of_kills_is_that_of_a_fresh_store(builds, tmp_path):
    assert builds.run(*TO_FOLDER) == 0
    duration = {}
    for number, life in enumerate(sorted(set(LIVES))):
        change(tmp_path, life[0], number)
        start = time.monotonic()
        assert builds.run(*life[1]) == 0
        duration[life] = time.monotonic() - start
    chance = random.Random(14)
    killed = rounds = 0
    while killed < KILLS:
        rounds += 1
        assert rounds < 3 * KILLS
        what, words = life = chance.choice(LIVES)
        change(tmp_path, what, rounds + 10)
        status = builds.run(*words, seconds=chance.uniform(0, duration[life]))
        assert status in (0, -signal.SIGKILL)
        killed += status != 0
    for words, again in ((TO_FOLDER, "pages-fresh"), (TO_SITE, "site-fresh")):
        assert builds.run(*words) == 0
        assert builds.run("--store", "fresh", *words[:-1], again) == 0
        made = content(tmp_path / words[-1])
        assert len(made) > 10
        assert made == content(tmp_path / again)
