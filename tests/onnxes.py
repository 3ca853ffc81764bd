"""ONNX models for tests: written as text, with weights added by shape or by value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser

from modeldocs.ir import LayerGraph
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.onnx import OnnxLoader
from modeldocs.normal import normalise


def parse(text: str, opset: int = 20, **weights: object) -> onnx.ModelProto:
    """A model of `graph (inputs) => (outputs) { nodes }`; a weight is a shape or an array."""
    domains = '"" : ' + str(opset) + ', "own" : 1, "com.microsoft" : 1'
    model = onnx.parser.parse_model(f"<ir_version: 8, opset_import: [{domains}]>\n{text}")
    for name, given in weights.items():
        array = np.zeros(given, np.float32) if isinstance(given, tuple) else np.asarray(given)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def load(model: onnx.ModelProto | bytes, folder: Path, **changes: object) -> LayerGraph:
    """The model's graph, through a file in `folder` and the loader, in this process."""
    file = folder / "model.onnx"
    file.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    request = LoadRequest(root=str(folder), path=str(file), name="net", **changes)
    return normalise(OnnxLoader().load(request))


def graph(folder: Path, text: str, opset: int = 20, **weights: object) -> LayerGraph:
    """`load(parse(text))`."""
    return load(parse(text, opset, **weights), folder)
