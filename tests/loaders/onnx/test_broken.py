"""Broken and hostile ONNX files: one clear sentence each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest

from ...onnxes import load, parse
from ..ports import in_worker, only
from .nets import float_input, load_or_hear, made, outside, small, told


class TestBroken:
    def test_missing_file(self, tmp_path):
        request = LoadRequest(root=str(tmp_path), path=str(tmp_path / "none.onnx"))
        failure = in_worker(request, "onnx").failure
        assert failure.file == "none.onnx"
        assert "No such file" in failure.reason or "cannot be read" in failure.reason

    def test_empty_file(self, tmp_path):
        assert told(b"", tmp_path) == "holds no graph"

    def test_text(self, tmp_path):
        assert told(b"version https://git-lfs.github.com/spec/v1\n", tmp_path)

    def test_a_cycle(self, tmp_path):
        nodes = [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
                 helper.make_node("Relu", ["b"], ["y"])]  # fmt: skip
        assert told(made(nodes), tmp_path) == "its graph is cyclic: a node needs its own output"

    def test_a_node_that_reads_itself(self, tmp_path):
        nodes = [helper.make_node("Add", ["x", "y"], ["y"])]
        assert told(made(nodes), tmp_path) == "its graph is cyclic: a node needs its own output"

    def test_a_cycle_of_functions(self, tmp_path):
        model = onnx.parser.parse_model("""
            <ir_version: 8, opset_import: ["" : 20, "own" : 1]>
            net (float[1,4] x) => (float[1,4] y) { y = own.one (x) }
            <domain: "own", opset_import: ["" : 20, "own" : 1]>
            one (a) => (b) { b = own.two (a) }
            <domain: "own", opset_import: ["" : 20, "own" : 1]>
            two (a) => (b) { b = own.one (a) }""")
        assert "cycl" in told(model, tmp_path)

    def test_functions_that_grow_without_measure(self, tmp_path):
        """Each of thirty functions calls the next one twice: a thousand million nodes."""
        text = ['<ir_version: 8, opset_import: ["" : 20, "own" : 1]>',
                "net (float[1,4] x) => (float[1,4] y) { y = own.f0 (x) }"]  # fmt: skip
        for i in range(30):
            call = f"own.f{i + 1}" if i < 29 else "Relu"
            text.append(f'<domain: "own", opset_import: ["" : 20, "own" : 1]>\n'
                        f"f{i} (a) => (b) {{ h = {call} (a) b = {call} (h) }}")  # fmt: skip
        assert "functions" in told(onnx.parser.parse_model("\n".join(text)), tmp_path)

    def test_an_input_that_nothing_makes_is_told(self, tmp_path):
        nodes = [helper.make_node("Add", ["x", "ghost"], ["y"])]
        assert "'ghost'" in told(made(nodes), tmp_path)

    def test_an_output_that_nothing_makes_is_told(self, tmp_path):
        model = made([helper.make_node("Relu", ["x"], ["z"])])
        assert "'y'" in told(model, tmp_path)

    def test_a_branch_that_reads_what_nothing_makes_is_told(self, tmp_path):
        model = parse("""net (float[1,4] x, bool c) => (float[1,4] y) {
            y = If (c) <
                then_branch = one () => (float[1,4] a) { a = Tanh (ghost) },
                else_branch = two () => (float[1,4] b) { b = Relu (x) }
            >
        }""")
        assert "'ghost'" in told(model, tmp_path)

    def test_two_nodes_that_make_one_value_are_told(self, tmp_path):
        nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Tanh", ["x"], ["y"])]
        assert "'y'" in told(made(nodes), tmp_path)

    def test_two_inputs_of_one_name_are_told(self, tmp_path):
        model = made([helper.make_node("Relu", ["x"], ["y"])], [float_input(), float_input()])
        assert "'x'" in told(model, tmp_path)

    def test_two_initializers_of_one_name_are_told(self, tmp_path):
        held = [onnx.numpy_helper.from_array(np.ones(4, np.float32), "w")] * 2
        model = made([helper.make_node("Add", ["x", "w"], ["y"])], initializers=held)
        assert "'w'" in told(model, tmp_path)

    @pytest.mark.parametrize(
        "location", ["../weights.bin", "/etc/passwd", "a/../../weights.bin", "link/weights.bin",
                     "file.bin", "..\\weights.bin", "C:\\weights.bin", "", "\0"],
    )  # fmt: skip
    def test_external_data_outside_the_folder(self, tmp_path, location):
        elsewhere = tmp_path / "elsewhere"
        inside = tmp_path / "inside"
        elsewhere.mkdir()
        inside.mkdir()
        (elsewhere / "weights.bin").write_bytes(bytes(64))
        (inside / "link").symlink_to(elsewhere)
        (inside / "file.bin").symlink_to(elsewhere / "weights.bin")
        node = helper.make_node("MatMul", ["x", "w"], ["y"])
        reason = told(made([node], initializers=[outside(location)]), inside)
        assert "outside the model's folder" in reason or "no file" in reason

    def test_external_data_of_a_constant_inside_a_branch_is_checked_too(self, tmp_path):
        model = parse("""net (float[1,4] x, bool c) => (float[1,4] y) {
            y = If (c) <
                then_branch = one () => (float[1,4] a) { a = MatMul (x, w) },
                else_branch = two () => (float[1,4] b) { b = Relu (x) }
            >
        }""")
        model.graph.node[0].attribute[0].g.initializer.append(outside("../weights.bin"))
        assert "outside the model's folder" in told(model, tmp_path)

    def test_external_data_of_a_constant_inside_a_function_is_checked_too(self, tmp_path):
        model = onnx.parser.parse_model("""
            <ir_version: 8, opset_import: ["" : 20, "own" : 1]>
            net (float[1,4] x) => (float[1,4] y) { y = own.f (x) }
            <domain: "own", opset_import: ["" : 20]>
            f (a) => (b) { b = MatMul (a, a) }""")
        constant = helper.make_node("Constant", [], ["w"])
        constant.attribute.add(name="value", type=onnx.AttributeProto.TENSOR).t.CopyFrom(
            outside("/etc/passwd")
        )
        model.functions[0].node.append(constant)
        assert "outside the model's folder" in told(model, tmp_path)

    @pytest.mark.parametrize(
        "dims", [[2**40, 2**40], [-1, 4], [2**62], [2**63 - 1, 2**63 - 1, 0], [0, 2**63 - 1]]
    )
    def test_absurd_dimensions_of_a_weight(self, tmp_path, dims):
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims)
        node = helper.make_node("MatMul", ["x", "w"], ["y"])
        assert "impossible shape" in told(made([node], initializers=[tensor]), tmp_path)

    @pytest.mark.parametrize("dims", [[2**40, 2**40], [-1, 4], [2**63 - 1, 1]])
    def test_absurd_dimensions_of_an_input(self, tmp_path, dims):
        model = made([helper.make_node("Relu", ["x"], ["y"])], [float_input(shape=dims)])
        assert "impossible shape" in told(model, tmp_path)

    def test_a_weight_of_fewer_bytes_than_it_says(self, tmp_path):
        model = small()
        model.graph.initializer[0].raw_data = b"1234"
        with pytest.raises(ModeldocsError, match="holds 4 bytes, not 432"):
            load(model, tmp_path)

    def test_a_weight_whose_values_were_taken_out(self, tmp_path):
        model = small()
        model.graph.initializer[0].ClearField("raw_data")
        assert load(model, tmp_path).totals().parameters == 4 * 27 + 4 + 40

    def test_a_constant_of_fewer_bytes_than_it_says(self, tmp_path):
        model = parse("net (float[1,4] x) => (float[2,2] y) { z = Reshape (x, s) y = Relu (z) }",
                      s=np.array([2, 2]))  # fmt: skip
        model.graph.initializer[0].raw_data = b"1234"
        load_or_hear(model, tmp_path)

    def test_constants_that_would_grow_without_measure(self, tmp_path):
        """Folding must not make a tensor of 2^39 elements of two small ones."""
        text = "net (float[1] x) => (float[1] y) { e = Expand (one, s) r = ReduceSum (e) " \
               "y = Add (x, r) }"  # fmt: skip
        model = parse(text, one=np.ones(1, np.float32), s=np.array([2**39]))
        model.graph.initializer[0].dims[:] = []
        assert only(load(model, tmp_path), "Add")

    def test_operators_with_attributes_of_the_wrong_kind(self, tmp_path):
        for node in (
            helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape="three"),
            helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3], strides=[0, 0]),
            helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[-3, 3], auto_pad="SAME_UPPER"),
            helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[0, 0],
                             auto_pad="SAME_UPPER"),
            helper.make_node("Conv", ["x", "w"], ["y"], pads=[1], auto_pad=3),
            helper.make_node("Transpose", ["x"], ["y"], perm=[7, 7]),
            helper.make_node("Transpose", ["x"], ["y"], perm="back"),
            helper.make_node("Gemm", ["x", "w"], ["y"], transB="yes"),
            helper.make_node("Softmax", ["x"], ["y"], axis=[1]),
            helper.make_node("Concat", [], ["y"], axis=0),
            helper.make_node("Relu", [], ["y"]),
            helper.make_node("Relu", [""], ["y"]),
            helper.make_node("Pad", ["x"], ["y"]),
            helper.make_node("BatchNormalization", ["x"], ["y"]),
            helper.make_node("Div", ["x"], ["y"]),
            helper.make_node("Mul", ["x"], ["y"]),
            helper.make_node("MatMul", ["x"], ["y"]),
            helper.make_node("Reshape", ["x"], ["y"]),
            helper.make_node("Identity", [], ["y"]),
            helper.make_node("Dropout", [], ["y"]),
            helper.make_node("If", ["x"], ["y"]),
            helper.make_node("Cast", ["x"], ["y"], to=99),
        ):  # fmt: skip
            weight = onnx.numpy_helper.from_array(np.zeros((4, 3, 3, 3), np.float32), "w")
            model = made([node], [float_input(shape=(1, 3, 8, 8))], initializers=[weight])
            load_or_hear(model, tmp_path)

    @pytest.mark.parametrize("opset", [-1, 0, 1, 3, 99, 2**40])
    def test_strange_versions(self, tmp_path, opset):
        load_or_hear(made([helper.make_node("Relu", ["x"], ["y"])], opset=opset), tmp_path)

    def test_a_hostile_file_in_the_worker(self, tmp_path):
        nodes = [helper.make_node("Add", ["x", "y"], ["y"])]
        (tmp_path / "model.onnx").write_bytes(made(nodes).SerializeToString())
        request = LoadRequest(root=str(tmp_path), path=str(tmp_path / "model.onnx"))
        result = in_worker(request, "onnx", Limits(seconds=30, memory_mb=2000))
        assert result.failure.reason == "its graph is cyclic: a node needs its own output"
        assert result.failure.file == "model.onnx"
        assert [Path(path).name for path in result.read] == ["model.onnx"]
