"""ONNX files that are valid, and hold what few files do."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from modeldocs.errors import ModeldocsError
from modeldocs.ir import encode

from ...onnxes import graph, load
from ..ports import only, operators
from .nets import float_input, made, small


class TestOdd:
    def test_optional_operands_may_be_empty(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,3,8,8] x) => (float[1,3,16,16] y) "
            "{ y = Resize <mode = \"nearest\"> (x, , s) }",
            s=np.array([1, 1, 2, 2], np.float32),
        )  # fmt: skip
        resize = only(found, "Resize")
        assert [operand.slot for operand in resize.inputs] == [0]
        assert resize.attributes["scales"] == [1.0, 1.0, 2.0, 2.0]

    def test_provenance_that_cannot_be_read_is_left_out(self, tmp_path):
        model = small()
        for node in model.graph.node:
            node.metadata_props.add(key="modeldocs.provenance", value='{"origins": [{}]}')
        model.metadata_props.add(key="modeldocs.notes", value="[1")
        model.graph.input[0].metadata_props.add(key="modeldocs.provenance", value="no JSON")
        found = load(model, tmp_path)
        assert [layer.operator for layer in found.layers][:2] == ["Conv", "Relu"]
        assert found.notes == ()

    def test_a_graph_without_nodes_has_no_layers(self, tmp_path):
        model = made([], outputs=[float_input("x")])
        found = load(model, tmp_path)
        assert found.layers == ()
        assert found.outputs[0].source.value == "input-1"

    def test_a_graph_without_inputs(self, tmp_path):
        node = helper.make_node("RandomNormal", [], ["r"], shape=[1, 4])
        found = load(made([node, helper.make_node("Relu", ["r"], ["y"])], inputs=[]), tmp_path)
        assert operators(found) == ["RandomNormal", "Relu"]

    def test_a_graph_of_constants_alone(self, tmp_path):
        found = graph(tmp_path, "net () => (float[2] y) { y = Add (a, a) }",
                      a=np.ones(2, np.int64))  # fmt: skip
        assert found.layers == ()

    def test_nodes_out_of_order_are_sorted(self, tmp_path):
        nodes = [helper.make_node("Tanh", ["h"], ["y"]), helper.make_node("Relu", ["x"], ["h"])]
        assert operators(load(made(nodes), tmp_path)) == ["Relu", "Tanh"]

    def test_nodes_without_readers_stay(self, tmp_path):
        nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Tanh", ["x"], ["z"])]
        assert operators(load(made(nodes), tmp_path)) == ["Relu", "Tanh"]

    def test_branches_are_told_with_what_they_read(self, tmp_path):
        found = graph(
            tmp_path,
            """net (float[1,4] x, bool c) => (float[1,4] y) {
                r = Relu (x)
                y = If (c) <
                    then_branch = one () => (float[1,4] a) { a = Tanh (r) },
                    else_branch = two () => (float[1,4] b) {
                        s = Sigmoid (x)
                        b = If (c) <
                            then_branch = three () => (float[1,4] d) { d = Abs (s) },
                            else_branch = four () => (float[1,4] e) { e = Neg (r) }
                        >
                    }
                >
            }""",
        )
        choice = only(found, "If")
        assert [operand.value for operand in choice.inputs] == [
            "input-2", "input-1", "input-2", "relu-1",
        ]  # fmt: skip
        assert operators(found) == ["Relu", "If"]
        assert choice.attributes == {}
        assert {name: [one.operator for one in body.layers] for name, body in choice.bodies.items()
                } == {"then_branch": ["Tanh"], "else_branch": ["Sigmoid", "If"]}  # fmt: skip
        inner = choice.bodies["else_branch"].layers[1]
        assert [body.layers[0].operator for body in inner.bodies.values()] == ["Neg", "Abs"]

    def test_loops_are_told_with_what_they_read(self, tmp_path):
        found = graph(
            tmp_path,
            """net (float[1,4] x, int64 n, bool c) => (float[1,4] y) {
                r = Relu (x)
                y = Loop (n, c, x) <
                    body = step (int64 i, bool go, float[1,4] s) => (bool on, float[1,4] t) {
                        on = Identity (go)
                        t = Add (s, r)
                    }
                >
            }""",
        )
        loop = only(found, "Loop")
        assert [operand.value for operand in loop.inputs] == [
            "input-2", "input-3", "input-1", "relu-1",
        ]  # fmt: skip

    def test_branches_with_names_of_the_graph_around_them(self, tmp_path):
        found = graph(
            tmp_path,
            """net (float[1,4] x, bool c) => (float[1,4] y) {
                y = If (c) <
                    then_branch = one () => (float[1,4] y) { y = Tanh (x) },
                    else_branch = two () => (float[1,4] y) { y = Relu (x) }
                >
            }""",
        )
        assert operators(found) == ["If"]

    def test_ten_thousand_layers_in_a_row(self, tmp_path):
        count = 10_000
        nodes = [
            helper.make_node(("Relu", "Identity", "Tanh")[i % 3], [f"v{i}"], [f"v{i + 1}"])
            for i in range(count)
        ]
        model = made(nodes, [float_input("v0")], [float_input(f"v{count}", None)])
        found = load(model, tmp_path)
        assert len(found.layers) == count - count // 3
        assert found.layers[-1].outputs[0].shape == (1, 4)

    def test_a_thousand_pools_after_one_another_end(self, tmp_path):
        """Each asks whether its input can be negative."""
        nodes = [helper.make_node("Relu", ["x"], ["v0"])]
        for i in range(500):
            nodes.append(helper.make_node("Concat", [f"v{i}", f"v{i}"], [f"c{i}"], axis=0))
            nodes.append(helper.make_node("Pad", [f"c{i}", "p"], [f"q{i}"]))
            nodes.append(helper.make_node("MaxPool", [f"q{i}"], [f"v{i + 1}"], kernel_shape=[3, 3]))
        pads = onnx.numpy_helper.from_array(np.array([0, 0, 1, 1, 0, 0, 1, 1]), "p")
        model = made(nodes, [float_input(shape=(1, 1, 9, 9))], [float_input("v500", None)], [pads])
        assert len(load(model, tmp_path).layers) >= 1001

    def test_names_may_be_anything(self, tmp_path):
        name = "</script><img src=x onerror=alert(1)>\u202e\x00é" * 50
        node = helper.make_node("Relu", ["x"], [name], name=name)
        found = load(made([node], outputs=[float_input(name, None)]), tmp_path)
        assert found.layers[0].id == "relu-1"
        assert len(found.layers[0].name) <= 300
        assert encode(found)

    def test_operators_may_be_named_anything(self, tmp_path):
        node = helper.make_node("<b>\u202e ../..", ["x"], ["y"], domain="<i>")
        found = load(made([node]), tmp_path)
        assert found.layers[0].id == "i-b-1"

    def test_an_operator_called_input_is_not_mistaken_for_one(self, tmp_path):
        found = load(made([helper.make_node("Input", ["x"], ["y"])]), tmp_path)
        assert found.layers[0].id == "op-input-1"


def _branch(name: str, weight: str) -> onnx.GraphProto:
    held = onnx.numpy_helper.from_array(np.ones((8, 8), np.float32), weight)
    node = helper.make_node("MatMul", ["x", weight], [name])
    out = helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4, 8])
    return helper.make_graph([node], name, [], [out], [held])


class TestBodies:
    def test_parameters_inside_of_an_if_are_counted(self, tmp_path):
        choice = helper.make_node(
            "If", ["c"], ["y"], then_branch=_branch("t", "w"), else_branch=_branch("e", "v")
        )
        nodes = [
            helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
            helper.make_node("Greater", ["s", "s"], ["c"]),
            choice,
        ]
        found = load(made(nodes, inputs=[float_input("x", [4, 8])]), tmp_path)
        layer = only(found, "If")
        assert {(p.name, p.shape) for p in layer.parameters} == {("w", (8, 8)), ("v", (8, 8))}
        assert layer.macs == 4 * 8 * 8, "branches of equal cost"
        assert found.totals().parameters == 128

    def test_a_function_of_the_file_is_drawn_as_its_nodes(self, tmp_path):
        opset = helper.make_opsetid("", 20)
        body = [
            helper.make_node("Conv", ["X", "W"], ["c"], kernel_shape=[3, 3]),
            helper.make_node("Relu", ["c"], ["Y"]),
        ]
        function = helper.make_function("own", "Block", ["X", "W"], ["Y"], body, [opset])
        model = made(
            [helper.make_node("Block", ["x", "w"], ["y"], domain="own")],
            inputs=[float_input("x", [1, 3, 8, 8])],
        )
        model.graph.initializer.append(
            onnx.numpy_helper.from_array(np.zeros((4, 3, 3, 3), np.float32), "w")
        )
        model.opset_import.append(helper.make_opsetid("own", 1))
        model.functions.append(function)
        found = load(model, tmp_path)
        assert operators(found) == ["Conv", "Relu"]
        assert found.totals().parameters == 108

    def test_a_weight_that_is_filled_is_a_parameter(self, tmp_path):
        nodes = [
            helper.make_node("ConstantOfShape", ["shape"], ["w"]),
            helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3]),
        ]
        model = made(nodes, inputs=[float_input("x", [1, 3, 8, 8])])
        model.graph.initializer.append(
            onnx.numpy_helper.from_array(np.array([4, 3, 3, 3]), "shape")
        )
        found = load(model, tmp_path)
        conv = only(found, "Conv")
        assert [(p.name, p.shape) for p in conv.parameters] == [("w", (4, 3, 3, 3))]
        assert conv.macs == 4 * 36 * 27

    def test_a_loop_may_lack_its_count_or_condition(self, tmp_path):
        for given in ("n, ", ", c"):
            loop = f"""net (int64 n, bool c, float[8] x) => (float[8] y) {{
              y = Loop ({given}, x) <body = b (int64 i, bool k, float[8] s) => (bool l, float[8] t)
                {{ l = Identity (k)  t = Relu (s) }}>
            }}"""
            assert operators(graph(tmp_path, loop)) == ["Loop"]

    def test_a_scan_of_opset_8_may_lack_the_lengths(self, tmp_path):
        scan = """net (float[1,2] a, float[1,3,2] x) => (float[1,2] y, float[1,3,2] z) {
          y, z = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] n) =>
            (float[2] t, float[2] o) { t = Add (s, n)  o = Identity (t) }> ("", a, x)
        }"""
        assert operators(graph(tmp_path, scan, opset=8)) == ["ai.onnx.v8::Scan"]

    def test_an_operand_that_must_be_there_may_not_be_left_out(self, tmp_path):
        text = "net (float[1,3,8,8] x) => (y) { y = Conv (, w) }"
        with pytest.raises(ModeldocsError, match="which Conv cannot take"):
            graph(tmp_path, text, w=(4, 3, 3, 3))

    def test_sequences_are_inserted_into_and_joined(self, tmp_path):
        text = """net (float[2,8] x) => (float[6,8] y) {
          s = SequenceConstruct (x, x)
          t = SequenceInsert (s, x)
          y = ConcatFromSequence <axis = 0> (t)
        }"""
        found = graph(tmp_path, text)
        assert operators(found) == ["SequenceConstruct", "SequenceInsert", "ConcatFromSequence"]

    def test_outputs_have_their_places_where_one_between_them_is_unread(self, tmp_path):
        text = """net (float[6,8] x) => (y) {
          a, b, c = Split <axis = 0> (x, sizes)
          y = Concat <axis = 0> (a, c)
        }"""
        split = only(graph(tmp_path, text, sizes=np.array([1, 2, 3])), "Split")
        assert [output.shape for output in split.outputs] == [(1, 8), (2, 8), (3, 8)]


class TestDeclaredShapes:
    def test_those_that_contradict_the_inputs_are_told_and_not_used(self, tmp_path):
        model = small()
        model.graph.value_info.append(float_input("c", (1, 99, 8, 8)))
        found = load(model, tmp_path)
        assert only(found, "Conv").outputs[0].shape == (1, 4, 8, 8)
        assert found.notes == (
            "shapes that the file declares contradict its inputs and weights, and are not used "
            "(values: 1)",
        )

    def test_names_of_sizes_are_kept(self, tmp_path):
        model = small()
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
        model.graph.value_info.append(float_input("c", ("batch", 4, 8, 8)))
        found = load(model, tmp_path)
        assert only(found, "Conv").outputs[0].shape == ("batch", 4, 8, 8)
        assert found.notes == ()

    def test_those_behind_an_operator_that_nobody_knows_hold(self, tmp_path):
        node = helper.make_node("Own", ["x"], ["o"], domain="own")
        model = made([node, helper.make_node("Relu", ["o"], ["y"])])
        model.opset_import.append(helper.make_opsetid("own", 1))
        model.graph.value_info.append(float_input("o", (1, 7)))
        assert only(load(model, tmp_path), "Relu").outputs[0].shape == (1, 7)
