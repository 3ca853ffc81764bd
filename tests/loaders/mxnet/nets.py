"""Small symbols as JSON, and loading of them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx_ir as ir
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.mxnet import MXNetLoader
from modeldocs.normal import normalise

from ..caffe.nets import check

FILE = "net-symbol.json"


def node(op: str, name: str, *inputs: Any, key: str = "attrs", **attributes: str) -> dict[str, Any]:
    """A node; inputs are indices of nodes, or lists of index and output."""
    read = [[one, 0, 0] if isinstance(one, int) else one for one in inputs]
    return {"op": op, "name": name, key: attributes, "inputs": read}


def symbol(*nodes: dict[str, Any], heads: Any = None, **others: Any) -> dict[str, Any]:
    """A symbol of nodes; its last is the head unless others are named."""
    variables = [index for index, one in enumerate(nodes) if one["op"] == "null"]
    whole = {"nodes": list(nodes), "arg_nodes": variables}
    return whole | {"heads": heads or [[len(nodes) - 1, 0, 0]]} | others


def one(op: str, *variables: str, data: str = "(2, 3, 8, 8)", **settings: str) -> dict[str, Any]:
    """One operator named `it` that reads `data` and variables of the given names."""
    names = ("data", *variables)
    shapes = ({"__shape__": data}, *[{} for _ in variables])
    nodes = [
        node("null", name, **attributes) for name, attributes in zip(names, shapes, strict=True)
    ]
    return symbol(*nodes, node(op, "it", *range(len(nodes)), **settings))


def load(document: dict[str, Any] | str | bytes, **request: Any) -> ir.Model:
    """The model of a symbol: a valid ONNX graph, whose shapes are those that ONNX infers."""
    model = unchecked(document, **request)
    check(model)
    return model


def unchecked(document: dict[str, Any] | str | bytes, **request: Any) -> ir.Model:
    data = json.dumps(document) if isinstance(document, dict) else document
    with TemporaryDirectory() as folder:
        Path(folder, FILE).write_bytes(data if isinstance(data, bytes) else data.encode())
        return MXNetLoader().load(LoadRequest(root=folder, path=FILE, name="net", **request))


def graph(document: dict[str, Any], **request: Any) -> LayerGraph:
    """The layer graph of a symbol."""
    return normalise(load(document, **request))


def error_of(document: dict[str, Any] | str | bytes, **request: Any) -> ModeldocsError:
    """The error of a broken symbol, which is one sentence with a fix."""
    with pytest.raises(ModeldocsError) as raised:
        unchecked(document, **request)
    error = raised.value
    assert error.file == FILE and error.fix
    assert "\n" not in error.reason and len(error.reason) < 700
    return error


def parameters(model: ir.Model, kind: str = "trainable") -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters of a kind."""
    values = model.graph.initializers.values()
    return {str(v.name): tuple(v.shape.numpy()) for v in values if origin.parameter_kind(v) == kind}


def notes(model: ir.Model) -> list[str]:
    """The notes on a model."""
    messages: list[str] = json.loads(model.metadata_props["modeldocs.notes"])
    return messages


def output(document: dict[str, Any], **request: Any) -> tuple[Any, ...]:
    """Shape of the first output."""
    shape = load(document, **request).graph.outputs[0].shape
    assert shape is not None
    return tuple(dim if isinstance(dim, int) else dim.value for dim in shape)
