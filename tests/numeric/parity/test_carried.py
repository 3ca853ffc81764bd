"""Weights carried exactly between spellings: flattens, fused norms, fused projections, groups."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.diff import Parity
from tests.numeric.parity.nets import loaded, matched, parity

INPUT = ("input-1", "input-1")


def test_a_flatten_in_another_order_permutes_the_weights_and_is_told():
    a = loaded(
        """net (float[1,3,8,8] x) => (float[1,10] y) {
          a = Conv <kernel_shape=[3,3]> (x, w1)
          b = Flatten (a)
          y = Gemm <transB=1> (b, w2, b2)
        }""",
        w1=(4, 3, 3, 3),
        w2=(10, 144),
        b2=(10,),
    )
    b = loaded(
        """net (float[1,8,8,3] x) => (float[1,10] y) {
          n = Transpose <perm=[0,3,1,2]> (x)
          a = Conv <kernel_shape=[3,3]> (n, w1)
          c = Transpose <perm=[0,2,3,1]> (a)
          b = Reshape (c, shape)
          y = Gemm (b, w2, b2)
        }""",
        w1=(4, 3, 3, 3),
        w2=(144, 10),
        b2=(10,),
        shape=np.array([1, 144]),
    )
    result, _ = parity(a, b)
    assert result.verdict == "holds" and result.outputs.relative < 1e-6
    texts = {one.target: one.text for one in result.a_to_b.weights.converted}
    assert texts == {"w2": "w2: columns (C, H, W) → (H, W, C) of 4×6×6, OI → IO"}
    texts = {one.target: one.text for one in result.b_to_a.weights.converted}
    assert texts == {"w2": "w2: IO → OI, columns (H, W, C) → (C, H, W) of 6×6×4"}


def test_a_dense_layer_and_a_convolution_over_the_whole_plane():
    a = loaded(
        """net (float[1,4,6,6] x) => (float[1,10] y) {
          a = Relu (x)
          b = Flatten (a)
          c = Gemm <transB=1> (b, w, t)
          y = Softmax (c)
        }""",
        w=(10, 144),
        t=(10,),
    )
    b = loaded(
        """net (float[1,4,6,6] x) => (float[1,10] y) {
          a = Relu (x)
          b = Conv <kernel_shape=[6,6]> (a, w, t)
          c = Flatten (b)
          y = Softmax (c)
        }""",
        w=(10, 4, 6, 6),
        t=(10,),
    )
    layers = ("relu-1", "relu-1"), ("gemm-1", "conv-1"), ("softmax-1", "softmax-1")
    result, _ = parity(a, b, matched(a, b, INPUT, *layers))
    assert result.verdict == "holds" and result.outputs.relative < 1e-6 and not result.uncompared


NORMED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  b = BatchNormalization <epsilon=1e-3> (a, s, t, m, v)
  y = Relu (b)
}"""
FOLDED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w, t)
  y = Relu (a)
}"""
SPELLED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  b = Mul (a, s)
  c = Add (b, t)
  y = Relu (c)
}"""
_NORM = dict.fromkeys("stmv", (4,))
SPELLINGS = {
    "conv-1 batchnormalization-1": (NORMED, {"w": (4, 3, 3, 3), **_NORM}),
    "conv-1": (FOLDED, {"w": (4, 3, 3, 3), "t": (4,)}),
    "conv-1 mul-1 add-1": (
        SPELLED,
        {"w": (4, 3, 3, 3), "s": (1, 4, 1, 1), "t": (1, 4, 1, 1)},
    ),
}


@pytest.mark.parametrize("ours", SPELLINGS)
@pytest.mark.parametrize("theirs", SPELLINGS)
def test_a_norm_in_any_spelling_is_carried_exactly(ours, theirs):
    a, b = (loaded(SPELLINGS[one][0], **SPELLINGS[one][1]) for one in (ours, theirs))
    result, _ = parity(a, b, matched(a, b, INPUT, (ours, theirs), ("relu-1", "relu-1")))
    assert result.verdict == "holds" and result.outputs.relative < 1e-5
    assert result.compared == 2 and not result.uncompared


def test_a_bias_before_a_norm_goes_into_its_mean():
    biased = NORMED.replace("(x, w)", "(x, w, bias)")
    weights = {"w": (4, 3, 3, 3), **_NORM}
    a, b = loaded(biased, bias=(4,), **weights), loaded(NORMED, **weights)
    for both in ((a, b), (b, a)):
        result, _ = parity(*both)
        assert result.verdict == "holds" and not result.divergences and not result.uncompared


def test_a_bias_that_nothing_takes_up_shows_whichever_port_is_a():
    bare = FOLDED.replace("(x, w, t)", "(x, w)")
    a, b = loaded(FOLDED, w=(4, 3, 3, 3), t=(4,)), loaded(bare, w=(4, 3, 3, 3))
    result, back = parity(a, b)[0], parity(b, a)[0]
    assert result.verdict == back.verdict == "one way"
    assert result.first.pair == back.first.pair == (("conv-1",), ("conv-1",))
    assert result.a_to_b.verdict == "diverges" and result.a_to_b.weights.unused == ("t",)
    assert result.b_to_a.verdict == "holds"  # a bias of 0 computes nothing
    assert back.a_to_b.outputs == result.b_to_a.outputs


def test_an_export_with_folded_norms_and_no_bias_can_be_held_and_cannot_hold():
    bare = FOLDED.replace("(x, w, t)", "(x, w)")
    a = loaded(NORMED, w=(4, 3, 3, 3), **_NORM)
    b = loaded(bare, w=(4, 3, 3, 3))
    result, back = parity(a, b)[0], parity(b, a)[0]
    assert result.verdict == back.verdict == "one way"
    assert result.b_to_a.verdict == back.a_to_b.verdict == "holds"
    assert result.a_to_b.outputs == back.b_to_a.outputs


PARTED = """net (float[1,8,16] x) => (float[1,8,16] y) {
  z = Relu (x)
  q = MatMul (z, w1)
  k = MatMul (z, w2)
  v = MatMul (z, w3)
  a = Sigmoid (q)
  b = Tanh (k)
  ab = Mul (a, b)
  c = Sub (ab, v)
  y = Relu (c)
}"""
FUSED = """net (float[1,8,16] x) => (float[1,8,16] y) {
  z = Relu (x)
  qkv = MatMul (z, w)
  k, q, v = Split <axis=-1> (qkv, sizes)
  a = Sigmoid (q)
  b = Tanh (k)
  ab = Mul (a, b)
  c = Sub (ab, v)
  y = Relu (c)
}"""


def separate_and_fused_agree(separate: ir.Model, fused: ir.Model) -> Parity:
    """Three projections and a fused one hold in both directions; the parity of the second."""
    others = ("input-1", "relu-1", "sigmoid-1", "tanh-1", "mul-1", "sub-1", "relu-2")
    rest = [(name, name) for name in others]
    for both, pair in (
        ((separate, fused), ("gemm-1 gemm-2 gemm-3", "gemm-1 split-1")),
        ((fused, separate), ("gemm-1 split-1", "gemm-1 gemm-2 gemm-3")),
    ):
        result, _ = parity(*both, matched(*both, *rest, pair))
        assert result.verdict == "holds" and result.outputs.relative < 1e-5
        assert not result.uncompared
    return result


def test_fused_projections_are_parted_in_the_order_of_what_reads_them():
    a = loaded(PARTED, w1=(16, 16), w2=(16, 16), w3=(16, 16))
    b = loaded(FUSED, w=(16, 48), sizes=np.array([16, 16, 16]))
    separate_and_fused_agree(a, b)


INTERLEAVED = """net (float[1,8,16] x) => (float[1,8,16] y) {
  z = Relu (x)
  qkv = MatMul (z, w)
  heads = Reshape (qkv, parted)
  q5, k5, v5 = Split <axis=3> (heads, sizes)
  q = Reshape (q5, whole)
  k = Reshape (k5, whole)
  v = Reshape (v5, whole)
  a = Sigmoid (q)
  b = Tanh (k)
  ab = Mul (a, b)
  c = Sub (ab, v)
  y = Relu (c)
}"""


def test_projections_that_are_interleaved_by_head_are_carried():
    """Two heads of 8: q, k and v of the first, then of the second."""
    a = loaded(PARTED, w1=(16, 16), w2=(16, 16), w3=(16, 16))
    shapes = {"parted": [1, 8, 2, 3, 8], "sizes": [1, 1, 1], "whole": [1, 8, 16]}
    b = loaded(INTERLEAVED, w=(16, 48), **{name: np.array(one) for name, one in shapes.items()})
    result = separate_and_fused_agree(a, b)
    texts = {one.target: one.text for one in result.a_to_b.weights.converted}
    assert texts["w2"] == "w: IO → OI, rows (2, 3, 8) → (3, 2, 8), 16:32, OI → IO"


def test_a_grouped_convolution_and_one_for_each_group():
    grouped = """net (float[1,4,9,9] x) => (float[1,6,7,7] y) {
      a = Relu (x)
      b = Conv <kernel_shape=[3,3], group=2> (a, w, t)
      y = Relu (b)
    }"""
    parted = """net (float[1,4,9,9] x) => (float[1,6,7,7] y) {
      a = Relu (x)
      l, r = Split <axis=1> (a, sizes)
      p = Conv <kernel_shape=[3,3]> (l, w1, t1)
      q = Conv <kernel_shape=[3,3]> (r, w2, t2)
      b = Concat <axis=1> (p, q)
      y = Relu (b)
    }"""
    a = loaded(grouped, w=(6, 2, 3, 3), t=(6,))
    b = loaded(parted, w1=(3, 2, 3, 3), t1=(3,), w2=(3, 2, 3, 3), t2=(3,), sizes=np.array([2, 2]))
    relus = ("relu-1", "relu-1"), ("relu-2", "relu-2")
    for both, pair in (
        ((a, b), ("conv-1", "split-1 conv-1 conv-2 concat-1")),
        ((b, a), ("split-1 conv-1 conv-2 concat-1", "conv-1")),
    ):
        result, _ = parity(*both, matched(*both, INPUT, pair, *relus))
        assert result.verdict == "holds" and result.compared == 3 and not result.uncompared


def test_a_scale_that_a_norm_lacks_goes_into_the_weight_before_it():
    a = loaded(NORMED, w=(4, 3, 3, 3), **_NORM)
    b = loaded(NORMED, w=(4, 3, 3, 3), **_NORM)
    b.graph.initializers["s"].metadata_props.clear()
    b.graph.initializers["s"].const_value = ir.tensor(np.ones(4, np.float32))
    pairs = [(name, name) for name in ("input-1", "conv-1", "batchnormalization-1", "relu-1")]
    for both in ((a, b), (b, a)):
        result, _ = parity(*both, matched(*both, *pairs))
        assert result.verdict == "holds" and not result.divergences
    texts = {one.target: one.text for one in result.b_to_a.weights.converted}
    assert texts == {"w": "w · s", "m": "m · s"}
