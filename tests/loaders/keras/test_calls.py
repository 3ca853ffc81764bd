"""Functions of TensorFlow in a Keras model compute what TensorFlow computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.loaders import LoadRequest
from modeldocs.numeric.proof import prover
from modeldocs.numeric.proof.prover import ProofSubject

pytestmark = pytest.mark.xdist_group("keras")

CALLS = Path(__file__).with_name("calls.py")


@pytest.fixture(scope="module")
def proof(environment):
    environment("tensorflow")
    request = LoadRequest(root=str(CALLS.parent), path=str(CALLS), entry="calls", name="calls")
    return prover.prove(ProofSubject(name="keras", framework="keras", request=request))


def test_each_form_computes_what_tensorflow_computes(proof):
    assert (proof.verdict, proof.first, proof.failure) == ("verified", None, None)


def test_a_subclassed_model_may_call_them(session):
    relu, times = session.graph("tensorflow").layers
    assert (relu.operator, times.operator) == ("Relu", "Mul")
    assert [module.kind for module in relu.modules] == ["tf.nn.relu"]


def test_one_of_no_known_form_is_drawn_as_it_is(session):
    graph = session.graph("unusual")
    assert [layer.operator for layer in graph.layers] == ["keras::bessel_i0", "Gemm"]
    assert "no operations of Keras are known for it" in graph.notes[0]


def test_what_keras_2_took_is_taken(session):
    graph = session.graph("earlier")
    assert graph.layers[0].name == "stem/conv"
    assert [p.shape for p in session.layer("earlier", "head").parameters] == [(3, 256), (3,)]


def test_weights_that_nothing_reads_are_told(session):
    graph = session.graph("unread")
    assert [layer.name for layer in graph.layers] == ["head"]
    assert any("other" in note for note in graph.notes), graph.notes
