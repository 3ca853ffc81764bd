"""A softmax along one axis is another than one along several: no spelling of it."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from modeldocs import normal
from modeldocs.diff import compare

from ..onnxes import parse

TEXT = "net (float[2,3,4,5] x) => (float[2,3,4,5] y) {{ r = Relu (x) {} }}"
FLAT = "f = Flatten <axis = 1> (r) s = {operator} <axis = 1> (f) n = Shape (r) y = Reshape (s, n)"
ALONG = "y = {operator} <axis = {axis}> (r)"


def graph(body, opset=13):
    return normal.normalise(ir.from_proto(parse(TEXT.format(body), opset)))


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
def test_axes_are_part_of_the_function(operator):
    flat = graph(FLAT.format(operator=operator))
    assert compare(flat, graph(ALONG.format(operator=operator, axis=1), 11)).verdict == "identical"
    for axis in (1, 2, 3):
        along = graph(ALONG.format(operator=operator, axis=axis))
        assert compare(flat, along).verdict == "different"
        assert compare(along, flat).verdict == "different"
