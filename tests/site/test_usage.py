"""Code that loads a port in its own framework: it names what the loader takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.site.port.usage import usage

REPOSITORY = Path(__file__).parents[2]

MODELS = catalog.read(REPOSITORY / "models")


@pytest.mark.parametrize(
    ("port", "code"),
    [
        ("lenet/onnx", 'model = onnx.load("models/lenet/model.onnx", load_external_data=False)'),
        ("lenet/caffe", 'net = caffe.Net("models/lenet/caffe.prototxt", caffe.TEST)'),
        ("lenet/mxnet", 'model = runpy.run_path("models/lenet/mxnet.py")["get_symbol"]()'),
        ("googlenet/mxnet", 'model = runpy.run_path("models/googlenet/mxnet.py")["get_symbol"]()'),
        ("resnet50/keras", "model = ResNet50(weights=None)"),
        ("resnet50/mxnet", 'symbol = mx.sym.load("models/resnet50/mxnet-symbol.json")'),
        ("resnet50/tensorflow", 'model = tf.saved_model.load("models/resnet50/tensorflow")'),
    ],
)
def test_the_code_reads_the_file_or_calls_the_entry_point(port: str, code: str) -> None:
    assert usage(MODELS.port(port)[1]).splitlines()[-1] == code


@pytest.mark.parametrize("port", ["lenet/pytorch", "simple-cnn/pytorch", "lenet/onnx"])
def test_the_code_runs(port: str) -> None:
    pytest.importorskip("torch")
    code = usage(MODELS.port(port)[1]) + "\nassert model is not None"
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True, timeout=120)


def test_a_file_of_several_candidates_has_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "net"
    folder.mkdir(parents=True)
    text = "import torch\n\nclass One(torch.nn.Module): ...\n\nclass Two(torch.nn.Module): ...\n"
    (folder / "pytorch.py").write_text(text)
    assert usage(catalog.read(tmp_path / "models").port("net/pytorch")[1]) == ""
