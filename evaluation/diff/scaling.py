"""Time and memory of a diff of networks made of repeated blocks, up to 50,000 layers.

Each diff runs in a fresh process that reads both graphs from a file: `python -m
evaluation.diff.scaling A B OUT` prints its seconds of processor time and megabytes.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Final

from modeldocs import diff
from modeldocs.ir import LayerGraph, decode, encode
from tests.diff.graphs import inception, resnet50, transformer

from .mutations import mutate
from .scoring import Judge, score
from .subjects import REPOSITORY

SIZES: Final = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
EDITS: Final = 20
_LIMIT: Final = 600.0
"""Seconds after which a diff is given up."""


def _stages(blocks: int) -> LayerGraph:
    first = blocks // 4
    return resnet50(blocks=(first, first, first, blocks - 3 * first))


FAMILIES: Final[dict[str, Callable[[int], LayerGraph]]] = {
    "ResNet blocks": _stages,
    "Inception blocks": inception,
    "transformer blocks": transformer,
}


@dataclass(frozen=True, slots=True)
class Point:
    """One diff: layers of each side, processor seconds and megabytes over the loaded graphs, F1.

    The last three are None where it took too long.
    """

    family: str
    layers: int
    seconds: float | None
    megabytes: float | None
    f1: float | None


def run(sizes: tuple[int, ...] = SIZES) -> list[Point]:
    """Every family at every size, against itself with edits planted, renamed and shuffled."""
    return [_point(family, size) for family in FAMILIES for size in sizes]


def _point(family: str, size: int) -> Point:
    build = FAMILIES[family]
    few, more = len(build(8).layers), len(build(16).layers)
    old = build(max(1, round((size - few) * 8 / (more - few)) + 8))
    mutated = mutate(old, EDITS, 0)
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        paths = [Path(folder, name) for name in ("a.json", "b.json", "diff.json")]
        for path, one in zip(paths, (old, mutated.graph), strict=False):
            path.write_bytes(encode(one))
        command = [sys.executable, "-m", __spec__.name, *map(str, paths)]
        try:
            done = subprocess.run(
                command, cwd=REPOSITORY, capture_output=True, check=True, timeout=_LIMIT
            )
        except subprocess.TimeoutExpired:
            return Point(family, len(old.layers), None, None, None)
        told = diff.decode(paths[2].read_bytes())
    took = json.loads(done.stdout)
    f1 = score(Judge(old, mutated), told).f1
    return Point(family, len(old.layers), took["seconds"], took["megabytes"], f1)


def child(a: str, b: str, out: str) -> None:
    """Compare two graphs in files, write the diff, and print what it took."""
    ours, theirs = (decode(Path(name).read_bytes()) for name in (a, b))
    gc.collect()
    before, started = _megabytes("VmRSS"), process_time()
    told = diff.compare(ours, theirs)
    seconds = process_time() - started
    peak = _megabytes("VmHWM")
    Path(out).write_bytes(diff.encode(told))
    print(json.dumps({"seconds": seconds, "megabytes": peak - before}))  # noqa: T201


def _megabytes(name: str) -> float:
    """Memory of this process: what it has in use (`VmRSS`), the most it ever had (`VmHWM`)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines)
    return int(told[name].split()[0]) / 1024


if __name__ == "__main__":
    child(*sys.argv[1:4])
