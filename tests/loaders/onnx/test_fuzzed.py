"""ONNX files cut off and changed at random: a graph, or one sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ...onnxes import load, parse
from ..ports import operators
from .nets import load_or_hear, small

WHOLE = small(w=np.ones((4, 3, 3, 3), np.float32)).SerializeToString()
FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(st.integers(0, len(WHOLE) - 1))
def test_cut_off_anywhere(tmp_path, length):
    load_or_hear(WHOLE[:length], tmp_path)


@FUZZ
@given(st.binary(max_size=300))
def test_random_bytes(tmp_path, data):
    load_or_hear(data, tmp_path)


@FUZZ
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_one_byte_changed(tmp_path, place, value):
    load_or_hear(WHOLE[:place] + bytes([value]) + WHOLE[place + 1 :], tmp_path)


GRAPH_BYTES = small(w=(1, 1, 1, 1), b=(1,), v=(1, 1)).SerializeToString()
INTRICATE = parse(
    """net (float[1,3,9,9] x, bool c) => (y) {
        a = Relu (x)
        p = Pad (a, n)
        q = MaxPool <kernel_shape = [3,3], auto_pad = "SAME_UPPER"> (p)
        t = ConvTranspose <auto_pad = "SAME_LOWER", strides = [2,2]> (q, w)
        u = Transpose <perm = [3,2,0,1]> (w)
        v = Conv (t, u)
        l, m = Split <axis = 1, num_outputs = 2> (v)
        s = Shape (l)
        e = Expand (l, s)
        y = If (c) <
            then_branch = one () => (f) { f = Tanh (e) },
            else_branch = two () => (g) { h = Sigmoid (e) g = Mul (h, e) }
        >
    }""",
    n=np.array([0, 0, 1, 1, 0, 0, 1, 1]), w=(6, 2, 3, 3),
).SerializeToString()  # fmt: skip


@FUZZ
@given(
    st.sampled_from([GRAPH_BYTES, INTRICATE]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6),
)
def test_some_bytes_changed(tmp_path, whole, changes):
    data = bytearray(whole)
    for place, value in changes:
        data[int(place * len(data))] = value
    load_or_hear(bytes(data), tmp_path)


def test_the_intricate_one_is_whole(tmp_path):
    assert "MaxPool" in operators(load(INTRICATE, tmp_path))
