"""Operators in place of those of ONNX's reference evaluator compute what onnxruntime does."""

from __future__ import annotations

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from modeldocs.loaders.onnx import reference_operators


@pytest.mark.parametrize("size", [1, 3, 5])
def test_lrn(size: int) -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 23]> net (float[2,6,3,3] x) => (float[2,6,3,3] y)'
        f"{{ y = LRN <size: int = {size}, alpha = 0.3, beta = 0.6, bias = 2.0> (x) }}"
    )
    x = np.random.default_rng(0).normal(size=(2, 6, 3, 3)).astype(np.float32) * 5
    theirs = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    ours = ReferenceEvaluator(model, new_ops=[reference_operators.LRN]).run(None, {"x": x})[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
