"""Measuring Keras ports, in the environment of TensorFlow."""

import os
import subprocess
import textwrap
from pathlib import Path

import msgspec
import pytest

from modeldocs.benchmarks import runner
from modeldocs.benchmarks.request import PassTask
from modeldocs.errors import Failure

from .requests import short

pytestmark = pytest.mark.xdist_group("keras-runner")

SERVER = Path(__file__).with_name("passes_server.py")

NET = """
import keras
from keras import layers


class Block(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner = layers.Dense(64, activation="relu", name="dense")

    def call(self, x):
        return keras.ops.cumsum(x + self.inner(x), axis=1)


def model():
    return keras.Sequential(
        [
            keras.Input((64,), name="x"),
            layers.Dense(64, name="dense"),
            Block(name="block"),
            layers.Dense(5, name="dense_1"),
        ],
        name="net",
    )
"""
PARAMS = 2 * (64 * 64 + 64) + 64 * 5 + 5


@pytest.fixture(scope="module", autouse=True)
def _tensorflow(environment):
    environment("tensorflow")


def request(folder, source=NET, **changed):
    file = folder / "keras.py"
    file.write_text(textwrap.dedent(source))
    return short(file, "net", "keras", **changed)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    asked = request(tmp_path_factory.mktemp("keras"), task="training")
    return runner.run(asked, progress=lambda step: None)


@pytest.fixture(scope="module")
def server(environment):
    """A process that has imported TensorFlow, which takes longer than a pass that is refused."""
    process = subprocess.Popen(
        [str(environment("tensorflow").executable), "-P", str(SERVER)],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.stdin.close()
    process.wait()


@pytest.fixture
def refused(server, tmp_path):
    """`refused(…)`: the error of the timing pass of a request."""

    def error(*args, **changed):
        task = PassTask(request=request(tmp_path, *args, **changed), measure="timing")
        server.stdin.write(msgspec.json.encode(task) + b"\n")
        server.stdin.flush()
        return msgspec.json.decode(server.stdout.readline(), type=Failure).error()

    return error


def test_the_model_and_its_inputs_are_told(made):
    assert made.model.params == PARAMS
    assert made.run.input_shapes == {"x": (2, 64)}


def test_the_versions_of_keras_and_tensorflow_and_the_threads_are_told(made):
    assert made.software.framework == "Keras"
    assert "(TensorFlow 2." in made.software.framework_version
    assert made.software.threads == 1


def test_layers_have_the_paths_of_the_model_in_definition_order(made):
    assert [(block.path, block.kind) for block in made.blocks] == [
        ("", "Sequential"),
        ("dense", "Dense"),
        ("block", "Block"),
        ("block/dense", "Dense"),
        ("dense_1", "Dense"),
    ]


def test_a_layer_includes_those_inside_it_forward_and_backward(made):
    blocks = {block.path: block for block in made.blocks}
    for direction in ("forward_us", "backward_us"):
        time = {path: getattr(block, direction) for path, block in blocks.items()}
        assert time["block"] > time["block/dense"] > 0
        assert time["dense"] + time["block"] + time["dense_1"] <= time[""] * 1.5  # medians


def test_operators_of_the_host_are_told(made):
    assert any("MatMul" in one.name for one in made.host_operators)


def test_a_model_that_raises_is_told_with_its_line(refused):
    source = NET.replace(
        "return keras.ops.cumsum(x + self.inner(x), axis=1)", "raise ValueError('no such block')"
    )
    error = refused(source)
    assert "no such block" in str(error)
    assert error.file == "keras.py"
    assert "no such block" in source.splitlines()[error.line - 1]


def test_layers_of_another_precision_are_refused(refused):
    source = NET.replace(
        'layers.Dense(5, name="dense_1")', 'layers.Dense(5, dtype="float32", name="d")'
    )
    assert "compute in float32, not in bfloat16" in str(refused(source, precision="bfloat16"))


def test_a_device_that_is_not_there_is_told(refused):
    assert "TensorFlow finds no device cuda" in str(refused(device="cuda"))
