"""What only moves or renames a tensor is a note on an edge, never a layer."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.ir import Cast

from ..loaders.ports import only, operators
from ..onnxes import graph
from ..steps import reshaped, transposed


def test_each_step_is_a_note_in_order(tmp_path):
    text = """net (float[2,3,4] x) => (y) {
        a = Transpose <perm = [0,2,1]> (x)
        b = Reshape (a, s)
        c = Cast <to = 10> (b)
        d = Unsqueeze (c, axis)
        e = Identity (d)
        y = Relu (e)
    }"""
    (relu,) = graph(tmp_path, text, s=np.array([2, 12]), axis=np.array([1])).layers
    (operand,) = relu.inputs
    assert operand.value == "input-1"
    assert operand.steps == (
        transposed(0, 2, 1),
        reshaped((2, 4, 3), (2, 12)),
        Cast(dtype="float16"),
        reshaped((2, 12), (2, 1, 12), "Unsqueeze"),
    )
    assert (operand.type.shape, operand.type.dtype) == ((2, 1, 12), "float16")


def test_a_flatten_before_a_dense_layer(tmp_path):
    text = """net (float[2,3,4,4] x) => (y) {
        r = Relu (x) f = Flatten (r) y = Gemm <transB = 1> (f, w)
    }"""
    found = graph(tmp_path, text, w=(10, 48))
    assert only(found, "Gemm").inputs[0].steps == (reshaped((2, 3, 4, 4), (2, 48), "Flatten"),)


def test_symbols_are_told_by_name(tmp_path):
    text = "net (float[n,3,4] x) => (y) { f = Flatten (x) y = Relu (f) }"
    (relu,) = graph(tmp_path, text).layers
    (flatten,) = relu.inputs[0].steps
    assert (flatten.before, flatten.after[0]) == (("n", 3, 4), "n")


def test_outputs_may_lie_behind_plumbing(tmp_path):
    text = "net (float[2,3] x) => (float[3,2] y) { r = Relu (x) y = Transpose <perm = [1,0]> (r) }"
    (output,) = graph(tmp_path, text).outputs
    assert (output.name, output.source.value, output.source.steps) == (
        "y", "relu-1", (transposed(1, 0),),
    )  # fmt: skip


def test_plumbing_alone_leaves_no_layer(tmp_path):
    found = graph(tmp_path, "net (float[2,3] x) => (y) { y = Transpose (x) }")
    assert found.layers == ()
    assert found.outputs[0].source.value == "input-1"


def test_arithmetic_of_shapes_is_no_layer(tmp_path):
    text = """net (float[n,3,4,5] x) => (y) {
        s = Shape (x)
        g = Gather (s, zero)
        u = Unsqueeze (g, zeros)
        m = Mul (u, two)
        h = Div (m, two)
        t = Concat <axis = 0> (h, minus)
        v = Reshape (x, t)
        y = Relu (v)
    }"""
    found = graph(
        tmp_path, text, zero=np.array(0), zeros=np.array([0]), two=np.array([2]),
        minus=np.array([-1]),
    )  # fmt: skip
    assert operators(found) == ["Relu"]


def test_a_shape_that_becomes_data_is_kept(tmp_path):
    text = """net (float[n,3] x) => (y) {
        s = Shape (x) f = Cast <to = 1> (s) g = Gather (f, zero) y = Mul (x, g)
    }"""
    found = graph(tmp_path, text, zero=np.array(0))
    assert operators(found) == ["Mul"]
    assert [operand.value for operand in found.layers[0].inputs] == ["input-1"]


def test_the_order_of_a_weight_is_told(tmp_path):
    text = """net (float[1,3,8,8] x) => (y) {
        t = Transpose <perm = [3,2,0,1]> (w) y = Conv (x, t)
    }"""
    (conv,) = graph(tmp_path, text, w=(5, 5, 3, 16)).layers
    (weight,) = conv.parameters
    assert weight.shape == (16, 3, 5, 5)
    assert weight.permutation == (3, 2, 0, 1)
    assert conv.macs == 16 * 4 * 4 * 3 * 25


def test_two_transpositions_of_a_weight_are_one(tmp_path):
    text = """net (float[1,3,8,8] x) => (y) {
        t = Transpose <perm = [0,1,3,2]> (w) u = Transpose <perm = [3,2,0,1]> (t) y = Conv (x, u)
    }"""
    (conv,) = graph(tmp_path, text, w=(5, 5, 16, 3)).layers
    (weight,) = conv.parameters
    assert weight.shape == (16, 3, 5, 5)
    assert tuple((5, 5, 16, 3)[axis] for axis in weight.permutation) == weight.shape


def test_layers_of_several_outputs_tell_which_is_read(tmp_path):
    text = """net (float[2,6] x) => (y, z) {
        a, b, c = Split <axis = 1, num_outputs = 3> (x)
        y = Relu (c)
        z = Tanh (a)
    }"""
    found = graph(tmp_path, text)
    assert [layer.inputs[0].output for layer in found.layers[1:]] == [2, 0]
    assert all(layer.inputs[0].value == "split-1" for layer in found.layers[1:])


@pytest.mark.parametrize("dead", ["Shape (p)", "Transpose (p)", "Cast <to = 10> (p)"])
def test_plumbing_that_nothing_reads_hides_no_idiom(tmp_path, dead):
    text = f"net (float[2,6] x) => (y) {{ p = MatMul (x, w) d = {dead} y = Add (p, b) }}"
    assert operators(graph(tmp_path, text, w=(6, 4), b=(4,))) == ["Gemm"]


def test_a_weight_that_is_reshaped_is_told_as_the_layer_sees_it(tmp_path):
    text = """net (float[1,6,8,8] x) => (y) {
        r = Reshape (w, s) t = Transpose <perm = [3,2,0,1]> (r) y = Conv <group = 6> (x, t)
    }"""
    (conv,) = graph(tmp_path, text, w=(5, 5, 6, 2), s=np.array([5, 5, 1, 12])).layers
    assert [(p.shape, p.permutation) for p in conv.parameters] == [((12, 1, 5, 5), ())]
    assert conv.macs == 12 * 4 * 4 * 25


def test_parameters_that_are_cut_and_joined_belong_to_the_layer_that_reads_them(tmp_path):
    text = """net (float[1,4] x) => (y) {
        a = Slice (v, zero, two, zero)
        b = Slice (w, zero, two, zero)
        c = Concat <axis = 0> (a, b)
        e = Expand (c, shape)
        y = Add (x, e)
    }"""
    constants = {"zero": np.array([0]), "two": np.array([2]), "shape": np.array([1, 4])}
    (add,) = graph(tmp_path, text, v=(3,), w=(5,), **constants).layers
    assert [(p.name, p.shape) for p in add.parameters] == [("v", (3,)), ("w", (5,))]
    assert add.attributes == {}


def test_parameters_that_are_computed_with_stay_layers(tmp_path):
    text = """net (float[1,4] x) => (y) {
        a = Mul (v, w)
        y = Add (x, a)
    }"""
    assert operators(graph(tmp_path, text, v=(4,), w=(4,))) == ["Mul", "Add"]


def test_a_sequence_that_folding_took_apart_is_no_layer(tmp_path):
    text = """net (float[1,4] x) => (y) {
        s = SplitToSequence <axis = 1> (x, half)
        a = SequenceAt (s, one)
        y = Relu (a)
    }"""
    found = graph(tmp_path, text, half=np.array([2, 2]), one=np.array(1))
    assert operators(found) == ["Split", "Relu"]
