"""Shapes that a definition leaves open: symbolic dimensions are fixed, what follows inferred."""

from __future__ import annotations

import contextlib

import onnx
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.parity import spelled
from modeldocs.parity.route import Shape

_OPEN = 1
"""What a symbolic dimension is taken for: a batch of one."""


def fix(model: ir.Model) -> None:
    """Give every value of a model in normal form a shape, as far as ONNX can infer them."""
    unknown = [v for n in model.graph for v in n.outputs if values.shape(v) is None]
    for value in model.graph.inputs:
        if value.shape is not None:
            value.shape = ir.Shape(d if isinstance(d, int) else _OPEN for d in value.shape)
    if not unknown:
        return
    _infer(model, unknown)
    for node in model.graph:
        first = node.inputs[0] if node.inputs else None
        strange = node.domain not in values.DEFAULT_DOMAIN and len(node.outputs) == 1
        if not strange or first is None or values.shape(first) is None:
            continue
        if values.shape(node.outputs[0]) is None:
            # What no framework here runs is taken to keep its input's shape, as activations and
            # norms do: what reads it can then be fed.
            node.outputs[0].shape, node.outputs[0].type = first.shape, first.type
            _infer(model, unknown)


def _infer(model: ir.Model, unknown: list[ir.Value]) -> None:
    found = _inferred(model)
    for value in unknown:
        if str(value.name) in found:
            value.shape = ir.Shape(found[str(value.name)])


def _inferred(model: ir.Model) -> dict[str, Shape]:
    """Shapes by name, of the model as ONNX that runs: its weights are inputs of known shape."""
    plain = spelled.whole(model)
    for name, value in list(plain.graph.initializers.items()):
        if values.is_parameter(value):
            del plain.graph.initializers[name]
            value.const_value = None
            plain.graph.inputs.append(value)
    for value in (value for node in plain.graph for value in node.outputs):
        if values.shape(value) is None:
            value.shape = None
    made = ir.to_proto(plain)
    with contextlib.suppress(onnx.shape_inference.InferenceError):
        made = onnx.shape_inference.infer_shapes(made, data_prop=True)
    told = {one.name: one.type.tensor_type for one in made.graph.value_info}
    told |= {one.name: one.type.tensor_type for one in made.graph.output}
    return {
        name: tuple(dim.dim_value for dim in one.shape.dim)
        for name, one in told.items()
        if one.HasField("shape") and all(dim.HasField("dim_value") for dim in one.shape.dim)
    }
