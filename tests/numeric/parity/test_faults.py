"""Every fault that ports have is found by numbers, at its layer, with the line that explains it."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs import diff as engine
from modeldocs.diff import Diff, Parity
from tests.numeric.parity.nets import difference, explained, loaded, matched, parity

PLAIN = """net (float[1,3,23,23] x) => (float[1,5,1,1] y) {
  a = Conv <kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]> (x, w1)
  b = BatchNormalization <epsilon=1e-05> (a, s, t, m, v)
  c = Relu (b)
  d = MaxPool <kernel_shape=[3,3], strides=[2,2], pads=[0,0,1,1]> (c)
  e = Conv <kernel_shape=[3,3], pads=[1,1,1,1]> (d, w2)
  f = Relu (e)
  g = AveragePool <kernel_shape=[3,3], strides=[1,1], pads=[1,1,1,1], count_include_pad=1> (f)
  h = Add (g, d)
  i = Clip (h, low, high)
  j = GlobalAveragePool (i)
  y = Conv <kernel_shape=[1,1]> (j, w3)
}"""
WEIGHTS = {
    "w1": (8, 3, 3, 3),
    "s": (8,),
    "t": (8,),
    "m": (8,),
    "v": (8,),
    "w2": (8, 8, 3, 3),
    "w3": (5, 8, 1, 1),
    "low": np.float32(0),
    "high": np.float32(6),
}

WORDS = """net (float[1,16,64] x) => (float[1,16,64] y) {
  a = LayerNormalization <axis=-1, epsilon=1e-05> (x, s, t)
  b = MatMul (a, w1)
  c = Add (b, b1)
  d = Gelu (c)
  e = MatMul (d, w2)
  f = Add (e, x)
  y = Softmax <axis=-1> (f)
}"""
WORD_WEIGHTS = {"s": (64,), "t": (64,), "w1": (64, 256), "b1": (256,), "w2": (256, 64)}


@pytest.mark.parametrize(
    ("before", "after", "layer", "line"),
    [
        ("pads=[1,1,1,1], strides=[2,2]", "pads=[0,0,2,2], strides=[2,2]", "conv-1", "pads"),
        ("strides=[2,2], pads=[0,0,1,1]", "strides=[2,2], pads=[1,1,0,0]", "maxpool-1", "pads"),
        ("count_include_pad=1", "count_include_pad=0", "averagepool-1", "count_include_pad"),
        (
            "[3,3], pads=[1,1,1,1]> (d",
            "[3,3], pads=[2,2,2,2], dilations=[2,2]> (d",
            "conv-2",
            "dilations",
        ),
    ],
)
def test_a_fault_of_one_layer_is_named(before, after, layer, line):
    assert before in PLAIN
    a, b = loaded(PLAIN, **WEIGHTS), loaded(PLAIN.replace(before, after), **WEIGHTS)
    result, structure = parity(a, b)
    assert result.verdict == "diverges"
    assert result.first.pair == ((layer,), (layer,))
    assert line in explained(result, structure)
    assert len(result.divergences) == 1


@pytest.mark.parametrize(
    ("text", "weights", "after"),
    [
        (PLAIN, WEIGHTS, "epsilon=1.001e-05"),
        (PLAIN, WEIGHTS, "epsilon=2e-05"),
        (WORDS, WORD_WEIGHTS, "epsilon=1.001e-05"),
        (WORDS, WORD_WEIGHTS, "epsilon=1e-12"),
    ],
)
def test_an_epsilon_is_named_and_shows_on_small_values_alone(text, weights, after):
    a = loaded(text, **weights)
    b = loaded(text.replace("epsilon=1e-05", after), **weights)
    result, structure = parity(a, b)
    assert small(result, structure) == ["epsilon"]
    assert result.verdict == "holds" and not result.divergences


def small(result: Parity, structure: Diff) -> list[str]:
    """The attributes of the changes that show on values as small as an epsilon alone."""
    assert all(one.only_small for one in result.directions)
    return [structure.changes[number - 1].attribute for number in result.small]


def test_another_stride_gives_another_shape_and_is_named():
    other = PLAIN.replace("strides=[2,2]> (x", "strides=[1,1]> (x")
    result, structure = parity(loaded(PLAIN, **WEIGHTS), loaded(other, **WEIGHTS))
    assert result.first.pair == (("conv-1",), ("conv-1",)) and result.first.error.relative is None
    assert "strides" in explained(result, structure)


def test_a_missing_activation_shows_in_what_reads_it():
    other = PLAIN.replace("  c = Relu (b)\n", "").replace("> (c)", "> (b)")
    result, structure = parity(loaded(PLAIN, **WEIGHTS), loaded(other, **WEIGHTS))
    assert result.first.pair == (("maxpool-1",), ("maxpool-1",))
    assert "Relu" in explained(result, structure)


def test_another_bound_is_named():
    other = WEIGHTS | {"high": WEIGHTS["high"] + 1}
    result, structure = parity(loaded(PLAIN, **WEIGHTS), loaded(PLAIN, **other))
    assert result.first.pair == (("clip-1",), ("clip-1",)) and "max" in explained(result, structure)


def test_swapped_operands_are_named():
    net = """net (float[1,4,9,9] x) => (float[1,8,9,9] y) {
      a = Conv <kernel_shape=[3,3], pads=[1,1,1,1]> (x, w1)
      b = Conv <kernel_shape=[1,1]> (x, w2)
      y = Concat <axis=1> (ORDER)
    }"""
    weights = {"w1": (4, 4, 3, 3), "w2": (4, 4, 1, 1)}
    both = [loaded(net.replace("ORDER", order), **weights) for order in ("a, b", "b, a")]
    same = [(name, name) for name in ("input-1", "conv-1", "conv-2", "concat-1")]
    result, _ = parity(*both, matched(*both, *same))
    assert result.first.pair == (("concat-1",), ("concat-1",))


@pytest.mark.parametrize(
    ("before", "after", "layer", "line"),
    [
        ("Gelu (c)", 'Gelu <approximate="tanh"> (c)', "gelu-1", "approximate"),
    ],
)
def test_a_fault_of_a_transformer_is_named(before, after, layer, line):
    a = loaded(WORDS, **WORD_WEIGHTS)
    result, structure = parity(a, loaded(WORDS.replace(before, after), **WORD_WEIGHTS))
    assert result.first.pair == ((layer,), (layer,))
    assert line in explained(result, structure) and len(result.divergences) == 1


@pytest.mark.parametrize(("text", "weights"), [(PLAIN, WEIGHTS), (WORDS, WORD_WEIGHTS)])
def test_a_port_beside_itself_holds_to_the_last_bit(text, weights):
    result, _ = parity(loaded(text, **weights), loaded(text, **weights))
    assert result.verdict == "holds" and result.outputs.absolute == 0
    assert not result.divergences and not result.uncompared
    assert not any(one.weights.converted for one in result.directions)


def test_the_same_ports_give_the_same_parity():
    other = PLAIN.replace("epsilon=1e-05", "epsilon=2e-05")
    both = loaded(PLAIN, **WEIGHTS), loaded(other, **WEIGHTS)
    assert parity(*both)[0] == parity(*both)[0]


LENGTHS = """net (float[1,16,9,9] x) => (float[1,16,9,9] y) {
  a = Conv <kernel_shape=[1,1]> (x, w)
  s = Mul (a, a)
  r = ReduceSum <keepdims=1> (s, axes)
  e = Add (r, least)
  q = Sqrt (e)
  d = Div (a, q)
  y = Mul (d, g)
}"""


@pytest.mark.parametrize("both", [(1e-20, 1e-10), (1e-10, 1e-20), (1e-10, 1.01e-10)])
def test_the_epsilon_of_an_l2_norm_is_named(both):
    """SSD's: 1e-10 under the root on one side, bounding the length on the other."""
    weights = {"w": (16, 16, 1, 1), "g": (16, 1, 1), "axes": np.array([1])}
    result, structure = parity(*(loaded(LENGTHS, least=np.float32(one), **weights) for one in both))
    assert small(result, structure) == ["epsilon"]


def test_layers_that_stand_elsewhere_explain_what_parts():
    """CaffeNet pools before it normalises, AlexNet normalises before it pools."""
    net = """net (float[1,3,23,23] x) => (float[1,8,10,10] y) {
      a = Conv <kernel_shape=[3,3]> (x, w1)
      b = Relu (a)
      c = MaxPool <kernel_shape=[3,3], strides=[2,2]> (b)
      d = LRN <size=5, alpha=0.0001, beta=0.75> (c)
      y = Conv <kernel_shape=[1,1]> (d, w2)
    }"""
    other = (
        net.replace("c = MaxPool", "d = MaxPool")
        .replace("d = LRN", "c = LRN")
        .replace("> (b)", "> (c) ")
        .replace("> (c)\n", "> (b)\n")
    )
    lines = other.splitlines()
    lines[3], lines[4] = lines[4], lines[3]
    weights = {"w1": (8, 3, 3, 3), "w2": (8, 8, 1, 1)}
    result, structure = parity(loaded(net, **weights), loaded("\n".join(lines), **weights))
    assert [change.kind for change in structure.changes] == ["moved"]
    assert result.verdict == "diverges"
    assert all(one.change == 1 for one in result.divergences)


def test_what_structure_does_not_show_is_named_without_a_line():
    a, b = (loaded(PLAIN, **WEIGHTS) for _ in range(2))
    other = loaded(PLAIN.replace("count_include_pad=1", "count_include_pad=0"), **WEIGHTS)
    structure = difference(a, b)
    assert not structure.changes
    result, _ = parity(a, other, structure)
    assert result.first.pair == (("averagepool-1",), ("averagepool-1",))
    assert result.first.change is None


def test_another_order_of_indices_is_told_of_the_output_that_returns_them():
    pooling = """net (float[1,1,5,5] x) => (float[1,1,2,2] y, int64[1,1,2,2] z) {
      y, z = MaxPool <kernel_shape=[2,2], strides=[2,2], storage_order=1> (x) }"""
    other = pooling.replace("storage_order=1", "storage_order=0")
    result, structure = parity(loaded(pooling, opset=10), loaded(other, opset=10))
    titles = [one.title for one in engine.settle(structure, result).changes]
    assert titles == ["output z returned with other numbers"]
