"""Dense layers with the pieces of one weight are one layer, however the weight is cut."""

from __future__ import annotations

import numpy as np
import pytest

from .nets import Net


def net(cut, multiplied, w=(12, 6), read="x, x, x", **given):
    x, y, z = (name.strip() for name in read.split(","))
    body = multiplied.format(x=x, y=y, z=z)
    text = f"net (float[2,6] x, float[2,6] o) => (float[2,12] r) {{ {cut} {body} }}"
    return Net(text, w=w, **given)


def numbers(*sizes):
    return np.array(sizes)


SPLIT = "p, q, s = Split <axis = 0, num_outputs = 3> (w) "
BIASES = "c, d, e = Split <axis = 0, num_outputs = 3> (b) "
GEMMS = """
    k = Gemm <transB = 1> ({x}, p, c) l = Gemm <transB = 1> ({y}, q, d)
    m = Gemm <transB = 1> ({z}, s, e) r = Concat <axis = 1> (m, k, l)
"""
SLICES = """
    p = Slice (w, n0, n4, n0) q = Slice (w, n4, n8, n0) s = Slice (w, n8, n12, n0)
"""
ENDS = {f"n{n}": numbers(n) for n in (0, 4, 8, 12)}


@pytest.mark.parametrize("cut", [SPLIT, SLICES], ids=["Split", "Slice"])
def test_rows(cut):
    assert net(cut + BIASES, GEMMS, b=(12,), **ENDS).layers() == ["Gemm", "Split", "Concat"]


def test_rows_of_other_sizes():
    cut = "p, q, s = Split <axis = 0> (w, n) c, d, e = Split <axis = 0> (b, n) "
    assert net(cut, GEMMS, b=(12,), n=numbers(2, 2, 8)).layers() == ["Gemm", "Split", "Concat"]


def test_columns():
    cut = "p, q, s = Split <axis = 1, num_outputs = 3> (w) "
    multiplied = GEMMS.replace(" <transB = 1>", "")
    assert net(cut + BIASES, multiplied, w=(6, 12), b=(12,)).layers() == ["Gemm", "Split", "Concat"]


def test_without_biases():
    multiplied = GEMMS.replace(", c)", ")").replace(", d)", ")").replace(", e)", ")")
    assert net(SPLIT, multiplied).layers() == ["Gemm", "Split", "Concat"]


def test_what_reads_another_tensor_stays_apart():
    assert net(SPLIT + BIASES, GEMMS, b=(12,), read="x, x, o").layers() == ["Gemm"] * 3 + ["Concat"]


def test_pieces_that_are_not_all_of_the_weight_stay_apart():
    multiplied = """
        k = Gemm <transB = 1> ({x}, p, c) l = Gemm <transB = 1> ({y}, q, d)
        m = Identity (k) r = Concat <axis = 1> (m, k, l)
    """
    assert net(SPLIT + BIASES, multiplied, b=(12,)).layers() == ["Gemm", "Gemm", "Concat"]


def test_biases_in_another_order_stay_apart():
    biases = BIASES.replace("c, d, e", "d, c, e")
    assert net(SPLIT + biases, GEMMS, b=(12,)).layers() == ["Gemm"] * 3 + ["Concat"]
