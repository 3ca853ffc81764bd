"""Every layer and operation that the loader knows computes what Keras computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.loaders import LoadRequest
from modeldocs.numeric.proof import prover
from modeldocs.numeric.proof.prover import ProofSubject

pytestmark = pytest.mark.xdist_group("keras")

EVERYTHING = Path(__file__).with_name("everything.py")


@pytest.fixture(scope="module")
def proof(environment):
    environment("tensorflow")
    request = LoadRequest(
        root=str(EVERYTHING.parent), path=str(EVERYTHING), entry="everything", name="everything"
    )
    return prover.prove(ProofSubject(name="keras", framework="keras", request=request))


def test_outputs_are_those_of_keras_itself(proof):
    assert (proof.verdict, proof.first, proof.failure) == ("verified", None, None)


def test_parameters_are_as_many_as_keras_counts(proof):
    assert proof.ours == proof.theirs
    assert proof.theirs.frozen > 0


def test_what_it_was_held_against_is_named(proof):
    assert proof.reference.startswith("keras 3")
