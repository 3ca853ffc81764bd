"""`modeldocs verify`: proofs on the terminal, as JSON, and kept for the site."""

from __future__ import annotations

import json
import re

import pytest

from modeldocs.loaders.reference import spare
from tests import onnxes

pytestmark = pytest.mark.xdist_group("verify command")

TEXT = "net (float[1,3,8,8] x) => (float[1,4,6,6] y) { a = Conv (x, w)  y = Relu (a) }"


@pytest.fixture
def folder(folder):
    """The small catalog, with an ONNX port beside the Caffe ports, which this machine can prove."""
    model = folder / "models" / "net"
    (model / "broken.prototxt").unlink()
    (model / "caffe.prototxt").unlink()
    net = onnxes.parse(TEXT, w=spare("w", (4, 3, 3, 3)))
    (model / "model.onnx").write_bytes(net.SerializeToString())
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that holds what the first verification of the module left there."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def verify(folder, run, store):
    return lambda *words: run("verify", "--store", str(store), *words)


def test_a_port_is_verified_and_its_proof_is_kept(folder, verify, store):
    first = verify("net")
    assert first.exit_code == 0
    assert re.search(r"net/onnx +ONNX's reference \S+ +\S+ +108 \+ 0 +verified", first.stdout)
    files = set(store.rglob("*"))
    assert verify().stdout == first.stdout
    assert set(store.rglob("*")) == files


def test_a_file_outside_of_the_catalog_is_verified_too(folder, run):
    assert "1 verified" in run("verify", "models/net/model.onnx").stdout


def test_json_has_the_whole_proof(verify):
    (result,) = json.loads(verify("net/onnx", "--json").stdout)
    assert (result["source"], result["verdict"]) == ("net/onnx", "verified")
    assert result["proof"]["loaded"]["relative"] < 1e-6


def test_strict_fails_for_what_is_not_verified(folder, verify):
    assert verify("--strict").exit_code == 0
    (folder / "models" / "net" / "model.onnx").write_bytes(b"no graph")
    result = verify("--strict")
    assert result.exit_code == 1 and "not run" in result.stdout


def test_what_is_not_there_is_told(folder, refused):
    assert "net/keras" in refused("verify", "net/keras")
