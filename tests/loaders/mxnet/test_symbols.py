"""Loading of symbols: dialects, variables, shapes, source lines and notes."""

from __future__ import annotations

import json

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.mxnet import MXNetLoader

from .nets import graph, load, node, notes, one, output, parameters, symbol, unchecked

CONVOLUTION = {"kernel": "(3, 3)", "num_filter": "4"}

MLP = symbol(
    node("null", "data"),
    node("null", "w1"),
    node("null", "b1"),
    node("FullyConnected", "fc1", 0, 1, 2, num_hidden="8"),
    node("Activation", "r", 3, act_type="relu"),
    node("null", "w2"),
    node("null", "b2"),
    node("FullyConnected", "fc2", 4, 5, 6, num_hidden="5"),
)


def dialect(key: str) -> dict:
    """A convolution and its batch normalisation in the dialect of a version of MXNet."""
    return symbol(
        node("null", "data", key=key),
        node("null", "c_weight", key=key),
        node("null", "c_bias", key=key),
        node("Convolution", "c", 0, 1, 2, key=key, **CONVOLUTION),
        node("null", "b_gamma", key=key),
        node("null", "b_beta", key=key),
        node("null", "b_moving_mean", key=key),
        node("null", "b_moving_var", key=key),
        node("BatchNorm", "b", 3, 4, 5, 6, 7, key=key, eps="2e-05", fix_gamma="False"),
    )


class TestDialects:
    @pytest.mark.parametrize("key", ["attrs", "attr", "param"])
    def test_attributes_stand_under_the_key_of_their_time(self, key):
        model = load(dialect(key))
        assert [n.op_type for n in model.graph] == ["Conv", "BatchNormalization"]
        assert model.graph.node("b").attributes["epsilon"].as_float() == pytest.approx(2e-5)

    def test_all_dialects_are_one_network(self):
        first, *others = (parameters(load(dialect(key))) for key in ("attrs", "attr", "param"))
        assert all(other == first for other in others)

    def test_the_oldest_has_settings_and_the_users_attributes_apart(self):
        document = one("Convolution", "w", "b")
        old = document["nodes"][-1]
        old |= {"param": CONVOLUTION, "attr": {"ctx_group": "dev2"}, "backward_source_id": -1}
        del old["attrs"]
        (layer,) = graph(document).layers
        assert layer.origins[0].attributes == CONVOLUTION | {"ctx_group": "dev2"}
        assert layer.origins[0].device == "dev2"

    def test_the_oldest_names_inputs_and_heads_without_a_version(self):
        document = one("Activation", act_type="relu")
        document["nodes"][-1]["inputs"] = [[0, 0]]
        assert load(document | {"heads": [[1, 0]]}).graph.node("it").op_type == "Relu"

    def test_running_statistics_that_old_files_do_not_list_are_there(self):
        model = load(one("BatchNorm", "gamma", "beta"))
        assert parameters(model, "buffer").keys() >= {"it_moving_mean", "it_moving_var"}

    @pytest.mark.parametrize(
        ("old", "operator"),
        [("_Plus", "Add"), ("_plus", "Add"), ("elemwise_add", "Add"), ("_PlusScalar", "Add"),
         ("ElementWiseSum", "Sum"), ("broadcast_minus", "Sub"), ("_rminus_scalar", "Sub"),
         ("CuDNNBatchNorm", "BatchNormalization"), ("Pooling_v1", "MaxPool"),
         ("BlockGrad", "Identity")],
    )  # fmt: skip
    def test_names_of_all_times(self, old, operator):
        settings = {"scalar": "2", "kernel": "(2, 2)", "num_args": "1"}
        document = one(
            old, *(["gamma", "beta", "mean", "var"] if "Norm" in old else []), **settings
        )
        if operator in ("Add", "Sub") and "scalar" not in old.lower():
            document["nodes"][-1]["inputs"] *= 2
        assert next(iter(load(document).graph)).op_type == operator


class TestVariables:
    def test_weights_get_the_shape_that_their_operator_asks_for(self):
        assert parameters(load(dialect("attrs"))) == {
            "c_weight": (4, 3, 3, 3), "c_bias": (4,), "b_gamma": (4,), "b_beta": (4,),
        }  # fmt: skip

    def test_a_label_is_left_out_and_told(self):
        model = load(one("SoftmaxOutput", "softmax_label", data="(2, 10)"))
        assert [value.name for value in model.graph.inputs] == ["data"]
        assert notes(model) == [
            "labels are read in training only, and left out here: softmax_label"
        ]

    def test_what_leads_only_to_a_label_is_left_out_with_it(self):
        document = symbol(
            node("null", "data", __shape__="(2, 10)"),
            node("null", "label"),
            node("Reshape", "flat", 1, shape="(-1,)"),
            node("SoftmaxOutput", "it", 0, 2),
        )
        assert [n.op_type for n in load(document).graph] == ["Softmax"]

    def test_a_variable_with_a_shape_and_an_initial_value_is_a_parameter(self):
        attributes = {"__shape__": "(1, 3, 1, 1)", "__init__": '["constant", {"value": 20}]'}
        document = one("broadcast_mul", "scale")
        document["nodes"][1]["attrs"] = attributes
        assert parameters(load(document)) == {"scale": (1, 3, 1, 1)}

    def test_what_it_says_is_told_with_its_first_reader(self):
        document = one("Convolution", "w", "b", **CONVOLUTION)
        document["nodes"][1]["attrs"] = {"__lr_mult__": "0.1"}
        (layer,) = graph(document).layers
        attributes = [o.attributes for o in layer.origins if o.operator == "Variable"]
        assert attributes == [{"__lr_mult__": "0.1"}]

    def test_a_weight_read_twice_is_one_parameter(self):
        document = symbol(
            node("null", "data", __shape__="(1, 3, 8, 8)"),
            node("null", "w"),
            node("Convolution", "a", 0, 1, kernel="(1, 1)", num_filter="3", no_bias="1"),
            node("Convolution", "b", 2, 1, kernel="(1, 1)", num_filter="3", no_bias="1"),
        )
        assert parameters(load(document)) == {"w": (3, 3, 1, 1)}

    def test_an_operand_of_an_elementwise_operator_has_its_neighbours_shape(self):
        assert parameters(load(one("elemwise_add", "my_bias"))) == {"my_bias": (2, 3, 8, 8)}


class TestFixedGamma:
    """`fix_gamma` is on by default: the stored gamma is evaluated as 1."""

    def test_it_is_a_frozen_parameter_of_ones(self):
        model = load(one("BatchNorm", "g", "b", "m", "v"))
        gamma = model.graph.initializers["g"]
        assert origin.parameter_kind(gamma) == "buffer"
        np.testing.assert_array_equal(gamma.const_value.numpy(), np.ones(3, np.float32))
        assert parameters(model) == {"b": (3,)}

    def test_it_is_told(self):
        (note,) = notes(load(one("BatchNorm", "g", "b", "m", "v")))
        assert note == "fix_gamma: 1 stored gamma run as 1, whatever their values (g)"

    def test_turned_off_it_is_like_any_other(self):
        model = load(one("BatchNorm", "g", "b", "m", "v", fix_gamma="False"))
        assert parameters(model) == {"g": (3,), "b": (3,)}
        assert notes(model) == []

    def test_epsilon_is_a_thousandth_unless_given(self):
        (layer,) = graph(one("BatchNorm", "g", "b", "m", "v")).layers
        assert layer.attributes["epsilon"] == pytest.approx(1e-3)


def test_batch_normalization_along_the_first_axis():
    model = load(one("BatchNorm", "g", "b", "m", "v", axis="0", data="(2, 3, 8, 8)"))
    assert [n.op_type for n in model.graph] == ["Transpose", "BatchNormalization", "Transpose"]
    assert parameters(model) == {"b": (2,)}


class TestInputs:
    def test_an_images_shape_is_taken_and_told_where_nothing_says_it(self):
        document = symbol(
            node("null", "data"),
            node("null", "w"),
            node("Convolution", "c", 0, 1, no_bias="True", **CONVOLUTION),
        )
        model = load(document)
        assert list(model.graph.inputs[0].shape) == [1, 3, 224, 224]
        assert notes(model) == ["the symbol states no shape of 'data': drawn as 1×3×224×224"]

    def test_its_channels_are_those_of_the_weight(self):
        document = one("Convolution", "w", data="None", no_bias="True", **CONVOLUTION)
        document["nodes"][1]["attrs"] = {"__shape__": "(4, 1, 3, 3)"}
        assert list(load(document).graph.inputs[0].shape) == [1, 1, 224, 224]

    def test_a_batch_left_open_is_drawn_as_1(self):
        document = one("Activation", data="(0, 3, 8, 8)", act_type="relu")
        assert output(document) == (1, 3, 8, 8)

    def test_what_is_asked_for_goes_before_what_is_told(self):
        document = one("Activation", act_type="relu")
        assert output(document, inputs={"data": (5, 7)}) == (5, 7)
        assert output(document, inputs={"": (5, 7)}) == (5, 7)

    def test_image_shape_of_mxnets_examples(self):
        document = one("Flatten", data="None")
        assert output(document, args={"image_shape": "3,28,28"}) == (1, 3 * 28 * 28)


class TestUnknownSizes:
    def test_a_dense_layer_of_an_input_without_shape_tells_what_follows_its_own(self):
        model = unchecked(MLP)
        assert model.graph.inputs[0].shape is None
        assert [n.op_type for n in model.graph] == ["FullyConnected", "Relu", "Gemm"]
        assert parameters(model) == {"w2": (5, 8), "b2": (5,)}
        assert "drawn as ? unless --input data=…" in notes(model)[0]

    def test_what_stands_for_an_operator_of_onnx_is_not_called_foreign(self):
        assert not any("ONNX has no operator" in note for note in notes(unchecked(MLP)))

    def test_two_inputs_without(self):
        document = symbol(
            node("null", "left"), node("null", "right"), node("elemwise_add", "s", 0, 1)
        )
        model = unchecked(document)
        assert [value.shape for value in model.graph.inputs] == [None, None]
        assert model.graph.outputs[0].shape is None

    def test_of_an_image_beside_another_input_no_more_than_the_rank(self):
        document = symbol(
            node("null", "data"),
            node("null", "w", __shape__="(4, 3, 3, 3)"),
            node("Convolution", "c", 0, 1, no_bias="True", **CONVOLUTION),
            node("Pooling", "p", 2, kernel="(2, 2)", stride="(2, 2)", pool_type="max"),
            node("null", "im_info"),
            node("Pooling", "g", 3, global_pool="True", kernel="(1, 1)", pool_type="avg"),
            node("elemwise_mul", "m", 5, 4),
        )
        model = unchecked(document)
        nodes = {n.name: (n.op_type, tuple(n.outputs[0].shape)) for n in model.graph}
        assert parameters(model)["w"] == (4, 3, 3, 3)
        assert nodes["c"][0] == "Conv" and nodes["p"][0] == "MaxPool"
        assert nodes["g"] == ("GlobalAveragePool", (1, 4, 1, 1))

    def test_sizes_that_a_shape_leaves_open_stay_open(self):
        document = one("Activation", data="(0, 3, 0, 0)", act_type="relu")
        shape = unchecked(document).graph.inputs[0].shape
        assert [dim if isinstance(dim, int) else dim.value for dim in shape] == [1, 3, None, None]


class TestPlaces:
    def test_a_node_has_the_line_of_its_operator(self):
        text = json.dumps(one("Flatten"), indent=1)
        (node_of,) = load(text).graph
        written = origin.read(node_of).origins[0]
        assert (written.operator, written.name, written.file) == (
            "Flatten",
            "it",
            "net-symbol.json",
        )
        assert '"op": "Flatten"' in text.splitlines()[written.line - 1]


class TestHeads:
    def test_outputs_are_the_heads_in_their_order(self):
        document = one("SliceChannel", num_outputs="3")
        model = load(document | {"heads": [[1, 2, 0], [1, 0, 0]]})
        assert [value.name for value in model.graph.outputs] == ["it_output2", "it_output0"]

    def test_an_input_or_a_head_named_twice_is_an_output_too(self):
        document = one("Activation", act_type="relu")
        model = load(document | {"heads": [[1, 0], [1, 0], [0, 0]]})
        assert [value.name for value in model.graph.outputs] == [
            "it_output", "it_output_head", "data_head",
        ]  # fmt: skip


class TestUnknown:
    def test_an_operator_of_a_fork_is_drawn_and_told(self):
        document = one("QuantumGate", strength="0.5")
        model = load(document)
        (node,) = model.graph
        assert (node.domain, node.op_type) == ("mxnet", "QuantumGate")
        assert node.attributes["strength"].as_string() == "0.5"
        assert "'QuantumGate' is not a known operator" in notes(model)[0]

    def test_what_reads_it_takes_its_shape_to_be_its_inputs(self):
        document = symbol(
            node("null", "data", __shape__="(1, 3, 8, 8)"),
            node("QuantumGate", "gate", 0),
            node("null", "w"),
            node("null", "b"),
            node("FullyConnected", "fc", 1, 2, 3, num_hidden="5"),
        )
        assert parameters(load(document))["w"] == (5, 192)

    def test_where_that_cannot_be_the_layer_is_drawn_without_looking_inside(self):
        document = symbol(
            node("null", "data", __shape__="(1, 10)"),
            node("QuantumGate", "gate", 0),
            node("null", "w"),
            node("Convolution", "c", 1, 2, no_bias="True", **CONVOLUTION),
            node("Activation", "r", 3, act_type="relu"),
        )
        model = unchecked(document)
        assert [n.op_type for n in model.graph] == ["QuantumGate", "Convolution", "Relu"]
        assert any("drawn without its parameters" in note for note in notes(model))

    def test_a_loop_keeps_what_its_subgraph_says(self):
        document = one("_foreach", num_outputs="1")
        document["nodes"][-1]["subgraphs"] = [{"nodes": [{"op": "null"}]}]
        (node,) = load(document).graph
        assert origin.read(node).origins[0].attributes["subgraphs"] == '[{"nodes":[{"op":"null"}]}]'


class TestRecognition:
    @pytest.mark.parametrize(
        ("name", "text", "known"),
        [
            ("net-symbol.json", "{", True),
            ("net.json", json.dumps(one("Flatten")), True),
            ("net.json", '{"nodes": [], "links": []}', False),
            ("net.json", '{"class_name": "Functional"}', False),
            ("net.py", "import mxnet as mx\n", True),
            ("net.py", "from mxnet.gluon import nn\n", True),
            ("net.py", "import torch\n", False),
            ("net.txt", json.dumps(one("Flatten")), False),
        ],
    )
    def test_by_name_and_content(self, tmp_path, name, text, known):
        (tmp_path / name).write_text(text)
        assert MXNetLoader().recognises(tmp_path / name) is known

    def test_a_folder_is_none(self, tmp_path):
        assert MXNetLoader().recognises(tmp_path) is False
        assert MXNetLoader().recognises(tmp_path / "absent-symbol.json") is False

    def test_json_is_read_without_mxnet_and_proven_with_it(self):
        request = LoadRequest(root=".", path="net-symbol.json")
        assert MXNetLoader().environment(request, proving=False) is None
        assert MXNetLoader().environment(request, proving=True) == "mxnet"

    def test_python_runs_in_mxnets_environment(self):
        for request in (LoadRequest(root=".", path="net.py"), LoadRequest(root=".", module="m")):
            assert MXNetLoader().environment(request, proving=False) == "mxnet"


def test_a_load_is_the_same_bytes_each_time():
    documents = {
        ir.to_proto(load(dialect("attrs"))).SerializeToString(deterministic=True) for _ in "ab"
    }
    assert len(documents) == 1
