"""Two trained checkpoints compared: which tensors differ, and what they have become."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from modeldocs.checkpoints import comparing, formats
from modeldocs.checkpoints.comparing import ComparedFile, CompareFilesRequest
from modeldocs.diff import MappedWeight, WeightStep
from modeldocs.loaders.checkpoint_layout import StoredTensor, plain
from tests.checkpoints.conftest import NETS
from tests.commands import run_here

pytest.importorskip("torch")
pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("convert")]

Arrays = dict[str, np.ndarray]
Compare = Callable[..., subprocess.CompletedProcess[str]]

ROLES = {
    "norm.weight": "scale",
    "norm.bias": "bias",
    "norm.running_mean": "mean",
    "norm.running_var": "var",
    "second.bias": "bias",
}

RENAMED = {
    "norm.weight": "norm.bias",
    "norm.bias": "norm.weight",
    "norm.running_mean": "norm.running_var",
    "norm.running_var": "norm.running_mean",
}
"""Tensors of a norm that were exchanged in pairs."""

FAULTS = {
    "exchanged": (
        {name: lambda _, all_, other=other: all_[other] for name, other in RENAMED.items()},
        {
            "norm.weight": "swapped with norm.bias (scale and bias)",
            "norm.bias": "swapped with norm.weight (bias and scale)",
            "norm.running_mean": "swapped with norm.running_var "
            "(running mean and running variance)",
            "norm.running_var": "swapped with norm.running_mean "
            "(running variance and running mean)",
        },
    ),
    "left at their start": (
        {
            "norm.running_mean": lambda x, _: np.zeros_like(x),
            "norm.running_var": lambda x, _: np.ones_like(x),
            "norm.weight": lambda x, _: np.ones_like(x),
            "first.weight": lambda x, _: np.zeros_like(x),
            "second.bias": lambda x, _: np.zeros_like(x),
        },
        {
            "norm.running_mean": "running mean left at its start, all 0",
            "norm.running_var": "running variance left at its start, all 1",
            "norm.weight": "scale left at its start, all 1",
            "first.weight": "all 0",
            "second.bias": "bias left at its start, all 0",
        },
    ),
    "in another order": (
        {
            "conv.weight": lambda x, _: x.transpose(0, 2, 1, 3),
            "norm.bias": lambda x, _: x[[1, 0, 2, 3, 5, 4]],
            "first.weight": lambda x, _: x.reshape(10, 6, 36).transpose(0, 2, 1).reshape(10, 216),
            "first.bias": lambda x, _: x[np.r_[5:10, 0:5]],
            "second.weight": lambda x, _: x.T.reshape(5, 10),
        },
        {
            "conv.weight": "transposed: axes 1 and 2 are exchanged",
            "norm.bias": "its 6 elements along axis 0 are in another order: 1, 0, 2, 3, 5, 4",
            "first.weight": "its 216 rows along axis 1 are in another order: "
            "0, 36, 72, 108, 144, 180, 1, 37 …",
            "first.bias": "its 2 blocks along axis 0 are in the order 1, 0",
            "second.weight": "reshaped where it had to be transposed: "
            "its axes are in the order (1, 0)",
        },
    ),
    "other numbers": (
        {
            "conv.weight": lambda x, _: x[:, ::-1],
            "norm.running_mean": lambda _, all_: all_["norm.bias"],
            "norm.running_var": lambda x, _: np.where(np.arange(6) == 2, np.nan, x),
            "first.weight": lambda x, _: x / 255,
            "first.bias": lambda x, _: x.astype(np.float16).astype(np.float32),
            "second.weight": lambda x, _: np.where(np.arange(10) == 3, x + 1e-5, x),
        },
        {
            "conv.weight": "in the opposite direction along axis 1",
            "norm.running_mean": "holds the values of norm.bias (running mean and bias)",
            "norm.running_var": "not finite",
            "first.weight": "times 0.00392157",
            "first.bias": "rounded to float16",
            "second.weight": "other values",
        },
    ),
}
"""By name: what was done to some tensors, and what is told of them."""


@pytest.fixture(scope="module")
def trained(made, tmp_path_factory) -> tuple[Path, Arrays]:
    """A checkpoint of PyTorch, and its tensors."""
    file = made("pytorch") / "net.safetensors"
    with formats.opened(file, tmp_path_factory.mktemp("scratch")) as tensors:
        return file, {key: tensors.read(key) for key in tensors.shapes}


@pytest.fixture(scope="module")
def converted(trained, convert, tmp_path_factory) -> Path:
    """The same for Keras."""
    to = tmp_path_factory.mktemp("converted") / "made.npz"
    result = convert("pytorch.py", "keras.py:model", "--from", trained[0], "--to", to)
    assert result.returncode == 0, result.stderr
    return to


@pytest.fixture(scope="module")
def compare(tmp_path_factory) -> Compare:
    """`modeldocs diff` of checkpoints of networks of `nets/`, all with one store."""
    place = tmp_path_factory.mktemp("comparisons")

    def run(a: str, b: str, first: Path, second: Path, *words: str):
        sources = [str(NETS / one) for one in (a, b)]
        files = ["--weights-a", str(first), "--weights-b", str(second)]
        return run_here("diff", *sources, *files, *words, "--store", str(place), cwd=place)

    return run


@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_done_to_a_tensor_is_named(trained, tmp_path, fault):
    file, arrays = trained
    changes, told = FAULTS[fault]
    changed = {name: change(arrays[name], arrays) for name, change in changes.items()}
    other = tmp_path / "faulty.safetensors"
    save_file({n: np.array(a, order="C") for n, a in (arrays | changed).items()}, other)
    layout = plain([StoredTensor(n, a.shape, a.dtype.name) for n, a in arrays.items()])
    copied = tuple(
        MappedWeight(n, ((), ()), a.shape, a.dtype.name, (WeightStep("read", name=n),))
        for n, a in arrays.items()
    )
    files = (ComparedFile(str(one), "net", layout) for one in (file, other))
    found = comparing._compare(CompareFilesRequest(*files, copied, ROLES), tmp_path)
    assert {one.name: one.text for one in found.differences} == told


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_a_good_conversion_has_no_differences_in_any_type(
    compare, trained, converted, tmp_path, dtype
):
    held = tmp_path / "held.safetensors"
    save_file({n: a.astype(dtype) if a.ndim else a for n, a in trained[1].items()}, held)
    result = compare("pytorch.py", "keras.py:model", held, converted, "--fail-on", "different")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("the same weights: 9 tensors compared")
    name = np.dtype(dtype).name
    rounded = f"9 of them the same up to the rounding of {name}"
    assert (rounded in result.stdout) is (dtype != np.float32)


def test_a_difference_is_found_through_the_map(compare, trained, converted, tmp_path):
    with np.load(converted) as archive:
        arrays = dict(archive)
    gamma, beta = (next(n for n in arrays if n.endswith(end)) for end in ("gamma", "beta"))
    arrays[gamma], arrays[beta] = arrays[beta], arrays[gamma]
    kernel = next(n for n in arrays if arrays[n].shape == (3, 1, 3, 6))
    arrays[kernel] = arrays[kernel].transpose(2, 1, 0, 3)
    np.savez(tmp_path / "faulty.npz", **arrays)
    faulty = tmp_path / "faulty.npz"
    words = ("pytorch.py", "keras.py:model", trained[0], faulty, "--fail-on", "different")
    result = compare(*words)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "modeldocs: fails on different"
    assert result.stdout.startswith("3 tensors of 9 differ")
    for told in (
        f"swapped with {beta} (scale and bias)",
        f"swapped with {gamma} (bias and scale)",
        "axes 0 and 2 are exchanged",
    ):
        assert told in " ".join(result.stdout.split())
    found = json.loads(compare(*words, "--json").stdout)["differences"]
    one = next(one for one in found if one["name"] == kernel)
    expected = np.abs(trained[1]["conv.weight"]).max()
    assert one["sources"] == ["conv.weight"]
    assert one["relative"] == pytest.approx(one["absolute"] / expected)


def test_a_checkpoint_that_does_not_fit_is_told_name_by_name(compare, made, converted):
    module = made("pytorch") / "module.pth"
    result = compare("pytorch.py", "keras.py:model", module, converted)
    assert result.returncode == 2
    assert "norm.weight: missing, (6) in the network" in result.stderr
    assert "fix: take 'module.' off the beginning of its names" in result.stderr


def test_both_checkpoints_are_needed(trained, tmp_path):
    sources = [str(NETS / "pytorch.py")] * 2
    result = run_here("diff", *sources, "--weights-a", str(trained[0]), cwd=tmp_path)
    assert result.returncode == 2
    assert "give both --weights-a FILE and --weights-b FILE" in result.stderr
