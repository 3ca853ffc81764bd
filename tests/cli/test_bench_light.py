"""`bench run` and `bench ddp` with little more than the framework, and when interrupted."""

from __future__ import annotations

import os
import signal
import textwrap
import time

import pytest

from tests.commands import running

pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("runner")

ABSENT = (
    *("mkdocs", "material", "graphviz", "pygraphviz", "altair", "vl_convert", "scipy", "pygments"),
    *("onnx", "onnx_ir", "onnxscript", "onnxruntime", "platformdirs", "uv"),
)
"""Packages that the rest of modeldocs needs, and a machine that only measures does not have."""

WITHOUT = f"""
import sys
from importlib.machinery import PathFinder


class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        absent = name.partition(".")[0] in {ABSENT!r}
        return None if absent else PathFinder.find_spec(name, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""

NET = """
from torch import nn

INPUTS = {"x": (1, 8)}


def model():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU())
"""


@pytest.fixture
def catalog(tmp_path):
    model = tmp_path / "models" / "net"
    model.mkdir(parents=True)
    (model / "pytorch.py").write_text(textwrap.dedent(NET))
    return tmp_path


@pytest.fixture
def without(tmp_path):
    """A `PYTHONPATH` in which interpreters do not find those packages."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WITHOUT)
    return os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])


def test_it_runs_with_the_framework_and_the_light_core_alone(catalog, without):
    words = ("bench", "run", "net/pytorch", "--steps", "5", "--seconds", "0.1", "--processes", "1")
    with running(*words, "--threads", "1", cwd=catalog, PYTHONPATH=without) as process:
        said, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert "samples/s" in said
    assert len(list(catalog.rglob("benchmarks/*.json"))) == 1


def test_workers_train_with_the_framework_and_the_light_core_alone(catalog, without):
    words = ("bench", "ddp", "net/pytorch", "--steps", "3", "--processes", "1")
    with running(*words, cwd=catalog, PYTHONPATH=without) as process:
        said, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert "samples/s of 2 workers" in said
    assert len(list(catalog.rglob("benchmarks/*-ddp2.json"))) == 1


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_half_record(catalog, blow):
    with running("bench", "run", "net/pytorch", "--seconds", "60", cwd=catalog) as process:
        line = process.stderr.readline()
        assert line == "timing, process 1 of 3\n"
        time.sleep(1.0)
        process.send_signal(blow)
        process.communicate(timeout=30)
    assert process.returncode != 0
    assert not list(catalog.rglob("benchmarks/*"))
