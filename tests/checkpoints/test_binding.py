"""Which tensor of a file is which of a network's, and what does not fit."""

from __future__ import annotations

import numpy as np

from modeldocs.checkpoints import binding
from modeldocs.checkpoints.tensors import Tensors
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor, plain

NAMES = {"conv.weight": (4, 3, 2, 2), "conv.bias": (4,), "steps": ()}


def layout() -> CheckpointLayout:
    return plain([StoredTensor(name, shape) for name, shape in NAMES.items()])


def tensors(shapes, **settings) -> Tensors:
    arrays = {name: np.full(shape, index, np.float32) for index, (name, shape) in enumerate(shapes)}
    return Tensors("a.pth", {n: a.shape for n, a in arrays.items()}, arrays.__getitem__, **settings)


def texts(shapes, needed=("conv.weight", "conv.bias")) -> list[str]:
    return [one.text for one in binding.bind(layout(), tensors(shapes), set(needed))[1]]


def test_what_is_not_needed_may_be_missing():
    assert texts([("conv.weight", (4, 3, 2, 2)), ("conv.bias", (4,))]) == []


def test_names_are_told_with_the_nearest_one_and_the_reason():
    assert texts([("conv.weight", (4, 3, 3, 3)), ("conv.biases", (4,))]) == [
        "conv.weight: other shape, (4, 3, 3, 3) in the file, (4, 3, 2, 2) in the network",
        "conv.bias: missing, (4) in the network, nearest in the file: conv.biases",
        "conv.biases: unexpected, nearest in the network: conv.bias",
    ]


def test_a_tied_weight_is_found_under_its_other_name():
    tied = plain([StoredTensor("head", (4,), aliases=("table",)), StoredTensor("table", (4,))])
    bound, misfits = binding.bind(tied, tensors([("table", (4,))]), {"head"})
    assert not misfits and bound["head"].shape == (4,)


def test_the_spelling_is_that_of_the_file():
    found = CheckpointLayout(
        tensors=(StoredTensor("dense/kernel", (2, 3)), StoredTensor("dense/bias", (3,))),
        spellings={"names": ("dense/kernel", "dense/bias"), "saved": ("l/vars/0", "l/vars/1")},
    )
    bound, misfits = binding.bind(found, tensors([("l/vars/0", (2, 3)), ("l/vars/1", (3,))]), set())
    assert not misfits and bound["dense/bias"][0] == 1


def test_layers_of_other_names_are_taken_in_their_order():
    found = CheckpointLayout(
        tensors=(StoredTensor("dense/kernel", (2, 3)), StoredTensor("dense/bias", (3,))),
        spellings={"names": ("dense/kernel", "dense/bias")},
        groups=(("dense/kernel", "dense/bias"),),
    )
    file = tensors(
        [("dense_7/0", (2, 3)), ("dense_7/1", (3,))], groups=[["dense_7/0", "dense_7/1"]]
    )
    bound, misfits = binding.bind(found, file, {"dense/kernel", "dense/bias"})
    assert not misfits and bound["dense/bias"][0] == 1


def test_sums_are_divided_by_what_stands_beside_them():
    found = plain([StoredTensor("mean", (2,), divisor="factor"), StoredTensor("factor", (1,))])
    arrays = {"mean": np.float32([2, 4]), "factor": np.float32([4])}
    file = Tensors("a", {n: a.shape for n, a in arrays.items()}, arrays.__getitem__)
    bound, _ = binding.bind(found, file, set())
    assert bound["mean"].tolist() == [0.5, 1.0]
