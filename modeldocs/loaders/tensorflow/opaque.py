"""What ONNX has no operators for, drawn as it is in TensorFlow's own domain."""

from __future__ import annotations

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError


def draw(emission: Emission) -> Results:
    """The operation as it is, in TensorFlow's own domain."""
    drawing, operation = emission.drawing, emission.operation
    inputs = []
    for ref in operation.inputs:
        try:
            inputs.append(drawing.value(ref))
        except UnsupportedError:
            continue  # text, and handles of tables: no tensor of ONNX
    count = max(1, drawing.typed.count(operation.name))
    refs = [(operation.name, index) for index in range(count)]
    shapes = [drawing.typed.shape(ref) for ref in refs]
    types = [attributes.onnx_type(drawing.typed.dtype(ref)) for ref in refs]
    plain = attributes.plain(operation.proto)
    settings = {n: v for n, v in plain.items() if isinstance(v, bool | int | float | str)}
    return emission.foreign(operation.kind, inputs, shapes, settings, types)
