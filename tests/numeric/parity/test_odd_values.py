"""What few networks hold runs all the same, or is left out with its reason: nothing crashes."""

from __future__ import annotations

import pytest

from tests.numeric.parity import nets

NETS = {
    "a condition that is a scalar": """net (bool c, float[1,8] x) => (float[1,8] y) {
      a = MatMul (x, w)
      y = If (c) <then_branch = t () => (float[1,8] p) { p = Relu (a) },
                  else_branch = e () => (float[1,8] q) { q = Sigmoid (a) }>
    }""",
    "an index that is a scalar": """net (int64 i, float[1,8] x) => (float[1] y) {
      a = MatMul (x, w)
      y = Gather <axis=1> (a, i)
    }""",
    "a loop without condition": """net (int64 i, float[1,8] x) => (float[1,8] y) {
      y = Loop (i, , x) <body = b (int64 n, bool k, float[1,8] s) => (bool k2, float[1,8] s2) {
        k2 = Identity (k)
        s2 = MatMul (s, w)
      }>
    }""",
    "a batch of nothing": """net (float[0,8] x) => (float[0,8] y) {
      a = MatMul (x, w)
      y = Softmax (a)
    }""",
    "a scale that is also the bias": """net (float[1,3,8] x) => (float[1,3,8] y) {
      n = LayerNormalization (x, v, v)
      y = MatMul (n, w)
    }""",
    "a sequence as output": """net (float[2,8] x) => (seq(float[1,8]) y) {
      a = MatMul (x, w)
      y = SplitToSequence <axis=0> (a)
    }""",
    "a sequence inside": """net (float[2,8] x) => (float[4,8] y) {
      a = MatMul (x, w)
      r = Relu (a)
      s = SequenceConstruct (a, r)
      y = ConcatFromSequence <axis=0> (s)
    }""",
}


@pytest.mark.parametrize("net", NETS)
def test_equal_networks_give_equal_numbers(net):
    weights = {name: (8, 8) if name == "w" else (8,) for name in "wv" if f" {name})" in NETS[net]}
    one = nets.loaded(NETS[net], **weights)
    result, structure = nets.parity(one, one)
    assert structure.verdict == "identical"
    assert result.verdict == "holds" and not result.uncompared


def test_a_last_layer_that_onnxruntime_refuses_is_left_out():
    """Its output is one of the network's, which both are given instead."""
    text = """net (float[1,3,4,4] x) => (float[1,3,4,4] y) {
      a = Relu (x)
      i = Cast <to=6> (a)
      y = Sigmoid (i)
    }"""
    one = nets.loaded(text)
    result, _ = nets.parity(one, one)
    assert [item.pair for item in result.uncompared] == [(("sigmoid-1",), ("sigmoid-1",))]
    assert result.verdict == "holds" and result.end == (("cast-1",), ("cast-1",))


def test_an_operator_in_a_version_that_onnxruntime_lacks_is_left_out():
    one = nets.loaded(
        """net (float[1,3,4] x) => (float[1,3,4] y) {
          a = Tanh (x)
          y = AveragePool <kernel_shape=[1]> (a)
        }""",
        opset=6,
    )
    result, _ = nets.parity(one, one)
    assert result.end == (("tanh-1",), ("tanh-1",)) or result.uncompared


def test_attention_with_a_cache_stays_as_it_is():
    """Where a mask is broadcast, attention is lowered; with keys of the past it is not."""
    text = """net (float[1,4,16] q, float[1,4,16] k, float[1,4,16] v, float[1,2,3,8] p,
                  float[1,2,3,8] r, float[4,7] m) => (float[1,4,16] y, pk, pv) {
      y, pk, pv = Attention <q_num_heads=2, kv_num_heads=2> (q, k, v, m, p, r)
    }"""
    one = nets.loaded(text, opset=23)
    result, _ = nets.parity(one, one)
    assert result.verdict == "holds" and result.compared == 1


def test_weights_inside_of_a_branch_are_carried_in_the_order_that_they_are_stored_in():
    text = """net (bool c, float[2,8] x) => (float[2,4] y) {{
      y = If (c) <
        then_branch = t () => (float[2,4] p) {{ {product} }},
        else_branch = e () => (float[2,4] q) {{ s = ReduceSum (x)  q = Expand (s, k) }}
      >
    }}"""
    plain = nets.loaded(text.format(product="p = MatMul (x, w)"), w=(8, 4), k=[2, 4])
    turned = nets.loaded(text.format(product="p = Gemm <transB=1> (x, w)"), w=(4, 8), k=[2, 4])
    result, structure = nets.parity(plain, turned)
    assert structure.verdict in ("identical", "equivalent")
    assert result.verdict == "holds" and result.compared == 1
    (mapped,) = result.a_to_b.weights.mapped
    assert "transpose" in str(mapped.steps)


def test_nothing_but_nan_in_both_is_not_called_equal():
    text = """net (float[1,8] x) => (float[1,8] y) {
      a = MatMul (x, w)
      n = Abs (a)
      m = Neg (n)
      y = Log (m)
    }"""
    one = nets.loaded(text, w=(8, 8))
    result, _ = nets.parity(one, one)
    assert [returned.relation for returned in result.a_to_b.returned] == ["unknown"]
    assert result.verdict != "holds"
