"""Inputs and outputs without axes load and are proven like others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from modeldocs import normal
from modeldocs.loaders import LoadRequest, loader, reference
from modeldocs.numeric.proof import comparison
from modeldocs.numeric.proof.design import designs

from ... import onnxes

READERS = {
    "int64 n": "f = Cast<to=1>(n) y = Mul(x, f)",
    "int8 n": "f = Cast<to=1>(n) y = Mul(x, f)",
    "uint8 n": "f = Cast<to=1>(n) y = Mul(x, f)",
    "float16 n": "f = Cast<to=1>(n) y = Mul(x, f)",
    "double n": "f = Cast<to=1>(n) y = Mul(x, f)",
    "float n": "m = Mul(x, n) y = ReduceSum<keepdims=0>(m)",
    "int64 at": "y = Gather(x, at)",
    "bool both": "n = Neg(x) y = Where(both, x, n)",
    "bool first": "y = If(first) <then_branch = a () => (float[2,3] p) { p = Relu(x) }, "
    "else_branch = b () => (float[2,3] q) { q = Neg(x) }>",
    "int64 length": "i = Unsqueeze(length, zero) s = Slice(x, zero, i, one) y = Relu(s)",
}
"""What is computed of `x` and an input without axes."""


@pytest.mark.parametrize("scalar", READERS)
def test_a_scalar_input_of_any_type_is_proven(tmp_path: Path, scalar: str) -> None:
    output = "float y" if "ReduceSum" in READERS[scalar] else "float[..] y"
    text = f"net (float[2,3] x, {scalar}) => ({output}) {{ {READERS[scalar]} }}"
    text = text.replace("float[..]", "float[3]" if "Gather" in text else "float[2,N]")
    model = onnxes.parse(text, zero=np.zeros(1, np.int64), one=np.ones(1, np.int64))
    file = tmp_path / "model.onnx"
    file.write_bytes(model.SerializeToString())
    request = LoadRequest(root=str(tmp_path), path=str(file), name="net")
    proven, held = next(loader("onnx").prove(request, designs))
    reference.set_parameters(proven, held.parameters)
    found = comparison.compare(proven, held)
    assert found.loaded.relative is not None and found.loaded.relative <= 1e-6
    assert [one.type.shape for one in normal.normalise(proven).inputs] == [(2, 3), ()]
