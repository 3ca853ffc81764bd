"""Recurrent layers whose gates are in another order, and whose biases are one or two."""

from __future__ import annotations

import numpy as np
import pytest

from tests.numeric.parity.nets import loaded, parity
from tests.numeric.parity.test_regions import judged

TWO = """net (float[5,2,3] x) => (float[5,1,2,4] y) {
  i, f, c, o = Split <axis=0, num_outputs=4> (ih)
  ordered = Concat <axis=0> (i, o, f, c)
  i2, f2, c2, o2 = Split <axis=0, num_outputs=4> (hh)
  ordered2 = Concat <axis=0> (i2, o2, f2, c2)
  both = Concat <axis=0> (ordered, ordered2)
  b = Unsqueeze (both, first)
  y = LSTM <hidden_size=4> (x, w, r, b)
}"""
ONE = """net (float[5,2,3] x) => (float[5,1,2,4] y) {
  zeros = ConstantOfShape (size)
  both = Concat <axis=0> (bias, zeros)
  b = Unsqueeze (both, first)
  wt = Transpose <perm=[0,2,1]> (kernel)
  rt = Transpose <perm=[0,2,1]> (recurrent)
  y = LSTM <hidden_size=4> (x, wt, rt, b)
}"""
FIRST = np.array([0])


def two():
    return loaded(TWO, first=FIRST, ih=(16,), hh=(16,), w=(1, 16, 3), r=(1, 16, 4))


def one():
    weights = {"size": np.array([16]), "kernel": (1, 3, 16), "recurrent": (1, 4, 16)}
    return loaded(ONE, first=FIRST, bias=(16,), **weights)


def test_one_bias_takes_the_sum_of_two_and_two_take_it_beside_zeros():
    result, structure = parity(two(), one())
    assert result.verdict == "holds" and result.outputs.relative < 1e-6
    gates = "([ih: 0:4; ih: 12:16; ih: 4:12]) + ([hh: 0:4; hh: 12:16; hh: 4:12])"
    texts = {weight.target: weight.text for weight in result.a_to_b.weights.converted}
    assert texts["bias"] == gates
    back = result.b_to_a.weights
    assert {weight.target: weight.text for weight in back.converted}["hh"] == "zeros"
    assert back.invented == ("hh",) and not back.unused and not back.unset
    assert [change.consequence for change in structure.changes] == ["parameters"]


@pytest.mark.parametrize("graphs", [(two, one), (one, two)])
def test_a_map_names_only_what_a_checkpoint_has(graphs):
    a, b = (make() for make in graphs)
    result, _ = parity(a, b)
    stored = {name for name in a.graph.initializers if name not in ("first", "size")}
    assert {name for one in result.a_to_b.weights.mapped for name in one.sources} <= stored


GRU = """net (float[5,2,3] x) => (float[5,1,2,4] y) {
  BIAS
  y = GRU <hidden_size=4, linear_before_reset=RESET> (x, w, r, b)
}"""


@pytest.mark.parametrize(("reset", "verdict"), [(0, "holds"), (1, "one way")])
def test_biases_of_a_gru_add_up_unless_the_reset_comes_between(reset, verdict):
    weights = {"w": (1, 12, 3), "r": (1, 12, 4)}
    alone = "zeros = ConstantOfShape (size)  b = Concat <axis=1> (bias, zeros)"
    gru = GRU.replace("RESET", str(reset))
    both = loaded(gru.replace("BIAS", ""), b=(1, 24), **weights)
    size = np.array([1, 12])
    single = loaded(gru.replace("BIAS", alone), bias=(1, 12), size=size, **weights)
    assert parity(both, single)[0].verdict == verdict


TABLE = """net (float[1,16,8] x) => (float[1,16,8] y) {
  p = Slice (table, starts, ends, axes)
  q = Unsqueeze (p, axes)
  z = Add (x, q)
  y = MatMul (z, w)
}"""


@pytest.mark.parametrize(("rows", "first"), [(64, 0), (66, 2), (20, 0), (16, 0)])
def test_a_table_is_carried_beyond_the_length_that_was_traced(rows, first):
    def net(size: int, start: int):
        cut = {"starts": np.array([start]), "ends": np.array([start + 16]), "axes": np.array([0])}
        return loaded(TABLE, table=(size, 8), w=(8, 8), **cut)

    result, _ = parity(net(64, 0), net(rows, first))
    assert result.a_to_b.verdict == "holds"
    (mapped,) = [one for one in result.a_to_b.weights.mapped if one.target == "table"]
    whole = {
        (64, 0): "",
        (66, 2): "[zeros; table]",
        (20, 0): "table: 0:20",
        (16, 0): "table: 0:16",
    }
    assert mapped.text == whole[rows, first]
    assert result.a_to_b.weights.invented == (("table",) if first else ())


STEPS, HIDDEN = 3, 4


def in_steps(function: str = "Tanh") -> str:
    """A simple recurrent layer as one projection after the other."""
    lines = ["x1, x2, x3 = Split <axis=0, num_outputs=3> (x)"]
    for step in range(1, STEPS + 1):
        lines.append(f"i{step} = Gemm <transB=1> (x{step}, w, ih)")
        lines.append(f"h{step} = Gemm <transB=1> (s{step - 1}, r, hh)")
        lines.append(f"t{step} = Add (i{step}, h{step})  s{step} = {function} (t{step})")
    body = "\n".join(lines)
    return f"""net (float[{STEPS},3] x) => (float[1,{HIDDEN}] y) {{
      s0 = ConstantOfShape (size)
      {body}
      y = Identity (s{STEPS}) }}"""


WHOLE = f"""net (float[{STEPS},3] x) => (float[1,{HIDDEN}] y) {{
  steps = Unsqueeze (x, second)
  b = Concat <axis=1> (ih, hh)
  all, last = RNN <hidden_size={HIDDEN}> (steps, w, r, b)
  y = Squeeze (last, first) }}"""


@pytest.mark.parametrize(
    ("function", "verdict"), [("Tanh", "same"), ("Sigmoid", "different-results")]
)
def test_steps_written_out_are_the_recurrent_layer_with_the_same_function(function, verdict):
    sizes = {"ih": (4,), "hh": (4,)}
    steps = loaded(in_steps(function), size=np.array([1, 4]), w=(4, 3), r=(4, 4), **sizes)
    biases = {name: (1, *size) for name, size in sizes.items()}
    axes = {"first": FIRST, "second": np.array([1])}
    whole = loaded(WHOLE, w=(1, 4, 3), r=(1, 4, 4), **biases, **axes)
    for pair in ((steps, whole), (whole, steps)):
        assert judged(*pair)[1] == verdict


def _steps(count: int) -> str:
    """A recurrent layer of one bias, step by step; no layer of it is one of the operator's."""
    lines = ["wt = Transpose <perm=[1,0]> (wi)  rt = Transpose <perm=[1,0]> (wh)"]
    for n in range(count):
        lines.append(f"x{n} = Gather <axis=0> (x, at{n})  i{n} = MatMul (x{n}, wt)")
        lines.append(f"g{n} = Add (i{n}, bias)")
        if n:  # the first step starts from 0
            lines.append(f"r{n} = MatMul (h{n - 1}, rt)  s{n} = Add (g{n}, r{n})")
        lines.append(f"h{n} = Tanh ({'s' if n else 'g'}{n})  u{n} = Unsqueeze (h{n}, axes)")
    joined = ", ".join(f"u{n}" for n in range(count))
    lines.append(f"y = Concat <axis=0> ({joined})")
    return f"net (float[{count},2,3] x) => (float[{count},1,2,4] y) {{ {' '.join(lines)} }}"


def test_steps_with_one_bias_are_the_operator_with_two():
    places = {f"at{n}": np.array(n) for n in range(3)}
    weights = {"wi": (4, 3), "wh": (4, 4), "bias": (4,)}
    steps = loaded(_steps(3), axes=np.array([0, 1]), **weights, **places)
    text = """net (float[3,2,3] x) => (float[3,1,2,4] y) {
        both = Concat <axis=0> (ih, hh)  b = Unsqueeze (both, first)
        y = RNN <hidden_size=4> (x, w, r, b)
    }"""
    operator = loaded(text, first=FIRST, w=(1, 4, 3), r=(1, 4, 4), ih=(4,), hh=(4,))
    for a, b in ((steps, operator), (operator, steps)):
        found, step = judged(a, b)
        assert found.parity.verdict == "holds", step
        assert {one.consequence for one in found.changes} <= {"spelling", "parameters"}
