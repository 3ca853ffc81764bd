"""Small ONNX models, whole and broken, that the tests of the loader are written on."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

from modeldocs.errors import ModeldocsError
from modeldocs.ir import encode
from tests.refusals import load_or_refuse

from ...onnxes import load, parse

SMALL = """
    net (float[1,3,8,8] x) => (float[1,10] y) {
        c = Conv <kernel_shape = [3,3], pads = [1,1,1,1]> (x, w, b)
        r = Relu (c)
        p = GlobalAveragePool (r)
        f = Flatten (p)
        y = Gemm <transB = 1> (f, v)
    }"""


def small(**weights):
    shapes = {"w": (4, 3, 3, 3), "b": (4,), "v": (10, 4)}
    return parse(SMALL, **(shapes | weights))


def told(model, folder, **changes):
    """The sentence that a broken model brings."""
    with pytest.raises(ModeldocsError) as raised:
        load(model, folder, **changes)
    assert raised.value.file == "model.onnx"
    assert "\n" not in raised.value.reason and len(raised.value.reason) < 500
    assert raised.value.fix
    return raised.value.reason


def float_input(name="x", shape=(1, 4)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def made(nodes, inputs=None, outputs=None, initializers=(), opset=20):
    """A model that no checker has seen."""
    inputs = [float_input()] if inputs is None else inputs
    outputs = [float_input("y", None)] if outputs is None else outputs
    held = helper.make_graph(nodes, "net", inputs, outputs, list(initializers))
    return helper.make_model(held, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def outside(location, name="w"):
    """A weight that has its data in another file."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[4, 4])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


def load_or_hear(model, folder):
    """A graph that can be written, or one sentence."""
    result = load_or_refuse(lambda: load(model, folder), "model.onnx")
    assert isinstance(result, ModeldocsError) or encode(result)
