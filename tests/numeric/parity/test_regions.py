"""Regions: what lies between values that correspond is decided by running it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs import diff as engine
from modeldocs import verdict
from modeldocs.diff import Diff
from modeldocs.normal import normalise
from modeldocs.numeric.parity.partial_run import PartialRun

from . import nets

STEM = "net (float[1,3,8,8] x) => (float[1,4,8,8] y) {"


def settled(ours: str, theirs: str, **weights: object) -> tuple[Diff, str]:
    """The diff of two networks, settled by running them, and the step of its verdict."""
    return judged(nets.loaded(ours, **weights), nets.loaded(theirs, **weights))


def judged(a: ir.Model, b: ir.Model) -> tuple[Diff, str]:
    result, structure = nets.parity(a, b)
    found = engine.settle(structure, result)
    graphs = normalise(a.clone()), normalise(b.clone())
    return found, verdict.step(found, graphs).id


def grave(diff: Diff) -> list[str]:
    """The consequences of the changes that are more than spelling."""
    return [change.consequence for change in diff.changes if change.consequence != "spelling"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (  # a value is computed once and read twice, or computed twice
            f"""{STEM} p = Relu (x)  a = Conv <kernel_shape = [1, 1]> (p, w)
            b = Conv <kernel_shape = [1, 1]> (p, v)  y = Add (a, b) }}""",
            f"""{STEM} p = Relu (x)  q = Relu (x)  a = Conv <kernel_shape = [1, 1]> (p, w)
            b = Conv <kernel_shape = [1, 1]> (q, v)  y = Add (a, b) }}""",
        ),
        (  # a sum of squares in another form
            f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)  s = Mul (c, c)  y = Sqrt (s) }}""",
            f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)  y = Abs (c) }}""",
        ),
    ],
)
def test_what_computes_the_same_is_written_differently_whatever_its_operators(ours, theirs):
    found, step = settled(ours, theirs, w=(4, 3, 1, 1), v=(4, 3, 1, 1))
    assert step == "same" and not grave(found)


def test_a_setting_that_makes_no_difference_where_it_stands_is_idle():
    """A 1x1 kernel has no dilation; the norm's epsilon acts."""
    text = f"""{STEM} c = Conv <kernel_shape = [1, 1], dilations = [1, 1]> (x, w)
    y = BatchNormalization <epsilon = 0.001> (c, s, t, m, v) }}"""
    other = text.replace("dilations = [1, 1]", "dilations = [2, 2]").replace("0.001", "0.01")
    weights = {"w": (4, 3, 1, 1), **dict.fromkeys("stmv", (4,))}
    found, step = settled(text, other, **weights)
    acting = [change for change in found.changes if change.consequence == "computes"]
    assert step == "different-results" and [one.attribute for one in acting] == ["epsilon"]


def test_a_difference_of_less_than_a_hundredth_is_small():
    """The approximation of GELU by tanh, and epsilons that act at the variances of few channels."""
    gelu = f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)  g = Gelu (c)
    y = Conv <kernel_shape = [1, 1]> (g, u) }}"""
    weights = {"w": (4, 3, 1, 1), "u": (4, 4, 1, 1)}
    found, step = settled(gelu, gelu.replace("Gelu", 'Gelu <approximate = "tanh">'), **weights)
    assert step == "small-differences" and grave(found) == ["computes"]
    _, step = settled(gelu, gelu.replace("Gelu", "Relu"), **weights)
    assert step == "different-results"


@pytest.mark.parametrize("token", [(1, 1, 8), np.ones((1, 1, 8), np.float32)])
def test_a_token_of_its_own_hides_no_difference_of_the_branches_that_are_added_to_it(token):
    """The head reads the class token, learned or not, in front of what is computed."""
    text = """net (float[1,5,8] x) => (float[1,1,4] y) {
        e = MatMul (x, w)  t = Concat <axis = 1> (token, e)
        n = LayerNormalization <epsilon = 0.000001> (t, s, b)  h = MatMul (n, u)
        g = Gelu <approximate = "none"> (h)  m = MatMul (g, v)  r = Add (t, m)
        k = LayerNormalization <epsilon = 0.000001> (r, s, b)
        c = Slice (k, zero, one, one)  y = MatMul (c, z) }"""
    shapes = (8, 8), token, (8,), (8,), (8, 16), (16, 8), (8, 4)
    weights = dict(zip(("w", "token", "s", "b", "u", "v", "z"), shapes, strict=True))
    places = {"zero": np.array([0]), "one": np.array([1])}
    found, step = settled(text, text.replace('"none"', '"tanh"'), **weights, **places)
    assert step == "small-differences" and grave(found) == ["computes"]


@pytest.mark.parametrize("head", ["Softmax", "LogSoftmax", "Sigmoid"])
def test_networks_that_differ_in_the_output_head_alone_are_the_same_up_to_it(head):
    text = f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)
    y = Conv <kernel_shape = [1, 1]> (c, u) }}"""
    other = text.replace("y = Conv", "z = Conv").replace("(c, u)", f"(c, u)  y = {head} (z)")
    found, step = settled(text, other, w=(4, 3, 1, 1), u=(4, 4, 1, 1))
    assert step == "up-to-head" and found.parity is not None
    assert found.parity.outputs is not None and found.parity.outputs.small


def test_a_setting_that_acts_in_one_of_two_layers_is_told_of_that_one():
    """A 1x1 kernel has no dilation; one of 3x3 has."""
    text = f"""{STEM} c = Conv <kernel_shape = [1, 1], dilations = [1, 1]> (x, w)
    y = Conv <kernel_shape = [3, 3], dilations = [1, 1], pads = [1, 1, 1, 1]> (c, v) }}"""
    first, last = text.split("y =")
    other = (
        first.replace("[1, 1]> (x", "[2, 2]> (x")
        + "y ="
        + last.replace(
            "dilations = [1, 1], pads = [1, 1, 1, 1]", "dilations = [2, 2], pads = [2, 2, 2, 2]"
        )
    )
    found, step = settled(text, other, w=(4, 3, 1, 1), v=(4, 4, 3, 3))
    told = {one.consequence: one for one in found.changes if one.attribute == "dilations"}
    assert step == "different-results"
    assert told["computes"].pairs == ((("conv-2",), ("conv-2",)),)
    assert told["spelling"].pairs == ((("conv-1",), ("conv-1",)),)
    assert "1 of 2 acts (" in told["computes"].title


def test_an_order_of_elements_that_no_reader_makes_up_for_is_a_difference():
    start = "net (float[1,16] x) => (float[1,8] y) { s = Sin (x)  c = Cos (x)"
    text = f"{start}  j = Concat <axis = 1> (s, c)  y = Gemm <transB = 1> (j, w) }}"
    other = f"""{start}  axes = Constant <value_ints = [2]> ()  u = Unsqueeze (s, axes)
    v = Unsqueeze (c, axes)  k = Concat <axis = 2> (u, v)  dims = Constant <value_ints = [1, 32]> ()
    j = Reshape (k, dims)  y = Gemm <transB = 1> (j, w) }}"""
    found, step = settled(text, other, w=(8, 32))
    assert step == "different-results" and found.parity is not None
    assert found.parity.first is not None and found.parity.first.operators[0] == "Concat"


def test_a_difference_is_told_at_its_region_and_nothing_behind_it_is():
    text = f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)  r = Relu (c)
    d = Conv <kernel_shape = [1, 1]> (r, u)  y = Tanh (d) }}"""
    found, step = settled(text, text.replace("Relu", "Sigmoid"), w=(4, 3, 1, 1), u=(4, 4, 1, 1))
    assert step == "different-results" and found.parity is not None
    assert [one.pair[0] for one in found.parity.divergences] == [("relu-1",)]


@pytest.mark.parametrize(
    ("end", "shape", "title"),
    [
        ("y = Transpose <perm = [0, 1, 3, 2]> (c)", "1,4,8,8", "axes in another order"),
        ("y = Flatten <axis = 1> (c)", "1,256", "as 1×256 in place of 1×4×8×8"),
        ("h = Cast <to = 11> (c)  y = Identity (h)", "1,4,8,8", "as float64 in place of float32"),
    ],
)
def test_what_is_returned_in_another_form_is_told_first(end, shape, title):
    start = "c = Conv <kernel_shape = [1, 1]> (x, w)"
    kind = "double" if "Cast" in end else "float"
    other = f"net (float[1,3,8,8] x) => ({kind}[{shape}] y) {{ {start}  {end} }}"
    found, step = settled(f"{STEM} {start}  y = Identity (c) }}", other, w=(4, 3, 1, 1))
    assert step == "returned-differently" and title in found.changes[0].title


def test_outputs_in_another_order_are_the_same_but_for_that():
    text = """net (float[1,4] x) => (float[1,2] y, float[1,2] z) {
      y = Gemm (x, w)  z = Gemm (x, v) }"""
    other = text.replace("(float[1,2] y, float[1,2] z)", "(float[1,2] z, float[1,2] y)")
    found, step = settled(text, other, w=(4, 2), v=(4, 2))
    assert step == "returned-differently"
    assert found.changes[0].title == "outputs returned in another order: y, z → z, y"


def test_inputs_have_the_roles_that_their_names_give_them():
    text = """net (float[1,4] before, float[1,4] after) => (float[1,2] y) {
      p = Gemm (before, w)  q = Gemm (after, v)  r = Relu (q)  y = Sub (p, r) }"""
    other = text.replace("Gemm (before", "Gemm (*").replace("(after, v", "(before, v")
    found, step = settled(text, other.replace("(*", "(after"), w=(4, 2), v=(4, 2))
    assert step == "different-results"
    assert "before and after swapped" in found.changes[0].title


def test_a_branch_that_the_first_inputs_do_not_take_is_run_on_the_opposite_ones():
    text = """net (bool c, float[2,4] x) => (float[2,4] y) { y = If (c) <
      then_branch = one () => (float[2,4] a) { a = Tanh (x) },
      else_branch = two () => (float[2,4] b) { b = Relu (x) }> }"""
    found, step = settled(text, text.replace("b = Relu", "b = Sigmoid"))
    assert step == "different-results" and found.parity is not None
    assert found.parity.verdict == "diverges"


def test_another_constant_is_named_where_undoing_it_gives_the_same_numbers():
    text = """net (float[1,6] x) => (float[1,6] y) { g = Gemm (x, w)  y = Clip (g, low, high) }"""
    a, b = (
        nets.loaded(text, w=(6, 6), low=np.float32(low), high=np.float32(0.5))
        for low in (-0.5, -0.25)
    )
    found, _ = judged(a, b)
    assert found.parity is not None and found.parity.first is not None
    assert found.parity.first.settings == ("min",)


def test_outputs_that_no_layer_computes_are_compared():
    text = """net (float[2] x) => (float[2] y, float[2,3] z) {
      y = Relu (x)
      s = Constant <value = int64[2] {2, 3}> ()
      z = ConstantOfShape <value = float[1] {1.0}> (s)
    }"""
    found, step = settled(text, text.replace("{1.0}", "{2.0}"))
    assert step == "different-results"
    assert [change.title for change in found.changes] == ["output z returned with other numbers"]


def test_a_network_of_constants_alone_is_what_it_returns():
    text = """net () => (float[2,3] y) {
      s = Constant <value = int64[2] {2, 3}> ()
      y = ConstantOfShape <value = float[1] {1.0}> (s)
    }"""
    assert settled(text, text)[0].verdict == "identical"
    found, step = settled(text, text.replace("3] y", "4] y").replace("3}", "4}"))
    assert step == "different-results" and found.parity is not None
    assert [change.title for change in found.changes] == [
        "output y returned as 2×4 in place of 2×3"
    ]


def test_what_was_computed_from_the_very_values_that_a_region_is_given_is_not_run_again(
    monkeypatch,
):
    cut: list[set[str]] = []
    substitute = PartialRun.substitute

    def recorded(run: PartialRun, values: dict[str, np.ndarray]) -> None:
        cut.append(set(values))
        substitute(run, values)

    monkeypatch.setattr(PartialRun, "substitute", recorded)
    text = """net (float[1,6] x) => (float[1,6] y) {
      g = Gemm (x, w)  r = Relu (g)  s = Sigmoid (r)  y = Gemm (s, v) }"""
    weights = {"w": (6, 6), "v": (6, 6)}
    found, _ = settled(text, text, **weights)
    assert found.parity is not None and found.parity.verdict == "holds" and not cut
    found, step = settled(text, text.replace("Relu", "Tanh"), **weights)
    assert step == "different-results" and cut
    assert found.parity is not None and len(found.parity.divergences) == 1


def test_two_forms_of_rounding_are_not_the_same_for_being_equal_on_drawn_numbers():
    """Half to even and half up differ where a number is half of one, which few are."""
    text = f"""{STEM} c = Conv <kernel_shape = [1, 1]> (x, w)
    k = Constant <value_float = 0.5> ()  ROUNDED  y = Conv <kernel_shape = [1, 1]> (r, u) }}"""
    ours = text.replace("ROUNDED", "r = Round (c)")
    theirs = text.replace("ROUNDED", "a = Add (c, k)  r = Floor (a)")
    found, _ = settled(ours, theirs, w=(4, 3, 1, 1), u=(4, 4, 1, 1))
    assert grave(found)


HALVES = """net (float[2,8] x, float[2,4] p) => (float[2,8] y) {
  q = Gemm (x, w)  c = Cos (p)  s = Sin (p)  l, h = Split <axis = 1, num_outputs = 2> (q)
  lc = Mul (l, c)  hs = Mul (h, s)  hc = Mul (h, c)  ls = Mul (l, s)
  a = Sub (lc, hs)  b = Add (hc, ls)  r = Concat <axis = 1> (a, b)  y = Gemm (r, v) }"""
WHOLE = """net (float[2,8] x, float[2,4] p) => (float[2,8] y) {
  q = Gemm (x, w)  pp = Concat <axis = 1> (p, p)  c = Cos (pp)  s = Sin (pp)
  l, h = Split <axis = 1, num_outputs = 2> (q)  n = Neg (h)  t = Concat <axis = 1> (n, l)
  qc = Mul (q, c)  ts = Mul (t, s)  r = Add (qc, ts)  y = Gemm (r, v) }"""
"""A rotation of pairs of features, by tables of a half or of all features."""


def test_a_calculation_in_two_forms_with_values_of_other_sizes_is_the_same():
    found, step = settled(HALVES, WHOLE, w=(8, 8), v=(8, 8))
    assert step == "same" and not grave(found)


def test_a_calculation_in_two_forms_that_differ_is_one_line_with_all_that_leads_to_it():
    other_sign = WHOLE.replace("Neg (h)", "Neg (l)").replace("(n, l)", "(h, n)")
    found, step = settled(HALVES, other_sign, w=(8, 8), v=(8, 8))
    (line,) = found.changes
    assert step == "different-results" and line.kind == "region"
    assert line.title == "Gemm (gemm-2): other numbers; what leads to it differs in 7 ways"


def test_what_jumps_elsewhere_is_not_made_up_for_by_what_follows():
    """Half to even and half up differ where drawn numbers seldom are: at the halves themselves."""
    net = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {{
      c = Conv (x, w)  {rounded}  low = Constant <value_float = -8.0> ()
      high = Constant <value_float = 7.0> ()  k = Max (r, low)  l = Min (k, high)
      y = Conv (l, v) }}"""
    even = net.format(rounded="r = Round (c)")
    up = net.format(
        rounded="half = Constant <value_float = 0.5> ()  s = Add (c, half)  r = Floor (s)"
    )
    weights = {"w": (4, 3, 3, 3), "v": (4, 4, 1, 1)}
    result, structure = nets.parity(*(nets.loaded(one, **weights) for one in (even, up)))
    assert any(x.consequence == "computes" for x in engine.settle(structure, result).changes)
