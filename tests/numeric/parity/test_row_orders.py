"""Rows of projections in another order, found by running: rotary positions of two styles."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.diff import settle
from modeldocs.numeric.parity.regions.row_units import FeatureRowOrder
from modeldocs.verdict.level import step_before
from tests.numeric.parity.nets import loaded, parity

STEPS, HEADS, SIZE = 6, 2, 8


def _half(name: str) -> str:
    """The two halves of a head are turned."""
    return f"""
      {name}h = Reshape ({name}, heads)
      {name}a, {name}b = Split <axis=3, num_outputs=2> ({name}h)
      {name}ac = Mul ({name}a, cos)
      {name}bs = Mul ({name}b, sin)
      {name}f = Sub ({name}ac, {name}bs)
      {name}bc = Mul ({name}b, cos)
      {name}as = Mul ({name}a, sin)
      {name}s = Add ({name}bc, {name}as)
      {name}r = Concat <axis=3> ({name}f, {name}s)"""


def _neighbours(name: str) -> str:
    """Each feature is turned with the next."""
    return f"""
      {name}h = Reshape ({name}, pairs)
      {name}a5, {name}b5 = Split <axis=4, num_outputs=2> ({name}h)
      {name}a = Squeeze ({name}a5, last)
      {name}b = Squeeze ({name}b5, last)
      {name}ac = Mul ({name}a, cos)
      {name}bs = Mul ({name}b, sin)
      {name}f = Sub ({name}ac, {name}bs)
      {name}bc = Mul ({name}b, cos)
      {name}as = Mul ({name}a, sin)
      {name}s = Add ({name}bc, {name}as)
      {name}f5 = Unsqueeze ({name}f, last)
      {name}s5 = Unsqueeze ({name}s, last)
      {name}p = Concat <axis=4> ({name}f5, {name}s5)
      {name}r = Reshape ({name}p, heads)"""


def _kept(name: str) -> str:
    """Nothing is turned."""
    return f"{name}r = Reshape ({name}, heads)"


def _behind(turned):
    """The last features of each head are turned; others before them are not."""
    return lambda name: (
        f"""
      {name}w = Reshape ({name}, wide)
      {name}n, {name}u = Split <axis=3, num_outputs=2> ({name}w)
      {turned(name + "u")}
      {name}r = Concat <axis=3> ({name}n, {name}ur)"""
    )


def _attention(turned, keys=None, base=100.0, parts=1):
    """Attention over positions that are turned in one of the two styles; keys may be otherwise.

    The heads of queries and keys have so many times the features that are turned.
    """
    width = HEADS * SIZE
    numbers = {"none": 0, "one": 1, "steps": STEPS, "half": SIZE // 2, "each": -2 / SIZE}
    constants = "\n".join(
        f"{name} = Constant <value_float = {number:.6f}> ()"
        for name, number in {**numbers, "base": base}.items()
    )
    return loaded(
        f"""net (float[1,{STEPS},{width}] x) => (float[1,{STEPS},{width}] y) {{
          {constants}
          places = Range (none, steps, one)
          features = Range (none, half, one)
          powers = Mul (features, each)
          rates = Pow (base, powers)
          rows = Reshape (places, column)
          angles = Mul (rows, rates)
          c = Cos (angles)
          s0 = Sin (angles)
          cos = Unsqueeze (c, outer)
          sin = Unsqueeze (s0, outer)
          q = MatMul (x, wq)
          k = MatMul (x, wk)
          v = MatMul (x, wv)
          {turned("q")}
          {(keys or turned)("k")}
          vh = Reshape (v, heads)
          qt = Transpose <perm=[0,2,1,3]> (qr)
          kt = Transpose <perm=[0,2,3,1]> (kr)
          vt = Transpose <perm=[0,2,1,3]> (vh)
          s = MatMul (qt, kt)
          p = Softmax (s)
          m = MatMul (p, vt)
          mt = Transpose <perm=[0,2,1,3]> (m)
          mf = Reshape (mt, flat)
          y = MatMul (mf, wo)
        }}""",
        **dict.fromkeys(("wv", "wo"), (width, width)),
        **dict.fromkeys(("wq", "wk"), (width, parts * width)),
        wide=np.array([1, STEPS, HEADS, 2 * SIZE]),
        column=np.array([STEPS, 1]),
        outer=np.array([0, 2]),
        heads=np.array([1, STEPS, HEADS, SIZE]),
        pairs=np.array([1, STEPS, HEADS, SIZE // 2, 2]),
        flat=np.array([1, STEPS, width]),
        last=np.array([4]),
    )


def test_halves_and_neighbours_are_one_function_with_rows_in_another_order():
    found, told = parity(_attention(_half), _attention(_neighbours))
    assert found.verdict == "holds" and found.outputs.relative < 1e-5
    texts = {one.target: one.text for one in found.a_to_b.weights.converted}
    assert set(texts) == {"wq", "wk"}
    settled = settle(told, found)
    grave = [one for one in settled.changes if one.consequence != "spelling"]
    assert [one.consequence for one in grave] == ["parameters"]
    assert "in 2 weights (wq, …)" in grave[0].title
    assert step_before(settled, frozenset()).id == "held-differently"


def test_rows_are_ordered_where_only_the_last_part_of_each_head_is_turned():
    a, b = (_attention(_behind(turned), parts=2) for turned in (_half, _neighbours))
    found, _ = parity(a, b)
    assert found.verdict == "holds"
    for way in found.directions:
        assert {one.target for one in way.weights.turned} == {"wq", "wk"}


def test_another_base_is_told_where_rows_are_in_another_order_too():
    found, told = parity(_attention(_half), _attention(_neighbours, base=50.0))
    settled = settle(told, found)
    grave = [one.title for one in settled.changes if one.consequence == "computes"]
    assert len(grave) == 1 and grave[0].endswith("rotary base 100 → 50")


def test_what_no_order_of_rows_explains_stays_different():
    found, _ = parity(_attention(_half), _attention(_neighbours, keys=_kept))
    assert found.verdict == "diverges"


def test_an_order_that_runs_equal_is_that_of_both_directions():
    forward, _ = parity(_attention(_half), _attention(_neighbours))
    both = [{one.target for one in way.weights.turned} for way in forward.directions]
    assert both == [{"wq", "wk"}] * 2


@pytest.mark.parametrize(
    ("order", "positions"),
    [
        (FeatureRowOrder(6, (2, 3)), [0, 3, 1, 4, 2, 5]),
        (FeatureRowOrder(6, (3, 2)), [0, 2, 4, 1, 3, 5]),
        (FeatureRowOrder(6, (2, 2)), [0, 2, 1, 3, 4, 5]),
        (FeatureRowOrder(6, (2, 3), reversed=0), [3, 4, 5, 0, 1, 2]),
        (FeatureRowOrder(4, (2, 2), reversed=1), [1, 0, 3, 2]),
    ],
)
def test_an_order_moves_the_features_of_a_block(order, positions):
    again = [one + order.size for one in positions]
    assert order.positions(2 * order.size).tolist() == [*positions, *again]
