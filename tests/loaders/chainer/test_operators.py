"""Graphs and proofs of every function that the loader knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.numeric.proof import Proof, prover
from modeldocs.numeric.proof.prover import ProofSubject
from tests.loaders.ports import only, write

pytestmark = pytest.mark.xdist_group("chainer")

EVERYTHING = Path(__file__).with_name("everything.py")
REQUEST = LoadRequest(root=str(EVERYTHING.parent), path=str(EVERYTHING), name="everything")


@pytest.fixture(scope="module")
def proof(environment) -> Proof:
    environment("chainer")
    return prover.prove(ProofSubject(name="chainer", framework="chainer", request=REQUEST))


@pytest.fixture(scope="module")
def graph(environment) -> LayerGraph:
    environment("chainer")
    loaded = loading.load("chainer", REQUEST, Limits(seconds=60))
    assert loaded.graph is not None, loaded.failure
    return loaded.graph


def named(graph: LayerGraph, name: str):
    (layer,) = [layer for layer in graph.layers if layer.name == name]
    return layer


def test_outputs_are_those_of_chainer_itself(proof):
    assert (proof.verdict, proof.first, proof.failure) == ("verified", None, None)


def test_parameters_are_as_many_as_chainer_counts(proof):
    assert proof.ours == proof.theirs


def test_a_link_that_nothing_reads_needs_no_sizes(environment, tmp_path):
    environment("chainer")
    body = """
    import chainer
    import chainer.links as L

    INPUTS = {"x": (2, 4)}


    class Net(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.dense, self.spare = L.Linear(None, 3), L.Linear(None, 3)

        def forward(self, x):
            return self.dense(x)
    """
    request = write(tmp_path, body, "net.py")
    proof = prover.prove(ProofSubject(name="net", framework="chainer", request=request))
    assert (proof.verdict, proof.failure) == ("verified", None)
    assert proof.ours == proof.theirs


def test_no_function_is_left_that_onnx_does_not_have(graph):
    assert [layer.operator for layer in graph.layers if "::" in layer.operator] == []
    assert graph.notes == ()


def test_outputs_have_the_keys_of_the_dict_that_came_back(graph):
    assert {"conv", "lrn", "softmax", "argmax"} <= {output.name for output in graph.outputs}


def test_a_link_tells_its_path_its_class_its_arguments_and_the_line_that_made_it(graph):
    layer = named(graph, "grouped")
    (origin,) = layer.origins
    assert origin.operator == "chainer.links.Convolution2D"
    assert origin.attributes["groups"] == 4
    assert origin.attributes["dilate"] == 2
    assert origin.attributes["nobias"] is True
    line = EVERYTHING.read_text().splitlines()[origin.line - 1]
    assert (origin.file, "self.grouped =" in line) == ("everything.py", True)
    assert [(m.path, m.kind) for m in layer.modules] == [("grouped", "L.Convolution2D")]


def test_a_function_tells_its_arguments_and_the_line_that_called_it(graph):
    (layer,) = [
        layer
        for layer in graph.layers
        if layer.operator == "LRN" and layer.origins[0].attributes["n"] == 5
    ]
    (origin,) = layer.origins
    assert origin.operator == "chainer.functions.local_response_normalization"
    assert origin.attributes == {"n": 5, "k": 1, "alpha": 0.01, "beta": 0.75}
    assert '"lrn":' in EVERYTHING.read_text().splitlines()[origin.line - 1]


def test_lrn_divides_no_alpha_in_chainer_and_does_in_onnx(graph):
    alphas = {
        layer.attributes["size"]: layer.attributes["alpha"]
        for layer in graph.layers
        if layer.operator == "LRN" and layer.attributes["bias"] == 1.0
    }
    assert alphas == {5: 0.05}


def test_a_pool_that_covers_all_says_that_it_rounds_up(graph):
    padding = {
        (layer.origins[0].attributes.get("ksize"), layer.padding)
        for layer in graph.layers
        if layer.operator == "MaxPool" and layer.origins[0].attributes.get("cover_all") is False
    }
    assert padding == {(2, None)}
    assert {layer.padding for layer in graph.layers if layer.operator == "MaxPool"} == {
        "ceil",
        None,
    }


def test_dropout_is_kept_though_test_mode_leaves_it_out(graph):
    layer = only(graph, "Dropout")
    assert layer.origins[0].attributes == {"ratio": 0.3}
    assert layer.attributes["ratio"] == 0.3


def test_running_statistics_are_not_trained(graph):
    layer = named(graph, "batch")
    assert {p.name: p.trainable for p in layer.parameters} == {
        "batch/gamma": True,
        "batch/beta": True,
        "batch/avg_mean": False,
        "batch/avg_var": False,
    }
    assert layer.attributes["epsilon"] == 2e-5
