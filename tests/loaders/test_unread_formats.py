"""Networks in formats that no loader reads are named for what they are, with a way that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modeldocs import catalog
from modeldocs.cli import main
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import unread_formats

TRANSFORMERS = json.dumps({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]})
DIFFUSERS = json.dumps({"_class_name": "UNet2DModel", "_diffusers_version": "0.30"})

WRITTEN: dict[str, tuple[dict[str, str | bytes], str, str]] = {
    "TensorFlow Lite": (
        {"net.tflite": b"\x1c\0\0\0TFL3\0"}, "a TensorFlow Lite file", "--tflite net.tflite"
    ),
    "by content alone": (
        {"net.bin": b"\x1c\0\0\0TFL3\0"}, "a TensorFlow Lite file", "--output net.onnx"
    ),
    "Core ML": ({"net.mlmodel": b"\x08\x04\x12\x02"}, "a Core ML file", "load the definition"),
    "Core ML's folders": (
        {"net.mlpackage/Manifest.json": '{"itemInfoEntries": {}}'}, "a Core ML package", "load the"
    ),
    "OpenVINO": (
        {"net.xml": '<?xml version="1.0"?>\n<net name="n" version="11">\n <layers>'},
        "an OpenVINO network", "load the definition",
    ),
    "Paddle": ({"net.pdmodel": b"\x0a\x20"}, "a Paddle program", "--params_filename net.pdiparams"),
    "Paddle 3": (
        {"net.json": '{"base_code": {"magic": "pir"}}'}, "a Paddle program", "paddle2onnx"
    ),
    "transformers": ({"config.json": TRANSFORMERS}, "transformers", "transformers:GPT2LMHeadModel"),
    "its folders": (
        {"gpt/config.json": TRANSFORMERS}, "transformers", '--args "{\\"config\\": $(cat gpt/config'
    ),
    "transformers without a class": (
        {"config.json": '{"model_type": "bert", "transformers_version": "4"}'},
        "transformers", "transformers:AutoModel.from_config",
    ),
    "diffusers": ({"config.json": DIFFUSERS}, "diffusers", "diffusers:UNet2DModel.from_config"),
    "a pipeline": (
        {"sd/model_index.json": '{"_class_name": "P"}'}, "a pipeline of diffusers", "unet"
    ),
    "KerasHub": (
        {"preset/config.json": '{"module": "keras_hub.src.models"}'}, "KerasHub", "from_preset"
    ),
    "TensorFlow.js": (
        {"model.json": '{"format": "graph-model", "modelTopology": {}}'}, "TensorFlow.js", "--tfjs"
    ),
    "GGUF": ({"net.gguf": b"GGUF\3"}, "which holds weights and defines no network", "transformers"),
    "TensorRT": ({"net.engine": b"ptrt\0"}, "a TensorRT engine", "load the ONNX file"),
    "onnxruntime": ({"net.ort": b"\x1c\0\0\0ORTM"}, "an ONNX Runtime file", "load the .onnx"),
    "ExecuTorch": ({"net.pte": b"\x1c\0\0\0ET12"}, "an ExecuTorch program", "load the Python"),
    "Darknet": (
        {"yolo.cfg": "# comment\n[net]\nbatch=1\n\n[convolutional]\nfilters=8\n"}, "Darknet", "ONNX"
    ),
    "NCNN": ({"net.param": "7767517\n2 2\nInput data 0 1 data\n"}, "an NCNN network", "load the"),
    "NNEF": (
        {"net/graph.nnef": "version 1.0;\ngraph net(x) -> (y) {}"}, "an NNEF graph", "load the"
    ),
    "JAX": ({"net.py": "import flax.linen as nn"}, "Python of JAX", "as ONNX"),
    "JAX in an imported file": (
        {"net.py": "import parts", "parts.py": "import jax"}, "Python of JAX", "as ONNX"
    ),
    "Paddle's Python": ({"net.py": "import paddle"}, "Python of Paddle", "paddle.onnx.export"),
    "MindSpore": ({"net.py": "from mindspore import nn"}, "MindSpore", 'file_name="net"'),
}  # fmt: skip

OTHERS: dict[str, str | bytes] = {
    "README.md": "[net]\nis a network, see graph.nnef",
    "setup.cfg": "[metadata]\nname = x\n",
    "train.cfg": "[net]\nlayers = 3\n",
    "pom.xml": '<?xml version="1.0"?><project><layers/></project>',
    "app.param": "alpha 1\n",
    "plan.plan": "first this, then that",
    "config.json": '{"model": "resnet"}',
    "model.json": '{"format": "mine"}',
    "notes.py": "import numpy",
    "broken.json": "{",
    "empty": b"",
}


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """The first of these files, or the folder that it is in."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / next(iter(files)).partition("/")[0]


def told(path: Path, *options: str) -> tuple[str, str]:
    """The sentence and the fix that `modeldocs load` prints."""
    made = CliRunner().invoke(main, ["load", str(path), *options])
    assert made.exit_code == 2
    said, fix = made.stderr.splitlines()[:2]
    assert said.startswith(f"modeldocs: {path.name}: is ")
    return said, fix


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_format_is_named_with_a_way_that_works(tmp_path: Path, kind: str) -> None:
    files, name, way = WRITTEN[kind]
    said, fix = told(write(tmp_path / "given", files))
    assert name in said and way in fix
    assert "--framework" not in fix and "{file}" not in fix and "{stem}" not in fix


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_none_of_them(tmp_path: Path, name: str) -> None:
    assert unread_formats.of(write(tmp_path, {name: OTHERS[name]})) is None


def test_the_right_name_is_told_where_another_framework_was_given(tmp_path: Path) -> None:
    path = write(tmp_path, WRITTEN["TensorFlow Lite"][0])
    assert "a TensorFlow Lite file" in told(path, "--framework", "tensorflow")[0]


def test_the_witness_is_recognised() -> None:
    path = Path(__file__).parents[3] / "shared/data/witnesses/loading/mlp.tflite"
    if not path.exists():
        pytest.skip("the witness is not here")
    error = unread_formats.error(path)
    assert isinstance(error, ModeldocsError) and "TensorFlow Lite" in error.reason


class TestCatalog:
    """A network that is not read is told of on its model's page; other files are not."""

    def complaints(self, folder: Path, files: dict[str, str | bytes]) -> list[str]:
        write(folder / "models" / "net", files)
        models = catalog.read(folder / "models").models
        return [str(failure.file) for model in models for failure in model.failures]

    def test_beside_ports(self, tmp_path: Path) -> None:
        port = {"model.py": "import torch\nINPUTS = {'x': (1,)}"}
        networks = {"a.tflite": b"\0\0\0\0TFL3", "jax.py": "import jax"}
        settings = {"config.json": TRANSFORMERS, "net.gguf": "GGUF"}
        found = self.complaints(tmp_path, {**port, **networks, **settings, **OTHERS})
        assert found == ["a.tflite", "jax.py"]

    def test_alone(self, tmp_path: Path) -> None:
        assert self.complaints(tmp_path, {"config.json": TRANSFORMERS}) == ["config.json"]

    def test_a_folder_of_other_files_is_no_model(self, tmp_path: Path) -> None:
        write(tmp_path / "models" / "net", OTHERS)
        assert catalog.read(tmp_path / "models").models == ()

    def test_one_that_is_declared_as_a_port(self, tmp_path: Path) -> None:
        write(tmp_path / "models" / "net", {
            "a.tflite": b"\0\0\0\0TFL3", "model.yml": "ports: {lite: {file: a.tflite}}",
        })  # fmt: skip
        (model,) = catalog.read(tmp_path / "models").models
        (port,) = model.ports
        assert port.failure is not None and "TensorFlow Lite" in port.failure.reason
        assert model.failures == ()
