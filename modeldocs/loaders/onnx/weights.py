"""Weights of an ONNX graph: which initializers are parameters, and designed values in the file."""

from __future__ import annotations

import math

import numpy as np
import onnx
import onnx_ir as ir
from onnx import numpy_helper

from modeldocs.ir import operators, origin
from modeldocs.ir.operators import is_learned, weighted_slot
from modeldocs.ir.operators.operands import is_quantisation
from modeldocs.loaders.reference import Arrays
from modeldocs.normal import values

_STATISTICS = {("BatchNormalization", 3), ("BatchNormalization", 4)}

MAX_FILLED = 2**28
"""Elements of the largest weight that is stored for a ConstantOfShape."""

_QUANTISED = (
    *(ir.DataType.INT8, ir.DataType.UINT8, ir.DataType.INT4, ir.DataType.UINT4),
    *(ir.DataType.INT2, ir.DataType.UINT2),
)


def store_filled(model: ir.Model) -> None:
    """Replace weights that the file fills with one number (ConstantOfShape) by initializers."""
    for node in list(model.graph):
        if not values.is_operator(node, "ConstantOfShape"):
            continue
        shape, (output,) = values.constant(node.inputs[0]), node.outputs
        uses = [(usage.node.op_type, usage.idx) for usage in output.uses()]
        if shape is None or not any(weighted_slot(name) == slot for name, slot in uses):
            continue
        if math.prod(int(size) for size in shape) > MAX_FILLED or output.is_graph_output():
            continue
        number = values.attribute(node, "value", ir.tensor(np.zeros(1, np.float32))).numpy()
        array = np.full(tuple(int(size) for size in shape), number.reshape(-1)[0])
        tensor = ir.tensor(array, name=output.name)
        stored = ir.Value(name=output.name, const_value=tensor, shape=ir.Shape(array.shape))
        stored.type = ir.TensorType(tensor.dtype)
        ir.convenience.replace_all_uses_with(output, stored)
        model.graph.remove(node, safe=True)
        model.graph.register_initializer(stored)


def mark_parameters(model: ir.Model) -> None:
    """Mark initializers that are weights, and remove all initializers from the inputs."""
    inputs = {value.name for value in model.graph.inputs}
    for name, value in model.graph.initializers.items():
        if name in inputs:
            model.graph.inputs.remove(value)
        uses = [(values.operator(usage.node), usage.idx) for usage in value.uses()]
        if any(use in _STATISTICS for use in uses):
            origin.mark_parameter(value, trainable=False)
        elif any(_is_weight(*use) for use in uses) or (
            _is_weight_like(value) and not (uses and all(_is_setting(*use) for use in uses))
        ):
            origin.mark_parameter(value, trainable=True)


def _is_weight(operator: str, slot: int) -> bool:
    return weighted_slot(operator) == slot or is_learned(operator, slot)


def _is_setting(operator: str, slot: int) -> bool:
    return slot in operators.of(operator).settings or is_quantisation(operator, slot)


def _is_weight_like(value: ir.Value) -> bool:
    """Whether it has more than one number, of a floating-point or quantised type."""
    if value.dtype is None or value.shape is None or len(value.shape) == 0:
        return False
    is_numeric = value.dtype.is_floating_point() or value.dtype in _QUANTISED
    return is_numeric and math.prod(values.shape(value) or ()) > 1


def fixed(proto: onnx.ModelProto, model: ir.Model) -> Arrays:
    """Values of weights that the file has as nodes (Constant), which cannot be replaced."""
    stored = {tensor.name for tensor in proto.graph.initializer}
    return {
        name: value.const_value.numpy()
        for name, value in model.graph.initializers.items()
        if origin.parameter_kind(value) is not None
        and name not in stored
        and value.const_value is not None
    }


def fill(proto: onnx.ModelProto, parameters: Arrays) -> onnx.ModelProto:
    """A copy of the file with other values in its initializers."""
    filled = onnx.ModelProto()
    filled.CopyFrom(proto)
    for tensor in filled.graph.initializer:
        array = parameters.get(tensor.name)
        if array is not None:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.CopyFrom(numpy_helper.from_array(array.astype(dtype), tensor.name))
    return filled
