"""Operators in place of those of ONNX's reference evaluator compute what onnxruntime does."""

from __future__ import annotations

import itertools

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from modeldocs.loaders.onnx import reference_operators, reference_pools

WINDOWS = list(itertools.product((5, 6, 7, 9, 11), (2, 3), (1, 2, 3), (0, 1), (1, 2)))
"""Size of the image, kernel, stride, pads and dilation."""


def is_as_onnxruntime_has_it(model: onnx.ModelProto, x: np.ndarray, operator: type[OpRun]) -> bool:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    theirs = session.run(None, {"x": x})[0]
    ours = ReferenceEvaluator(model, new_ops=[operator]).run(None, {"x": x})[0]
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_lrn(size: int) -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 23]> net (float[2,6,3,3] x) => (float[2,6,3,3] y)'
        f"{{ y = LRN <size: int = {size}, alpha = 0.3, beta = 0.6, bias = 2.0> (x) }}"
    )
    x = np.random.default_rng(0).normal(size=(2, 6, 3, 3)).astype(np.float32) * 5
    assert is_as_onnxruntime_has_it(model, x, reference_operators.LRN)


@pytest.mark.parametrize(
    ("operator", "setting"),
    [
        (reference_pools.MaxPool, ""),
        (reference_pools.AveragePool, ""),
        (reference_pools.AveragePool, ", count_include_pad = 1"),
    ],
)
def test_pools_that_round_up(operator: type[OpRun], setting: str) -> None:
    for size, kernel, stride, pad, dilation in WINDOWS:
        model = onnx.parser.parse_model(
            '<ir_version: 10, opset_import: ["": 21]> '
            f"net (float[1,2,{size},{size + 1}] x) => (float[?,?,?,?] y) {{ y = "
            f"{operator.__name__} <kernel_shape = [{kernel},{kernel}], ceil_mode = 1, "
            f"strides = [{stride},{stride}], pads = [{pad},0,{pad},{pad}], "
            f"dilations = [{dilation},{dilation}]{setting}> (x) }}"
        )
        x = np.random.default_rng(size).normal(size=(1, 2, size, size + 1)).astype(np.float32)
        assert is_as_onnxruntime_has_it(model, x, operator), (size, kernel, stride, pad, dilation)
