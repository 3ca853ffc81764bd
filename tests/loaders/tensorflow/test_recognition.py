"""Which files are TensorFlow's, told without TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import loaders
from modeldocs.loaders.tensorflow import TensorFlowLoader

NODE = b"\x0a\x10\x0a\x01x\x12\x0bPlaceholder"
MODELS = Path(__file__).parents[3] / "models"
KERAS = (
    "import keras",
    "import tensorflow as tf\nfrom tensorflow import keras",
    "from tensorflow.keras import layers",
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("net.pb", NODE),
        ("net.meta", b"\x0a\x00\x12" + bytes([len(NODE)]) + NODE),
        ("saved_model.pb", b"\x08\x01\x12\x00"),
        ("net.pbtxt", b'node {\n  name: "x"\n  op: "Placeholder"\n}'),
        ("net.pbtxt", b"saved_model_schema_version: 1"),
        ("net.pbtxt", b"meta_info_def { tags: 'serve' }"),
        ("net.py", b"import tensorflow as tf"),
        ("net.py", b"from tensorflow import nn\n"),
        ("tensorflow.py", b"import tensorflow as tf\nfrom tensorflow import keras"),
        ("tensorflow.py", b"import tensorflow as tf\ndef ("),
    ],
)
def test_is_recognised(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert TensorFlowLoader().recognises(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("net.pb", b""),
        ("net.pb", b"\x08\x08\x12\x07pytorch"),
        ("net.pb", b"\xff" * 50),
        ("net.meta", b"not one"),
        ("net.pbtxt", b'name: "net"\nlayer { name: "node { x }" }'),
        ("net.pbtxt", b'name: "net"\nlayer { name: "x" }\nnode { name: "y" }'),
        ("net.py", b"import torch  # no tensorflow"),
        ("net.py", b'"""import tensorflow"""'),
        ("net.txt", NODE),
        *[("net.py", text.encode()) for text in KERAS],
    ],
)
def test_is_left_to_others(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert not TensorFlowLoader().recognises(tmp_path / name)


def test_folders_are_recognised_by_what_they_hold(tmp_path):
    assert not TensorFlowLoader().recognises(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"")
    assert TensorFlowLoader().recognises(tmp_path)
    assert not TensorFlowLoader().recognises(tmp_path / "gone")


@pytest.mark.parametrize(
    "source", ["resnet50/tensorflow", "cifar10-quick/tensorflow.pbtxt", "simple-cnn/tensorflow.py"]
)
def test_ports_of_our_catalog_are_no_other_loaders(source):
    assert loaders.recognise(MODELS / source) == "tensorflow"
