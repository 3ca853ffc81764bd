"""Casts that lose values are layers; those that lose none are steps on edges."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs import diff
from modeldocs.ir import Cast
from modeldocs.normal import casts

from ..loaders.ports import operators
from ..onnxes import graph

KINDS = {
    "FLOAT": np.float32, "FLOAT16": np.float16, "BFLOAT16": ml_dtypes.bfloat16, "BOOL": np.bool_,
    "INT8": np.int8, "UINT8": np.uint8, "INT16": np.int16, "UINT16": np.uint16,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2, "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
}  # fmt: skip


def cast(before: str, after: str) -> ir.Node:
    types = [ir.TensorType(ir.DataType[name]) for name in (before, after)]
    values = [ir.Value(name=name, type=kind) for name, kind in zip("xy", types, strict=True)]
    return ir.Node("", "Cast", values[:1], outputs=values[1:])


@given(
    kinds=st.tuples(st.sampled_from(list(KINDS)), st.sampled_from(list(KINDS))),
    bits=st.lists(st.integers(0, 2**32 - 1), min_size=40, max_size=40),
)
def test_a_cast_that_keeps_all_gives_every_number_back(kinds, bits):
    """The law, against numpy."""
    before, after = kinds
    if casts.is_narrowing(cast(before, after)):
        return
    words = np.array(bits, np.uint32)
    numbers = words % 2 == 1 if before == "BOOL" else words.view(KINDS[before])
    numbers = numbers[np.isfinite(numbers.astype(np.float32))]
    there = numbers.astype(KINDS[after]).astype(np.float64)
    assert np.array_equal(there, numbers.astype(np.float64))


@pytest.mark.parametrize(
    ("before", "after", "narrows"),
    [
        ("FLOAT", "INT64", True), ("FLOAT", "FLOAT16", True), ("FLOAT", "BFLOAT16", True),
        ("FLOAT16", "BFLOAT16", True), ("BFLOAT16", "FLOAT16", True), ("INT32", "UINT8", True),
        ("INT8", "UINT8", True), ("INT64", "BOOL", True), ("INT16", "FLOAT16", True),
        ("FLOAT16", "FLOAT", False), ("DOUBLE", "FLOAT", False), ("INT64", "INT32", False),
        ("INT32", "FLOAT", False), ("BOOL", "INT4", False), ("UINT8", "BFLOAT16", False),
    ],
)  # fmt: skip
def test_what_narrows(before, after, narrows):
    assert casts.is_narrowing(cast(before, after)) == narrows


@pytest.mark.parametrize(
    ("body", "layers"),
    [
        ("i = Cast <to=6> (x)  f = Cast <to=1> (i)  y = Relu (f)", ["Cast", "Relu"]),
        ("i = Cast <to=10> (x)  f = Cast <to=1> (i)  y = Relu (f)", ["Cast", "Relu"]),
        ("i = Cast <to=16> (x) r = Reshape (i, s) f = Cast <to=1> (r) y = Relu (f)",
         ["Cast", "Relu"]),
        ("i = Cast <to=9> (x)  f = Cast <to=1> (i)  y = Relu (f)", ["Cast", "Relu"]),
        ("i = Cast <to=7> (x)  c = Less (i, n)  y = Where (c, x, z)", ["Cast", "Less", "Where"]),
        ("d = Cast <to=11> (x)  e = Exp (d)  f = Cast <to=1> (e)  y = Relu (f)", ["Exp", "Relu"]),
        ("h = Cast <to=10> (x)  e = Exp (h)  y = Cast <to=1> (e)", ["Exp"]),
        ("i = Cast <to=7> (x)  j = Cast <to=6> (i)  y = Gather (t, j)", ["Gather"]),
        ("c = Cast <to=9> (x)  d = Not (c)  y = Where (d, x, z)", ["Not", "Where"]),
        ("c = Cast <to=9> (x)  y = Where (c, x, z)", ["Where"]),
    ],
)  # fmt: skip
def test_it_is_a_layer_where_no_type_tells_the_loss(tmp_path, body, layers):
    found = graph(
        tmp_path, f"net (float[2,8] x) => (y) {{ {body} }}", t=np.ones((4, 3), np.float32),
        n=np.array(3), z=np.float32(0), s=[16],
    )  # fmt: skip
    assert operators(found) == layers


def test_a_half_precision_cast_around_a_norm_is_no_layer(tmp_path):
    """The norm is computed in float32, as one of a network in half precision is everywhere."""
    text = """net (float16[2,8] x) => (float16[2,8] y) {
      a = Relu (x)
      f = Cast <to=1> (a)
      n = LayerNormalization (f, w)
      h = Cast <to=10> (n)
      y = Relu (h)
    }"""
    found = graph(tmp_path, text, w=(8,))
    assert operators(found) == ["Relu", "LayerNormalization", "Relu"]
    assert found.layers[2].inputs[0].steps == (Cast(dtype="float16"),)


def test_the_type_of_a_cast_layer_has_a_name(tmp_path):
    text = "net (float[2,8] x) => (y) { i = Cast <to=6> (x)  f = Cast <to=1> (i)  y = Relu (f) }"
    assert graph(tmp_path, text).layers[0].attributes == {"to": "int32"}


def test_a_cast_that_loses_values_is_a_difference_that_computes(tmp_path):
    cast_to_int = "i = Cast <to=6> (a)  f = Cast <to=1> (i)  y = Relu (f)"
    plain, rounded = (
        graph(tmp_path, f"net (float[2,8] x) => (y) {{ a = Exp (x)  {body} }}")
        for body in ("y = Relu (a)", cast_to_int)
    )
    (change,) = diff.compare(plain, rounded).changes
    assert (change.kind, change.operator, change.consequence) == ("inserted", "Cast", "computes")
