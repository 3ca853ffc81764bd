"""Shapes that a model leaves open: symbolic dimensions are set, and what follows is inferred."""

from __future__ import annotations

import contextlib

import onnx
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.numeric.parity import lowering
from modeldocs.numeric.parity.edge_path import Shape

_SYMBOLIC_DIM = 1
"""The value of symbolic dimensions: a batch of 1."""


def complete_shapes(model: ir.Model) -> None:
    """Give every value of a model in normal form a shape, as far as ONNX can infer it."""
    unknown = [v for n in model.graph for v in n.outputs if values.shape(v) is None]
    for value in model.graph.inputs:
        if value.shape is not None:
            value.shape = ir.Shape(d if isinstance(d, int) else _SYMBOLIC_DIM for d in value.shape)
    if not unknown:
        return
    _infer(model, unknown)
    for node in model.graph:
        data = node.inputs[0] if node.inputs else None
        is_custom = node.domain not in values.DEFAULT_DOMAIN and len(node.outputs) == 1
        if not is_custom or data is None or values.shape(data) is None:
            continue
        if values.shape(node.outputs[0]) is None:
            # An operator of another domain is taken to keep its input's shape, as activations and
            # norms do, so that its readers can be run alone.
            node.outputs[0].shape, node.outputs[0].type = data.shape, data.type
            _infer(model, unknown)


def _infer(model: ir.Model, unknown: list[ir.Value]) -> None:
    shapes = _inferred(model)
    for value in unknown:
        if str(value.name) in shapes:
            value.shape = ir.Shape(shapes[str(value.name)])


def _inferred(model: ir.Model) -> dict[str, Shape]:
    """Shapes by name. For the inference, weights are inputs of known shape."""
    lowered = lowering.lowered_copy(model)
    for name, value in list(lowered.graph.initializers.items()):
        if values.is_parameter(value):
            del lowered.graph.initializers[name]
            value.const_value = None
            lowered.graph.inputs.append(value)
    for value in (value for node in lowered.graph for value in node.outputs):
        if values.shape(value) is None:
            value.shape = None
    proto = ir.to_proto(lowered)
    with contextlib.suppress(onnx.shape_inference.InferenceError):
        proto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    types = {info.name: info.type.tensor_type for info in proto.graph.value_info}
    types |= {info.name: info.type.tensor_type for info in proto.graph.output}
    return {
        name: tuple(dim.dim_value for dim in info.shape.dim)
        for name, info in types.items()
        if info.HasField("shape") and all(dim.HasField("dim_value") for dim in info.shape.dim)
    }
