"""Multiply-accumulates and bytes, against counts made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modeldocs.ir import bits, operators
from modeldocs.normal import cost

from ..onnxes import graph


def layer(folder, node, shape="2,6,8,8", kind="float", **weights):
    return graph(folder, f"net ({kind}[{shape}] x) => (y) {{ y = {node} }}", **weights).layers[0]


@pytest.mark.parametrize("group", [1, 2, 3, 6])
def test_a_convolution_does_one_filter_for_each_output(tmp_path, group):
    found = layer(tmp_path, f"Conv <group = {group}> (x, w)", w=(12, 6 // group, 3, 3))
    assert found.outputs[0].shape == (2, 12, 6, 6)
    assert found.macs == 2 * 12 * 6 * 6 * (6 // group) * 9


@pytest.mark.parametrize("group", [1, 2, 3])
def test_a_transposed_convolution_does_one_filter_for_each_input(tmp_path, group):
    found = layer(
        tmp_path, f"ConvTranspose <group = {group}, strides = [2,2]> (x, w)",
        w=(6, 12 // group, 3, 3),
    )  # fmt: skip
    assert found.macs == 2 * 6 * 8 * 8 * (12 // group) * 9


def test_products_of_batches_of_matrices(tmp_path):
    text = "net (float[2,8,5,16] a, float[2,8,16,7] b) => (y) { y = MatMul (a, b) }"
    assert graph(tmp_path, text).totals().macs == 2 * 8 * 5 * 7 * 16


def test_products_that_broadcast(tmp_path):
    text = "net (float[4,1,5,16] a, float[8,16,7] b) => (y) { y = MatMul (a, b) }"
    assert graph(tmp_path, text).totals().macs == 4 * 8 * 5 * 7 * 16


def test_products_with_vectors(tmp_path):
    for a, b, expected in (("5,16", "16", 5 * 16), ("16", "16,7", 7 * 16), ("16", "16", 16)):
        text = f"net (float[{a}] a, float[{b}] b) => (y) {{ y = MatMul (a, b) }}"
        assert graph(tmp_path, text).totals().macs == expected


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gemm_of_computed_matrices_either_way_round(tmp_path, a, b):
    shapes = ["5,16", "16,5"][a], ["16,7", "7,16"][b]
    text = (
        f"net (float[{shapes[0]}] a, float[{shapes[1]}] b) => (y) "
        f"{{ y = Gemm <transA = {a}, transB = {b}> (a, b) }}"
    )
    assert graph(tmp_path, text).totals().macs == 5 * 7 * 16


def test_there_is_a_rule_for_every_operator_of_products():
    ruled, known = cost._RULES.keys(), operators.named(products=True)
    assert known - ruled == {"com.microsoft::PackedAttention"}  # its lengths are data
    assert ruled - known == {"ai.onnx.preview::FlexAttention"}  # of a domain without a table


def test_other_operators_do_none(tmp_path):
    assert layer(tmp_path, "Relu (x)").macs == 0
    assert layer(tmp_path, "MaxPool <kernel_shape = [3,3]> (x)").macs == 0


@pytest.mark.parametrize("shape", ["n,6,8,8", "2,6,h,w"])
def test_symbols_make_it_unknown(tmp_path, shape):
    found = layer(tmp_path, "Conv (x, w)", shape, w=(12, 6, 3, 3))
    assert found.macs is None
    assert found.activation_bytes is None


def test_one_unknown_layer_makes_the_sum_unknown(tmp_path):
    text = "net (float[n,6] x, float[2,6] z) => (y, v) { y = MatMul (x, w) v = MatMul (z, w) }"
    found = graph(tmp_path, text, w=(6, 4))
    assert [x.macs for x in found.layers] == [None, 2 * 4 * 6]
    assert found.totals().macs is None


def test_a_tensor_of_no_elements(tmp_path):
    assert layer(tmp_path, "Conv (x, w)", "0,6,8,8", w=(12, 6, 3, 3)).macs == 0


@pytest.mark.parametrize(
    ("kind", "width"),
    [("float", 4), ("double", 8), ("float16", 2), ("bfloat16", 2), ("int64", 8), ("int8", 1),
     ("uint8", 1)],
)  # fmt: skip
def test_bytes_follow_the_type(tmp_path, kind, width):
    found = layer(tmp_path, "Relu (x)", kind=kind)
    assert found.activation_bytes == math.prod((2, 6, 8, 8)) * width


def test_bits():
    names = ("float32", "float8e4m3fn", "bool", "int4", "uint4", "int32", "string", "unknown")
    assert [bits(name) for name in names] == [32, 8, 8, 4, 4, 32, None, None]


def test_a_layer_counts_the_outputs_that_are_read(tmp_path):
    text = "net (float[2,6] x) => (y) { v, i = TopK <axis = 1> (x, k) y = Relu (v) }"
    found = graph(tmp_path, text, k=np.array([3]))
    assert found.layers[0].activation_bytes == 2 * 3 * 4


def test_attention_multiplies_queries_by_keys_and_weights_by_values(tmp_path):
    text = """net (float[2,3,5,4] q, float[2,3,7,4] k, float[2,3,7,6] v) => (y) {
        y = Attention (q, k, v)
    }"""
    assert graph(tmp_path, text, opset=23).totals().macs == 2 * 3 * 5 * 7 * (4 + 6)


def test_attention_of_heads_in_one_axis(tmp_path):
    text = """net (float[2,5,12] q, float[2,7,12] k, float[2,7,12] v) => (y) {
        y = Attention <q_num_heads = 3, kv_num_heads = 3> (q, k, v)
    }"""
    found = graph(tmp_path, text, opset=23)
    assert found.totals().macs == 2 * 5 * 7 * (12 + 12)
    assert found.layers[0].attributes == {"num_heads": 3}
