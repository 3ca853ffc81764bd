"""MACs and parameters of quantised, packed, fused and contributed operators: right, or unknown."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from modeldocs.errors import ModeldocsError

from ..loaders.ports import only
from ..onnxes import graph, load, parse

F32, I8, U8, I32 = np.float32, np.int8, np.uint8, np.int32


def totals(folder, text, opset=20, **weights):
    found = graph(folder, text, opset, **weights).totals()
    return found.macs, found.parameters


def channel_scales(count):
    return {"ws": np.full(count, 0.01, F32), "wz": np.zeros(count, I8)}


def test_a_quantised_convolution_counts_as_the_float_one(tmp_path):
    scales = {"xs": F32(0.02), "xz": U8(128), "ys": F32(0.05), "yz": U8(128)}
    text = """net (uint8[1,3,16,16] x) => (y) {
      y = QLinearConv <pads = [1,1,1,1]> (x, xs, xz, w, ws, wz, ys, yz, b)
    }"""
    weights = {"w": np.ones((8, 3, 3, 3), I8), "b": np.ones(8, I32)}
    found = totals(tmp_path, text, **weights, **channel_scales(8), **scales)
    assert found == (8 * 16 * 16 * 27, 8 * 27 + 8)


def test_weights_that_are_dequantised_count_with_their_bias(tmp_path):
    """As exporters write them: integers, each behind a DequantizeLinear."""
    text = """net (float[1,3,16,16] x) => (y) {
      v = DequantizeLinear <axis = 0> (w, ws, wz)
      c = DequantizeLinear <axis = 0> (b, ws)
      y = Conv <pads = [1,1,1,1]> (x, v, c)
    }"""
    weights = {"w": np.ones((8, 3, 3, 3), I8), "b": np.ones(8, I32)}
    assert totals(tmp_path, text, **weights, **channel_scales(8)) == (8 * 16 * 16 * 27, 8 * 27 + 8)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("uint8", "y = MatMulInteger (x, w, xz, wz)"),
        ("uint8", "y = QLinearMatMul (x, xs, xz, w, ws, wz, ys, yz)"),
        ("float", "y = com.microsoft.MatMulNBits <N=24, K=32, bits=4, block_size=16> (x, p, s)"),
        ("float", "y = com.microsoft.DynamicQuantizeMatMul (x, w, ws, wz)"),
        ("uint8", "y = com.microsoft.MatMulIntegerToFloat (x, w, xs, ws, xz, wz)"),
        ("float", "y = com.microsoft.FusedMatMul (x, f)"),
        ("float", "y = com.microsoft.FusedMatMul <transB = 1> (x, t)"),
    ],
)
def test_products_with_a_matrix(tmp_path, kind, body):
    weights = {
        "w": np.ones((32, 24), I8), "f": (32, 24), "t": (24, 32),
        "p": np.ones((24, 2, 8), U8), "s": np.ones(48, F32), **channel_scales(24),
        "xs": F32(0.02), "xz": U8(128), "ys": F32(0.05), "yz": U8(128),
    }  # fmt: skip
    names = re.findall(r"\w+", body.partition("(")[2])
    used = {name: value for name, value in weights.items() if name in names}
    found = totals(tmp_path, f"net ({kind}[5,32] x) => (y) {{ {body} }}", **used)
    assert found == (5 * 24 * 32, 24 * 32)


def test_packed_weights_have_the_shape_and_type_of_their_values(tmp_path):
    text = """net (float[5,32] x) => (y) {
      y = com.microsoft.MatMulNBits <N=24, K=32, bits=4, block_size=16> (x, p, s)
    }"""
    packed = {"p": np.ones((24, 2, 8), U8), "s": np.ones(48, F32)}
    (weight,) = graph(tmp_path, text, **packed).layers[0].parameters
    assert (weight.role, weight.shape, weight.dtype) == ("weight", (24, 32), "uint4")


def test_a_deformable_convolution_counts_as_the_rigid_one(tmp_path):
    text = """net (float[1,4,8,8] x, float[1,18,8,8] o) => (float[1,6,8,8] y) {
      y = DeformConv <pads = [1,1,1,1], kernel_shape = [3,3]> (x, w, o)
    }"""
    assert totals(tmp_path, text, w=(6, 4, 3, 3)) == (6 * 64 * 36, 6 * 36)


def test_a_fused_convolution_whose_output_is_known(tmp_path):
    text = """net (float[1,4,8,8] x) => (float[1,6,8,8] y) {
      y = com.microsoft.FusedConv <pads = [1,1,1,1], activation = "Relu"> (x, w, b)
    }"""
    assert totals(tmp_path, text, w=(6, 4, 3, 3), b=(6,)) == (6 * 64 * 36, 6 * 36 + 6)


@pytest.mark.parametrize(
    ("equation", "shapes", "macs"),
    [
        ("bij,bjk->bik", ("2,3,4", "2,4,5"), 2 * 3 * 4 * 5),
        ("bhqd,bhkd->bhqk", ("1,2,7,4", "1,2,9,4"), 2 * 7 * 9 * 4),
        ("...ij,...kj->...ik", ("2,2,3,4", "2,2,5,4"), 4 * 3 * 4 * 5),
        ("bijc,bjkc->bikc", ("1,3,4,2", "1,4,5,2"), 3 * 4 * 5 * 2),
        ("ij,ij->ij", ("3,4", "3,4"), 0),
        ("ij,ij", ("3,4", "3,4"), 12),
    ],
)
def test_einsum(tmp_path, equation, shapes, macs):
    text = f"""net (float[{shapes[0]}] a, float[{shapes[1]}] b) => (y) {{
      y = Einsum <equation = "{equation}"> (a, b)
    }}"""
    assert graph(tmp_path, text).totals().macs == macs


def test_einsum_of_three_tensors_is_unknown(tmp_path):
    text = """net (float[3,4] a, float[4,5] b, float[5,6] c) => (y) {
      y = Einsum <equation = "ij,jk,kl->il"> (a, b, c)
    }"""
    assert graph(tmp_path, text).totals().macs is None


class TestAttention:
    def test_with_its_projection(self, tmp_path):
        text = """net (float[2,7,16] x) => (float[2,7,16] y) {
          y = com.microsoft.Attention <num_heads = 4> (x, w, b)
        }"""
        found = totals(tmp_path, text, w=(16, 48), b=(48,))
        assert found == (2 * 7 * 16 * 48 + 2 * (2 * 7 * 7 * 16), 16 * 48 + 48)

    def test_quantised(self, tmp_path):
        text = """net (uint8[2,7,16] x) => (float[2,7,16] y) {
          y = com.microsoft.QAttention <num_heads = 4> (x, w, b, xs, ws)
        }"""
        weights = {"w": np.ones((16, 48), I8), "b": (48,), "xs": F32(1), "ws": np.ones(48, F32)}
        found = totals(tmp_path, text, **weights)
        assert found == (2 * 7 * 16 * 48 + 2 * (2 * 7 * 7 * 16), 16 * 48 + 48)

    def test_across_two_sequences(self, tmp_path):
        text = """net (float[2,7,16] q, float[2,9,16] k, float[2,9,16] v) => (float[2,7,16] y) {
          y = com.microsoft.MultiHeadAttention <num_heads = 4> (q, k, v)
        }"""
        assert totals(tmp_path, text) == (2 * (2 * 7 * 9 * 16), 0)

    def test_with_keys_of_the_past(self, tmp_path):
        text = """net (float[2,1,16] q, float[2,1,8] k, float[2,1,8] v, float[2,2,9,4] p,
                      float[2,2,9,4] r, int32[2] n, int32[1] t) => (float[2,1,16] y, pk, pv) {
          y, pk, pv = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2>
            (q, k, v, p, r, n, t)
        }"""
        assert totals(tmp_path, text) == (2 * (2 * 1 * 10 * 16), 0)


@pytest.mark.parametrize(
    ("body", "macs"),
    [
        ("y = own.Mixer (x, w)", None),
        ("y = own.Scale (x, v)", 0),
        ("y = com.microsoft.LongformerAttention (x, w, v)", None),
        ("y = com.microsoft.CDist (x, x)", None),
        ("y = com.microsoft.SkipLayerNormalization (x, x, v)", 0),
        ("y = com.microsoft.QuickGelu (x)", 0),
    ],
)
def test_what_is_not_known_to_multiply_nothing_is_unknown(tmp_path, body, macs):
    weights = {name: shape for name, shape in {"w": (16, 16), "v": (16,)}.items() if name in body}
    text = f"net (float[2,16] x) => (float[2,16] y) {{ {body} }}"
    assert graph(tmp_path, text, **weights).totals().macs == macs


def sparse(name, linear=True):
    """A matrix 4 x 5 with three values, by places or by indices of both axes."""
    values = numpy_helper.from_array(np.array([1, 2, 3], F32), name)
    places = np.array([0, 7, 19]) if linear else np.array([[0, 0], [1, 2], [3, 4]])
    return helper.make_sparse_tensor(values, numpy_helper.from_array(places, "places"), [4, 5])


@pytest.mark.parametrize("linear", [True, False])
def test_sparse_tensors_are_read(tmp_path, linear):
    model = parse("net (float[2,4] x) => (y) { y = MatMul (x, w) }", w=(4, 5))
    del model.graph.initializer[:]
    model.graph.sparse_initializer.append(sparse("w", linear))
    found = load(model, tmp_path)
    assert (found.totals().macs, found.totals().parameters) == (2 * 4 * 5, 20)


def test_sparse_constants_are_read(tmp_path):
    model = parse(
        "net (float[4,5] x) => (y) { w = Constant <value_float = 0.0> () y = Add (x, w) }"
    )
    constant = model.graph.node[0]
    constant.attribute[0].CopyFrom(helper.make_attribute("sparse_value", sparse("")))
    add = only(load(model, tmp_path), "Add")
    assert add.parameters[0].shape == (4, 5)


def test_a_sparse_tensor_with_values_outside_of_its_shape_is_refused(tmp_path):
    model = parse("net (float[2,4] x) => (y) { y = MatMul (x, w) }", w=(4, 5))
    del model.graph.initializer[:]
    broken = sparse("w")
    broken.dims[:] = [2, 2]
    model.graph.sparse_initializer.append(broken)
    with pytest.raises(ModeldocsError, match="values outside its shape"):
        load(model, tmp_path)


def test_tensors_of_four_bits_are_weights(tmp_path):
    model = parse("""net (float[2,4] x) => (y) {
      v = DequantizeLinear (w, s)  y = MatMul (x, v) }""", 21, s=np.ones(1, F32)[0])  # fmt: skip
    packed = helper.make_tensor("w", onnx.TensorProto.INT4, [4, 5], list(range(-8, 8)) + [0] * 4)
    model.graph.initializer.append(packed)
    found = load(model, tmp_path)
    assert (found.totals().macs, found.totals().parameters) == (2 * 4 * 5, 20)
    assert found.layers[0].parameters[0].dtype == "int4"
