"""Of equal numbers a framework may name others than ONNX does: that is no difference."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.loaders.reference import Reference
from modeldocs.normal import prepare
from modeldocs.numeric.proof.comparison import compare
from tests import onnxes

BEST = """net (float[1,6] x, float[6] table) => (float[1,2] y) {
  z = Relu (x)
  v, i = TopK <axis=1> (z, k)
  y = Gather (table, i)
}"""
LARGEST = """net (float[2,3] x) => (int64[2] y) {
  z = Relu (x)
  y = ArgMax <axis=1, keepdims=0> (z)
}"""
TABLE = np.arange(1, 7, dtype=np.float32)


def best(x: list[float], chosen: list[int]) -> Reference:
    """What a framework gives that chooses these of a row."""
    row, index = np.array([x], np.float32), np.array([chosen])
    held = np.maximum(row, 0)
    return Reference(
        software="a framework",
        inputs={"x": row, "table": TABLE},
        outputs={"y": TABLE[index]},
        activations={"z": held, "v": np.take_along_axis(held, index, 1), "i": index},
    )


def model(text: str) -> ir.Model:
    made = ir.from_proto(onnxes.parse(text, **({"k": np.array([2])} if "k)" in text else {})))
    prepare.infer_shapes(made)
    return made


@pytest.mark.parametrize("chosen", [[1, 3], [3, 1], [4, 1]])
def test_any_order_of_equal_numbers_is_verified(chosen):
    proof = compare(model(BEST), best([0, 5, 1, 5, 5, -1], chosen))
    assert proof.verdict == "verified"
    assert proof.loaded.relative == proof.normal.relative == 0


def test_a_smaller_number_is_a_difference():
    proof = compare(model(BEST), best([0, 5, 1, 4, 5, -1], [1, 3]))
    assert proof.verdict == "disagrees"


def test_indices_that_are_the_output():
    x = np.array([[2, 2, 1], [0, 3, 3]], np.float32)
    for indices, verdict in (([1, 2], "verified"), ([1, 0], "disagrees")):
        held = Reference(
            software="a framework",
            inputs={"x": x},
            outputs={"y": np.array(indices)},
            activations={"z": x},
        )
        assert compare(model(LARGEST), held).verdict == verdict
