"""ONNX files of any age that are as they should be."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from modeldocs.ir import TensorType

from ...onnxes import graph, load, parse
from ..ports import only, operators
from .nets import float_input, made, outside, small, told


class TestWhole:
    def test_layers_parameters_and_multiplications(self, tmp_path):
        found = load(small(), tmp_path)
        assert operators(found) == ["Conv", "Relu", "GlobalAveragePool", "Gemm"]
        assert found.totals().parameters == 4 * 27 + 4 + 40
        assert found.totals().macs == 4 * 64 * 27 + 40

    def test_layers_tell_their_node_and_its_own_attributes(self, tmp_path):
        conv = only(load(small(), tmp_path), "Conv")
        assert conv.origins[0].operator == "Conv"
        assert conv.origins[0].file == "model.onnx"
        assert conv.origins[0].attributes == {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}

    def test_weights_may_be_constant_nodes(self, tmp_path):
        array = onnx.numpy_helper.from_array(np.zeros((4, 3, 3, 3), np.float32))
        conv = helper.make_node("Conv", ["x", "w"], ["y"])
        constant = helper.make_node("Constant", [], ["w"], value=array)
        found = load(made([constant, conv], [float_input(shape=(1, 3, 8, 8))]), tmp_path)
        layer = only(found, "Conv")
        assert [p.shape for p in layer.parameters] == [(4, 3, 3, 3)]
        assert layer.macs == 4 * 36 * 27

    def test_weights_may_be_listed_among_the_inputs(self, tmp_path):
        model = small()
        model.graph.input.append(float_input("w", (4, 3, 3, 3)))
        found = load(model, tmp_path)
        assert [value.name for value in found.inputs] == ["x"]
        assert found.totals().parameters == 4 * 27 + 4 + 40

    def test_running_statistics_are_not_trainable(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,3,8,8] x) => (float[1,3,8,8] y) "
            "{ y = BatchNormalization (x, s, b, m, v) }", s=(3,), b=(3,), m=(3,), v=(3,),
        )  # fmt: skip
        assert (found.totals().parameters, found.totals().buffers) == (6, 6)

    def test_quantised_weights_are_parameters(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,8] x) => (float[1,4] y) "
            "{ w = DequantizeLinear (q, s, z) y = MatMul (x, w) }",
            q=np.ones((8, 4), np.int8), s=np.float32(0.5), z=np.int8(0),
        )  # fmt: skip
        assert found.parameters()["q"].dtype == "int8"
        assert found.totals().parameters == 32
        assert found.totals().macs == 32

    def test_missing_external_data_is_no_failure(self, tmp_path):
        model = made([helper.make_node("MatMul", ["x", "w"], ["y"])],
                     initializers=[outside("weights.bin")])  # fmt: skip
        found = load(model, tmp_path)
        assert found.totals().parameters == 16
        assert found.totals().macs == 16

    def test_missing_external_shapes_are_no_failure(self, tmp_path):
        shape = outside("weights.bin", "s")
        shape.data_type, shape.dims[:] = TensorProto.INT64, [2]
        model = made([helper.make_node("Reshape", ["x", "s"], ["z"]),
                      helper.make_node("Relu", ["z"], ["y"])], initializers=[shape])  # fmt: skip
        assert operators(load(model, tmp_path)) == ["Relu"]

    def test_functions_are_inlined(self, tmp_path):
        model = onnx.parser.parse_model("""
            <ir_version: 8, opset_import: ["" : 20, "own" : 1]>
            net (float[1,4] x) => (float[1,4] y) { y = own.twice (x) }
            <domain: "own", opset_import: ["" : 20]>
            twice (a) => (b) { h = Relu (a) b = Tanh (h) }""")
        assert operators(load(model, tmp_path)) == ["Relu", "Tanh"]

    def test_functions_of_functions_are_inlined(self, tmp_path):
        model = onnx.parser.parse_model("""
            <ir_version: 8, opset_import: ["" : 20, "own" : 1]>
            net (float[1,4] x) => (float[1,4] y) { y = own.outer (x) }
            <domain: "own", opset_import: ["" : 20, "own" : 1]>
            outer (a) => (b) { h = own.inner (a) b = own.inner (h) }
            <domain: "own", opset_import: ["" : 20]>
            inner (a) => (b) { b = Relu (a) }""")
        assert operators(load(model, tmp_path)) == ["Relu", "Relu"]

    def test_operators_of_unknown_domains_are_layers_under_their_domain(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,4] x) => (float[1,4] y) "
            "{ h = own.Strange <level = 3> (x) y = com.microsoft.FusedThing (h) }",
        )  # fmt: skip
        assert operators(found) == ["own::Strange", "com.microsoft::FusedThing"]
        assert found.layers[0].attributes == {"level": 3}
        assert [layer.id for layer in found.layers] == [
            "own-strange-1", "com-microsoft-fusedthing-1",
        ]  # fmt: skip

    def test_symbolic_dimensions_keep_their_names(self, tmp_path):
        found = graph(
            tmp_path, "net (float[batch,3,height,8] x) => (float[batch,4,h,8] y) "
            "{ y = Conv <pads = [1,1,1,1]> (x, w) }", w=(4, 3, 3, 3),
        )  # fmt: skip
        assert found.inputs[0].type == TensorType(shape=("batch", 3, "height", 8), dtype="float32")
        assert only(found, "Conv").outputs[0].shape[0] == "batch"
        assert found.totals().macs is None
        assert found.layers[0].activation_bytes is None

    def test_a_shape_given_takes_the_place_of_symbols(self, tmp_path):
        model = parse("net (float[batch,3,8,8] x) => (float[batch,4,8,8] y) "
                      "{ y = Conv <pads = [1,1,1,1]> (x, w) }", w=(4, 3, 3, 3))  # fmt: skip
        for name in ("x", ""):
            found = load(model, tmp_path, inputs={name: (2, 3, 8, 8)})
            assert found.layers[0].outputs[0].shape == (2, 4, 8, 8)
            assert found.totals().macs == 2 * 4 * 64 * 27

    def test_a_shape_for_an_input_that_is_not_there_is_told(self, tmp_path):
        assert told(small(), tmp_path, inputs={"image": (1,)}) == "has no input 'image'"

    def test_a_shape_of_another_rank_is_told(self, tmp_path):
        assert "rank" in told(small(), tmp_path, inputs={"x": (1, 3)})

    @pytest.mark.parametrize("opset", [7, 9, 11, 13, 17, 22])
    def test_files_of_any_age(self, tmp_path, opset):
        squeeze = "Squeeze <axes = [2,3]> (p)" if opset < 13 else "Squeeze (p, two)"
        clip = "Clip <min = 0.0, max = 6.0> (n)" if opset < 11 else "Clip (n, low, high)"
        found = graph(
            tmp_path,
            f"""net (float[1,3,8,8] x) => (float[1,4] y) {{
                c = Conv <kernel_shape = [3,3]> (x, w)
                n = BatchNormalization (c, s, s2, s3, s4)
                k = {clip}
                p = GlobalAveragePool (k)
                y = {squeeze}
            }}""",
            opset,
            w=(4, 3, 3, 3), s=(4,), s2=(4,), s3=(4,), s4=(4,), two=np.array([2, 3]),
            low=np.float32(0), high=np.float32(6),
        )  # fmt: skip
        assert operators(found) == ["Conv", "BatchNormalization", "Clip", "GlobalAveragePool"]
        clipped = only(found, "Clip")
        assert {"min": 0.0, "max": 6.0}.items() <= clipped.attributes.items()
        assert found.outputs[0].source.type.shape == (1, 4)
