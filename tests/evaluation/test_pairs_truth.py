"""What is held to be true of a pair, and how a mapping is scored by it."""

import pytest

from evaluation.pairs.scoring import Score, score
from evaluation.pairs.truth import ALONE, ORDER, SAME_NAMES, Labels, NoTruthError, Truth, pairs_of
from modeldocs.ir import Layer, LayerGraph, Parameter


def graph(*layers: tuple[str, str, tuple[int, ...]]) -> LayerGraph:
    """Layers by the name of their weights, their operator and shape; called a, b, c …"""
    made = (
        Layer(
            id=chr(ord("a") + place),
            name=name,
            operator=operator,
            parameters=(Parameter(name=name, role="weight", shape=shape, dtype="float32"),),
        )
        for place, (name, operator, shape) in enumerate(layers)
    )
    return LayerGraph(name="net", layers=tuple(made))


def test_order_pairs_layers_of_one_kind():
    one = graph(("x", "Conv", (8, 3, 3, 3)), ("y", "Gemm", (4, 8)))
    assert pairs_of(ORDER, one, one) == {("a", "a"), ("b", "b")}


def test_order_does_not_pair_other_weights():
    one, other = graph(("x", "Conv", (8, 3, 1, 7))), graph(("x", "Conv", (8, 3, 7, 1)))
    with pytest.raises(NoTruthError, match="cannot be the same"):
        pairs_of(ORDER, one, other)


def test_a_layer_too_many_is_no_truth():
    one = graph(("x", "Gemm", (4, 8)))
    other = graph(("x", "Gemm", (4, 8)), ("y", "Gemm", (4, 8)))
    with pytest.raises(NoTruthError, match="1 and 2 layers"):
        pairs_of(ORDER, one, other)
    named = Truth(b=Labels(((r"^y", ALONE),)))
    assert pairs_of(named, one, other) == {("a", "a")}


def test_names_pair_layers_in_any_order():
    one = graph(("q.weight", "Gemm", (8, 8)), ("k.weight", "Gemm", (8, 8)))
    other = graph(("k.weight", "Gemm", (8, 8)), ("q.weight", "Gemm", (8, 8)))
    assert pairs_of(Truth(SAME_NAMES, SAME_NAMES), one, other) == {("a", "b"), ("b", "a")}


def test_parts_are_held_by_one_piece():
    parts = Labels(((r"^q", "qkv/q"), (r"^k", "qkv/k")))
    one = graph(("q", "Gemm", (8, 8)), ("k", "Gemm", (8, 8)))
    other = graph(("both", "Gemm", (16, 8)))
    whole = Labels(((r"both", "qkv"),))
    assert pairs_of(Truth(parts, whole), one, other) == {("a", "a"), ("b", "a")}
    assert pairs_of(Truth(whole, parts), other, one) == {("a", "a"), ("a", "b")}


TRUE = frozenset({("a", "x"), ("b", "y"), ("c", "z"), ("d", "z")})
WEIGHTS = ({"a", "b", "c", "d", "e"}, {"x", "y", "z"})


def scored(*claims) -> Score:
    return score(TRUE, claims, WEIGHTS)


def test_a_claim_is_right_or_wrong_by_its_layers():
    assert scored((("a",), ("x",), 1.0)) == Score(1, 0)
    assert scored((("a",), ("y",), 0.5)) == Score(0, 1)
    assert scored((("a",), ("y",), 0.9)) == Score(0, 1, 1)
    assert scored((("e",), ("y",), 0.5)) == Score(0, 1)


def test_a_fused_claim_holds_each_of_its_parts():
    assert scored((("c", "d"), ("z",), 1.0)) == Score(2, 0)
    assert scored((("c", "d", "a"), ("z",), 0.5)) == Score(2, 1)
    assert scored((("c",), ("z",), 0.5)) == Score(1, 0)


def test_layers_without_weights_do_not_count():
    assert scored((("relu",), ("x",), 1.0)) == Score(0, 0)
