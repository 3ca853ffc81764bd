"""Rules that carry weights: each gives new names or new arrays, and loses none in silence."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.published.rules import (
    applied,
    copied,
    halved,
    interleaved,
    joined,
    renamed,
    split,
    weight_normed,
)


def rows(count: int, width: int = 2) -> np.ndarray:
    return np.arange(count * width, dtype=np.float32).reshape(count, width)


def test_names_are_substituted_in_order():
    rule = renamed((r"^a\.", "b."), (r"^b\.", "c."))
    assert list(rule({"a.x": rows(1), "d.x": rows(1)})) == ["c.x", "d.x"]


def test_two_weights_cannot_get_one_name():
    with pytest.raises(ValueError, match="are called w"):
        renamed((r"\d", ""))({"w1": rows(1), "w2": rows(1)})


def test_what_is_split_can_be_joined():
    packed = {"layer.0.qkv": rows(6)}
    cut = split(r"^(.*)\.qkv", r"\1.q", r"\1.k", r"\1.v")
    whole = joined(r"^(.*)\.(?P<part>[qkv])$", r"\1.qkv", ("q", "k", "v"))
    assert list(cut(packed)) == ["layer.0.q", "layer.0.k", "layer.0.v"]
    np.testing.assert_array_equal(applied([cut, whole], packed)["layer.0.qkv"], rows(6))


def test_a_missing_piece_cannot_be_joined():
    with pytest.raises(KeyError):
        joined(r"^(?P<part>[qk])$", "qk", ("q", "k"))({"q": rows(1)})


def test_pieces_may_be_of_other_sizes():
    cut = split("^kv", "q", "k", sizes=(4, 2))({"kv": rows(6)})
    assert [len(one) for one in cut.values()] == [4, 2]


def test_pairs_of_rows_become_halves_within_each_head():
    numbers = {"q": np.arange(8)}
    assert halved("q", 2)(numbers)["q"].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    undone = applied([halved("q", 2), interleaved("q", 2)], numbers)
    assert undone["q"].tolist() == list(range(8))


def test_a_weight_may_be_held_twice():
    assert list(copied("embedding", "words", "head")({"embedding": rows(1)})) == ["words", "head"]


def test_length_and_direction_make_one_weight():
    held = {"c.g": np.float32([[2], [3]]), "c.v": np.float32([[3, 4], [0, 5]])}
    made = weight_normed(r"^(.*)\.g$", r"^(.*)\.v$", r"\1.weight")(held)
    np.testing.assert_allclose(made["c.weight"], [[1.2, 1.6], [0, 3]], rtol=1e-6)
