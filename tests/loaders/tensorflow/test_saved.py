"""What TensorFlow saved, in each of its formats: loaded, and proven against the same graph."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError

from ..ports import only, operators

NETWORK = ["Conv", "BatchNormalization", "Relu", "GlobalAveragePool", "Gemm", "Softmax"]
PARAMETERS = {
    "conv1/weights", "conv1/gamma", "conv1/beta", "conv1/moving_mean", "conv1/moving_variance",
    "dense/kernel", "dense/bias",
}  # fmt: skip


@pytest.fixture
def saved(tensorflow):
    return tensorflow.saved


class TestGraph:
    @pytest.mark.parametrize("name", ["net.pb", "net.pbtxt"])
    def test_is_proven_with_its_variables(self, name, tensorflow, saved):
        proof = tensorflow.proof(saved("plain_graph") / name)
        assert proof.verdict == "verified", proof
        assert (proof.theirs.trainable, proof.theirs.frozen) == (141, 8)

    def test_tells_layers_variables_and_settings(self, tensorflow, saved):
        graph = tensorflow.graph(saved("plain_graph") / "net.pb")
        assert operators(graph) == NETWORK
        assert set(graph.parameters()) == PARAMETERS
        assert only(graph, "BatchNormalization").attributes["epsilon"] == pytest.approx(0.01)
        conv = only(graph, "Conv")
        assert (conv.padding, conv.attributes["pads"]) == ("SAME", [0, 0, 1, 1])
        assert conv.parameters[0].permutation == (3, 2, 0, 1)
        assert conv.module == "conv1"

    def test_tells_the_device_of_its_variables(self, tensorflow, saved):
        conv = only(tensorflow.graph(saved("plain_graph") / "net.pb"), "Conv")
        devices = {origin.operator: origin.device for origin in conv.origins}
        assert devices == {"Conv2D": None, "VariableV2": "/job:ps/task:0"}

    def test_tells_lines_of_text(self, tensorflow, saved):
        path = saved("plain_graph") / "net.pbtxt"
        conv = only(tensorflow.graph(path), "Conv")
        line = path.read_text().splitlines().index('  name: "conv1/Conv2D"')
        assert (conv.origins[0].file, conv.origins[0].line) == ("net.pbtxt", line)

    def test_running_statistics_are_not_trained(self, tensorflow, saved):
        parameters = tensorflow.graph(saved("plain_graph") / "net.pb").parameters()
        still = {name for name, held in parameters.items() if not held.trainable}
        assert still == {"conv1/moving_mean", "conv1/moving_variance"}

    def test_frozen_has_its_weights_as_parameters(self, tensorflow, saved):
        path = saved("frozen_graph") / "net.pb"
        graph = tensorflow.graph(path)
        assert operators(graph) == NETWORK
        assert set(graph.parameters()) == PARAMETERS
        assert graph.totals().parameters == 141
        assert tensorflow.proof(path).verdict == "verified"

    def test_stops_at_the_outputs_named(self, tensorflow, saved):
        path = saved("plain_graph") / "net.pb"
        graph = tensorflow.graph(path, args={"outputs": ["relu", "pooled:0"]})
        assert operators(graph) == NETWORK[:4]
        assert [output.name for output in graph.outputs] == ["relu", "pooled"]

    def test_has_the_size_that_is_asked_for(self, tensorflow, saved):
        path = saved("plain_graph") / "net.pb"
        graph = tensorflow.graph(path, inputs={"": [4, 8, 8, 3]})
        assert graph.inputs[0].type.shape == (4, 8, 8, 3)

    def test_draws_operators_that_onnx_lacks_as_they_are(self, tensorflow, saved):
        graph = tensorflow.graph(saved("unknown_operators") / "net.pb")
        assert operators(graph) == ["tensorflow::Cholesky", "tensorflow::FancyRelu"]
        assert [layer.outputs[0].shape for layer in graph.layers] == [(2, 3, 3)] * 2
        assert graph.layers[1].attributes == {"T": "float32", "sharpness": 0.5}
        assert len(graph.notes) == 2


class TestTraining:
    def test_meta_graph_is_drawn_as_inference_runs_it(self, tensorflow, saved):
        path = saved("training_meta") / "net.meta"
        graph = tensorflow.graph(path)
        assert operators(graph) == [*NETWORK[:4], "Dropout", *NETWORK[4:]]
        assert only(graph, "Dropout").attributes == {"ratio": 0.25}
        assert [held.name for held in graph.inputs] == ["image"]
        assert graph.totals().parameters == 141
        assert tensorflow.proof(path).verdict == "verified"

    def test_branch_of_a_flag_is_the_one_of_inference(self, tensorflow, saved):
        path = saved("classic_branches") / "net.pb"
        graph = tensorflow.graph(path)
        assert operators(graph) == ["Relu", "Add"]
        assert "is_training" in graph.notes[0]
        assert tensorflow.proof(path).verdict == "verified"

    def test_loop_of_tensorflow_1_is_drawn_once(self, tensorflow, saved):
        graph = tensorflow.graph(saved("classic_loop") / "net.pb")
        assert "tensorflow::Exit" in operators(graph)


class TestSavedModel:
    def test_of_tensorflow_1_is_proven(self, tensorflow, saved):
        path = saved("classic_saved_model") / "net"
        graph = tensorflow.graph(path)
        assert operators(graph) == NETWORK
        assert [held.name for held in graph.outputs] == ["features", "probabilities"]
        assert graph.inputs[0].name == "pixels"
        assert graph.layers[0].origins[0].file == "net/saved_model.pb"
        assert tensorflow.proof(path).verdict == "verified"

    def test_of_tensorflow_2_is_proven_without_its_variables(self, tensorflow, saved):
        path = saved("saved_module") / "net"
        graph = tensorflow.graph(path)
        assert operators(graph) == ["Gemm", "Relu", "Gemm", "Mul"]
        shapes = {name: held.shape for name, held in graph.parameters().items()}
        assert shapes == {"kernel": (4, 6), "kernel_2": (3, 4), "scale": (3,)}
        proof = tensorflow.proof(path)
        assert proof.verdict == "verified", proof
        assert (proof.theirs.trainable, proof.theirs.frozen) == (36, 3)

    def test_another_signature_can_be_named(self, tensorflow, saved):
        path = saved("saved_module") / "net"
        for asked in ({"entry": "embed"}, {"args": {"signature": "embed"}}):
            assert operators(tensorflow.graph(path, **asked)) == ["Gemm", "Relu"]

    def test_signatures_and_tags_that_are_not_there(self, tensorflow, saved):
        path = saved("saved_module") / "net"
        with pytest.raises(ModeldocsError) as raised:
            tensorflow.model(path, entry="serve")
        assert raised.value.fix == "use one of: embed, serving_default"
        with pytest.raises(ModeldocsError, match="no MetaGraph with the tags gpu"):
            tensorflow.model(path, args={"tags": ["gpu"]})


class TestFunction:
    def test_tells_the_line_of_each_operation(self, tensorflow):
        from .test_operators import NETWORKS

        graph = tensorflow.graph(NETWORKS, entry="activations", inputs={"x": [2, 5]})
        lines = NETWORKS.read_text().splitlines()
        (elu,) = [layer for layer in graph.layers if layer.operator == "Elu"]
        assert "tf.nn.elu(x)" in lines[elu.origins[0].line - 1]
        assert elu.origins[0].file == "networks.py"

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("def model(x):\n    return x @ x", "tracing it raised"),
            ("def model():\n    return 3", "which cannot be called"),
            ("def model(x):\n    return tf.constan(x)", "tracing it raised"),
            ("INPUTS = 3\ndef model(x):\n    return x", "its INPUTS is no shape"),
        ],
    )
    def test_mistakes_are_told_with_the_file(self, source, said, tensorflow, tmp_path):
        path = tmp_path / "tensorflow.py"
        inputs = "" if "INPUTS" in source else "INPUTS = {'x': (2, 3)}\n"
        path.write_text(f"import tensorflow as tf\n{inputs}{source}\n")
        with pytest.raises(ModeldocsError, match=said) as raised:
            tensorflow.model(path)
        assert raised.value.file == "tensorflow.py"


class TestShapes:
    def test_a_size_that_is_open_stays_open_unless_it_is_given(self, tensorflow, tmp_path):
        path = tmp_path / "net.pbtxt"
        path.write_text(OPEN)
        graph = tensorflow.graph(path)
        assert graph.layers[0].outputs[0].shape == (1, None, 3)
        assert graph.notes == (
            "the source leaves the batch of x open, drawn as 1",
            "the source leaves sizes of x open, drawn as ? unless --input, or `inputs` in "
            "model.yml, gives them",
        )
        graph = tensorflow.graph(path, inputs={"x": [1, 7, 3]})
        assert graph.layers[0].outputs[0].shape == (1, 7, 3)

    def test_a_rank_that_is_open_is_what_a_reader_takes(self, tensorflow, tmp_path):
        path = tmp_path / "net.pbtxt"
        path.write_text(ANY + POOLED)
        graph = tensorflow.graph(path)
        assert graph.inputs[0].type.shape == (1, None, None, None)
        (pool,) = graph.layers
        assert (pool.attributes["kernel_shape"], pool.attributes["strides"]) == ([3, 3], [2, 2])

    def test_a_shape_that_nothing_tells_is_asked_for(self, tensorflow, tmp_path):
        path = tmp_path / "net.pbtxt"
        path.write_text(ANY + OPEN[OPEN.index('node { name: "y"') :])
        with pytest.raises(ModeldocsError, match="'x' has no shape in the source") as raised:
            tensorflow.model(path)
        assert "--input x=…" in raised.value.fix

    @pytest.mark.parametrize(
        ("inputs", "said"),
        [({"y": [1, 7, 3]}, "has no input 'y'"), ({"x": [1, 7, 4]}, "not 1×7×4")],
    )
    def test_one_that_does_not_fit_is_refused(self, inputs, said, tensorflow, tmp_path):
        path = tmp_path / "net.pbtxt"
        path.write_text(OPEN)
        with pytest.raises(ModeldocsError, match=said):
            tensorflow.model(path, inputs=inputs)


ANY = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
"""
POOLED = """
node { name: "y" op: "MaxPool" input: "x"
  attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "ksize" value { list { i: 1 i: 3 i: 3 i: 1 } } }
  attr { key: "strides" value { list { i: 1 i: 2 i: 2 i: 1 } } }
  attr { key: "padding" value { s: "SAME" } }
}
versions { producer: 440 }
"""
OPEN = """
node { name: "x" op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: -1 } dim { size: 3 } } } }
}
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 440 }
"""
