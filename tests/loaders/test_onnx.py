"""ONNX files of any age and any intent: a graph, or one clear sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from modeldocs.errors import ModeldocsError
from modeldocs.graph import TensorType, encode
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest

from ..onnxes import graph, load, parse
from .ports import in_worker, only, operators

SMALL = """
    net (float[1,3,8,8] x) => (float[1,10] y) {
        c = Conv <kernel_shape = [3,3], pads = [1,1,1,1]> (x, w, b)
        r = Relu (c)
        p = GlobalAveragePool (r)
        f = Flatten (p)
        y = Gemm <transB = 1> (f, v)
    }"""


def small(**weights):
    shapes = {"w": (4, 3, 3, 3), "b": (4,), "v": (10, 4)}
    return parse(SMALL, **(shapes | weights))


def told(model, folder, **changes):
    """The sentence that a broken model brings."""
    with pytest.raises(ModeldocsError) as raised:
        load(model, folder, **changes)
    assert raised.value.file == "model.onnx"
    assert "\n" not in raised.value.reason and len(raised.value.reason) < 500
    assert raised.value.mend
    return raised.value.reason


def float_input(name="x", shape=(1, 4)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def made(nodes, inputs=None, outputs=None, initializers=(), opset=20):
    """A model that no checker has seen."""
    inputs = [float_input()] if inputs is None else inputs
    outputs = [float_input("y", None)] if outputs is None else outputs
    held = helper.make_graph(nodes, "net", inputs, outputs, list(initializers))
    return helper.make_model(held, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def outside(location, name="w"):
    """A weight that has its data in another file."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[4, 4])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


class TestWhole:
    def test_layers_parameters_and_multiplications(self, tmp_path):
        found = load(small(), tmp_path)
        assert operators(found) == ["Conv", "Relu", "GlobalAveragePool", "Gemm"]
        assert found.parameter_count() == 4 * 27 + 4 + 40
        assert found.macs() == 4 * 64 * 27 + 40

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
        assert found.parameter_count() == 4 * 27 + 4 + 40

    def test_running_statistics_are_not_trainable(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,3,8,8] x) => (float[1,3,8,8] y) "
            "{ y = BatchNormalization (x, s, b, m, v) }", s=(3,), b=(3,), m=(3,), v=(3,),
        )  # fmt: skip
        assert (found.parameter_count(), found.parameter_count(trainable=False)) == (6, 6)

    def test_quantised_weights_are_parameters(self, tmp_path):
        found = graph(
            tmp_path, "net (float[1,8] x) => (float[1,4] y) "
            "{ w = DequantizeLinear (q, s, z) y = MatMul (x, w) }",
            q=np.ones((8, 4), np.int8), s=np.float32(0.5), z=np.int8(0),
        )  # fmt: skip
        assert found.parameters()["q"].dtype == "int8"
        assert found.parameter_count() == 32
        assert found.macs() == 32

    def test_missing_external_data_is_no_failure(self, tmp_path):
        model = made([helper.make_node("MatMul", ["x", "w"], ["y"])],
                     initializers=[outside("weights.bin")])  # fmt: skip
        found = load(model, tmp_path)
        assert found.parameter_count() == 16
        assert found.macs() == 16

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
        assert found.macs() is None
        assert found.layers[0].activation_bytes is None

    def test_a_shape_given_takes_the_place_of_symbols(self, tmp_path):
        model = parse("net (float[batch,3,8,8] x) => (float[batch,4,8,8] y) "
                      "{ y = Conv <pads = [1,1,1,1]> (x, w) }", w=(4, 3, 3, 3))  # fmt: skip
        for name in ("x", ""):
            found = load(model, tmp_path, inputs={name: (2, 3, 8, 8)})
            assert found.layers[0].outputs[0].shape == (2, 4, 8, 8)
            assert found.macs() == 2 * 4 * 64 * 27

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
            "input-2", "relu-1", "input-1", "input-2",
        ]  # fmt: skip
        assert operators(found) == ["Relu", "If"]
        assert choice.attributes == {
            "then_branch": "graph of 1 nodes", "else_branch": "graph of 2 nodes",
        }  # fmt: skip

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
        assert load(model, tmp_path).parameter_count() == 4 * 27 + 4 + 40

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


def load_or_hear(model, folder):
    """A graph that can be written, or one sentence."""
    try:
        found = load(model, folder)
    except ModeldocsError as error:
        heard = error
    else:
        assert encode(found)
        return
    assert heard.file == "model.onnx"
    assert "\n" not in heard.reason


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
