"""A checkpoint of one framework, converted: another loads it and computes the same."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from modeldocs.checkpoints import conversion
from tests.checkpoints.conftest import NETS, in_framework, outputs

pytest.importorskip("torch")
pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("convert")]

SOURCES = {
    "pytorch": "pytorch.py",
    "keras": "keras.py:model",
    "chainer": "chainer.py",
    "mxnet": "mxnet.py",
    "caffe": "caffe.prototxt",
}


@pytest.mark.parametrize(
    ("ours", "file", "theirs", "to"),
    [
        ("pytorch", "nested.pt", "keras", "made.weights.h5"),
        ("keras", "net.h5", "chainer", "made.npz"),
        ("chainer", "net.npz", "mxnet", "made.params"),
        ("mxnet", "net.params", "pytorch", "made.safetensors"),
    ],
)
def test_the_other_framework_loads_it_and_gives_the_same_outputs(
    made, convert, tmp_path, ours, file, theirs, to
):
    made(theirs)
    source = made(ours) / file
    result = convert(SOURCES[ours], SOURCES[theirs], "--from", source, "--to", tmp_path / to)
    assert result.returncode == 0, result.stderr
    assert [one.name for one in tmp_path.iterdir()] == [to]
    in_framework(theirs, "run", tmp_path / to)
    expected, computed = outputs(source.parent / "outputs.npy"), outputs(tmp_path / f"{to}.npy")
    assert np.abs(computed - expected).max() <= 1e-4 * np.abs(expected).max()


def test_the_initializers_of_onnx_are_weights_also_in_a_file_beside_it(made, convert, tmp_path):
    in_framework("pytorch", "export", tmp_path)
    file, to = tmp_path / "net.onnx", tmp_path / "made.npz"
    words = (str(file), "pytorch.py", "--from", file)
    result = convert(*words, "--to", to)
    assert result.returncode == 0, result.stderr
    assert "A lacks norm.weight" in result.stderr  # the exporter folds the norm into the Conv
    in_framework("pytorch", "run", to)
    expected, computed = outputs(tmp_path / "outputs.npy"), outputs(tmp_path / "made.npz.npy")
    assert np.abs(computed - expected).max() <= 1e-4 * np.abs(expected).max()
    (tmp_path / "net.onnx.data").unlink()
    result = convert(*words, "--to", tmp_path / "other.npz")
    assert result.returncode == 2
    assert "net.onnx.data, which is not beside it" in result.stderr


def test_both_frameworks_are_run_to_check_it_up_to_the_activation_that_one_lacks(
    made, convert, tmp_path, environment
):
    environment("opencv")
    ended = tmp_path / "ended.py"
    ended.write_text(
        (NETS / "pytorch.py")
        .read_text()
        .replace("flatten(1)).relu())", "flatten(1)).relu()).softmax(1)")
    )
    to = tmp_path / "made.safetensors"
    image = tmp_path / "image.npy"
    np.save(image, np.random.default_rng(2).standard_normal((1, 3, 8, 6), np.float32))
    words = ("--from", made("caffe") / "net.caffemodel", "--to", to, "--check", "--inputs", image)
    result = convert("caffe.prototxt", str(ended), *words)
    assert result.returncode == 0, result.stderr
    assert "only one of the two ends in an activation" in result.stderr
    assert "outputs of OpenCV" in result.stdout
    difference = result.stdout.partition("largest relative difference ")[2].split()[0]
    assert float(difference) < 1e-5
    assert "1 of them B's own: norm.num_batches_tracked" in result.stdout


def test_what_departs_is_named_and_not_written(made, convert, tmp_path, monkeypatch):
    @contextlib.contextmanager
    def spoilt(*args):
        with converted(*args) as (file, applied):
            with np.load(file) as archive:
                arrays = dict(archive)
            arrays["norm/gamma"], arrays["norm/beta"] = arrays["norm/beta"], arrays["norm/gamma"]
            np.savez(file, **arrays)
            yield file, applied

    converted = conversion.converted
    monkeypatch.setattr(conversion, "converted", spoilt)
    to = tmp_path / "made.npz"
    words = ("--from", made("pytorch") / "net.pth", "--to", to, "--check")
    result = convert("pytorch.py", "chainer.py", *words)
    assert result.returncode == 1
    assert "first to depart: norm in A, norm in B" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_that_does_not_fit_is_told_name_by_name(made, convert, tmp_path):
    to = tmp_path / "made.npz"
    words = ("--from", made("pytorch") / "module.pth", "--to", to)
    result = convert("pytorch.py", "chainer.py", *words)
    assert result.returncode == 2
    told = "norm.weight: missing, (6) in the network, nearest in the file: module.norm.weight"
    assert told in result.stderr.splitlines()
    assert "fix: take 'module.' off the beginning of its names" in result.stderr
    assert not list(tmp_path.iterdir())


def test_networks_that_are_not_the_same_function_are_refused(made, convert, tmp_path):
    other = tmp_path / "other.py"
    other.write_text((NETS / "pytorch.py").read_text().replace(".relu()", ".sigmoid()"))
    words = ("--from", made("pytorch") / "net.pth", "--to", tmp_path / "made.npz")
    result = convert("pytorch.py", str(other), *words)
    assert result.returncode == 2
    assert "the two are not the same function by the map of weights" in result.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["other.py"]


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("made.bin", "is no file of weights that is written here"),
        ("nowhere/made.npz", "its folder does not exist"),
        ("there.npz", "exists"),
        ("made.weights.h5", "Chainer reads no checkpoint of that ending"),
    ],
)
def test_a_place_where_it_cannot_be_written_is_refused(made, convert, tmp_path, to, reason):
    Path(tmp_path, "there.npz").write_text("mine")
    words = ("--from", made("pytorch") / "net.pth", "--to", tmp_path / to)
    result = convert("pytorch.py", "chainer.py", *words)
    assert result.returncode == 2
    assert reason in result.stderr
    assert Path(tmp_path, "there.npz").read_text() == "mine"


@pytest.mark.parametrize(
    ("framework", "files"),
    [
        ("pytorch", ["net.pth", "nested.pt", "net.safetensors"]),
        ("keras", ["net.weights.h5", "net.h5", "net.keras"]),
        ("mxnet", ["net.params", "exported-0000.params"]),
    ],
)
def test_all_files_of_a_framework_hold_the_same(made, tmp_path, framework, files):
    from modeldocs.checkpoints import formats

    held = []
    for file in files:
        with formats.opened(made(framework) / file, tmp_path) as tensors:
            arrays = [tensors.read(key) for key in tensors.shapes]
        held.append(sorted(one.tobytes() for one in arrays if one.dtype.kind == "f"))
    assert held[0] and all(one == held[0] for one in held[1:])
