"""Checkpoints that frameworks have written, and a way to convert them and to load the result."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.caffe.format import blobs
from tests.commands import run_here

NETS = Path(__file__).parent / "nets"
_PROGRAM = Path(__file__).with_name("frameworks.py")
_PACKAGES = {"pytorch": "torch"}
_started: set[str] = set()
_ENVIRONMENTS = {"keras": "tensorflow", "chainer": "chainer", "mxnet": "mxnet"}


@functools.cache
def _server(framework: str) -> subprocess.Popen[str]:
    """`frameworks.py` in the interpreter of a framework, which it imports once."""
    net = NETS / f"{framework}.py"
    chosen = loading.environment(framework, LoadRequest(root=str(NETS), path=str(net)))
    words = [loading.interpreter(chosen), _PROGRAM, "serve", _PACKAGES.get(framework, framework)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="session", autouse=True)
def _end_of_servers() -> Iterator[None]:
    yield
    for framework in _started:
        _server(framework).communicate()


def in_framework(framework: str, task: str, *paths: Path) -> None:
    """Let a framework do a task of `frameworks.py`, in a process of its own."""
    _started.add(framework)
    server = _server(framework)
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps([task, *map(str, [NETS / f"{framework}.py", *paths])]) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline()) == ""


def outputs(file: Path) -> np.ndarray:
    return np.load(file)


@pytest.fixture(scope="session")
def made(tmp_path_factory, environment) -> Callable[[str], Path]:
    """The folder of the checkpoints that a framework has written."""
    folders: dict[str, Path] = {}

    def make(framework: str) -> Path:
        if framework not in folders:
            if framework in _ENVIRONMENTS:
                environment(_ENVIRONMENTS[framework])
            folder = folders[framework] = tmp_path_factory.mktemp(framework)
            if framework == "caffe":
                _write_caffemodel(folder / "net.caffemodel")
            else:
                in_framework(framework, "make", folder)
        return folders[framework]

    return make


def _write_caffemodel(file: Path) -> None:
    """Blobs as Caffe trains them: statistics are sums, beside what they are divided by."""
    random = np.random.default_rng(0)

    def some(*shape: int) -> np.ndarray:
        return 0.3 * random.standard_normal(shape).astype(np.float32)

    variances = random.uniform(0.5, 2, 6).astype(np.float32)
    with file.open("wb") as stream:
        layers = [
            ("conv", "Convolution", [some(6, 3, 3, 1)]),
            ("norm", "BatchNorm", [some(6) * 999, variances * 999, np.float32([999])]),
            ("scale", "Scale", [some(6) + 1, some(6)]),
            ("first", "InnerProduct", [some(10, 216), some(10)]),
            ("second", "InnerProduct", [some(5, 10), some(5)]),
        ]
        blobs.write(stream, layers)


@pytest.fixture(scope="session")
def convert(tmp_path_factory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`modeldocs convert` between networks of `nets/`, all with one store."""
    place = tmp_path_factory.mktemp("conversions")

    def run(a: str, b: str, *words: object) -> subprocess.CompletedProcess[str]:
        sources = [str(NETS / one) for one in (a, b)]
        store = ["--store", str(place / "store")]
        return run_here("convert", *sources, *map(str, words), *store, cwd=place)

    return run
