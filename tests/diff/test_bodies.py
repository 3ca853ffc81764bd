"""Branches, loops and functions are compared layer by layer."""

from __future__ import annotations

import pytest

from modeldocs import diff

from ..onnxes import graph

BRANCHES = """net (bool c, float[2,8] x, float[2,8] z) => (float[2,4] y) {
  r = Relu (x)
  y = If (c) <
    then_branch = one () => (float[2,4] a) { m = MatMul (r, w)  a = Relu (m) },
    else_branch = two () => (float[2,4] d) {
      n = Sub (x, z)
      k = MatMul (n, w)
      d = Softmax <axis = 1> (k)
    }
  >
}"""
LOOP = """net (int64 n, float[1,8] x) => (float[1,8] y) {
  y = Loop (n, , x) <body = step (int64 i, bool k, float[1,8] s) => (bool l, float[1,8] t) {
    l = Identity (k)
    q = MatMul (s, w)
    t = Tanh (q)
  }>
}"""


def compared(folder, a, b, weights=(8, 4)):
    return diff.compare(*(graph(folder, text, w=weights) for text in (a, b)))


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("a = Relu (m)", "a = Sigmoid (m)", "then branch"),
        ("axis = 1", "axis = 0", "else branch"),
        ("n = Sub (x, z)", "n = Sub (z, x)", "else branch"),
        ("a = Relu (m)", "o = Relu (m) a = Tanh (o)", "then branch"),
    ],
)
def test_a_difference_inside_is_a_change_with_its_place(tmp_path, before, after, place):
    found = compared(tmp_path, BRANCHES, BRANCHES.replace(before, after))
    (change,) = found.changes
    assert (change.kind, change.consequence) == ("body", "computes")
    assert change.title.startswith(f"{place} of If 'if-1': ")
    assert change.pairs == ((("if-1",), ("if-1",)),)
    assert found.verdict == "different" and found.unchanged == 1


def test_what_is_only_written_differently_inside_is_spelling(tmp_path):
    other = BRANCHES.replace("a = Relu (m)", "a = Max (m, o)")
    a = graph(tmp_path, BRANCHES, w=(8, 4))
    b = graph(tmp_path, other, w=(8, 4), o=[0.0])
    assert {change.consequence for change in diff.compare(a, b).changes} <= {"spelling"}


def test_equal_bodies_have_no_change_whatever_they_are_called(tmp_path):
    named = BRANCHES.replace("one ()", "b1 ()").replace("(m)", "(mm)").replace(" m =", " mm =")
    assert compared(tmp_path, BRANCHES, named).verdict == "identical"


def test_operands_of_a_sum_inside_may_be_exchanged(tmp_path):
    a, b = (BRANCHES.replace("Sub (x, z)", f"Add ({given})") for given in ("x, z", "z, x"))
    assert compared(tmp_path, a, b).verdict == "identical"


def test_the_body_of_a_loop(tmp_path):
    found = compared(tmp_path, LOOP, LOOP.replace("Tanh", "Relu"), (8, 8))
    (change,) = found.changes
    assert change.title.startswith("body of Loop 'loop-1': Tanh → Relu")


def test_the_mirror_image_is_the_diff_of_exchanged_graphs(tmp_path):
    other = BRANCHES.replace("a = Relu (m)", "a = Sigmoid (m)")
    there, back = compared(tmp_path, BRANCHES, other), compared(tmp_path, other, BRANCHES)
    assert there.consequences == back.consequences
    assert "Relu → Sigmoid" in there.changes[0].title
    assert "Sigmoid → Relu" in back.changes[0].title


def test_layers_with_equal_bodies_are_matched(tmp_path):
    """Two choices in the other order: their bodies tell which is which."""

    def two(first, second):
        return f"""net (bool c, float[2,8] x) => (float[2,8] y, float[2,8] z) {{
          y = If (c) <then_branch = a () => (float[2,8] p) {{ p = {first} (x) }},
                      else_branch = b () => (float[2,8] q) {{ q = Tanh (x) }}>
          z = If (c) <then_branch = d () => (float[2,8] r) {{ r = {second} (x) }},
                      else_branch = e () => (float[2,8] s) {{ s = Tanh (x) }}>
        }}"""

    a, b = (graph(tmp_path, two(*ops)) for ops in (("Relu", "Elu"), ("Elu", "Relu")))
    found = diff.compare(a, b)
    assert not [change for change in found.changes if change.kind == "body"]
