"""Files that lie beside models are named for what they are."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from modeldocs.cli import main

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n"


@pytest.mark.parametrize(
    ("name", "text", "said", "fix"),
    [
        ("net.onnx", LFS, "a pointer of Git LFS", "git lfs pull -I net.onnx"),
        ("deploy.prototxt", LFS, "a pointer of Git LFS", "git lfs pull -I deploy.prototxt"),
        (
            "solver.prototxt",
            'net: "models/train_val.prototxt"\nbase_lr: 0.01\n',
            "a Caffe solver; its net is models/train_val.prototxt",
            "load train_val.prototxt",
        ),
        (
            "labelmap.prototxt",
            'item {\n  name: "none"\n  label: 0\n}\n',
            "a map of labels to names",
            "load the network",
        ),
        ("net.safetensors", "{}", "weights in safetensors format", "load the definition"),
        ("model.ckpt.data-00000-of-00001", "", "the weights of a TensorFlow checkpoint", "load"),
        ("net-0005.params", "", "MXNet weights", "load the definition"),
    ],
)
def test_a_file_that_is_no_model_is_named(tmp_path, name, text, said, fix):
    (tmp_path / name).write_text(text)
    made = CliRunner().invoke(main, ["load", str(tmp_path / name)])
    assert made.exit_code == 2
    first, second = made.stderr.splitlines()[:2]
    assert first.startswith(f"modeldocs: {name}: ") and said in first
    assert fix in second
