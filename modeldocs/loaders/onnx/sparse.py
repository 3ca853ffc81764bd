"""Sparse tensors of an ONNX file, written out: the passes of normal form know dense ones alone."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import numpy_helper

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import dims
from modeldocs.loaders.onnx.signatures import AGAIN

MAX_ELEMENTS = 2**28
"""Elements of the largest sparse tensor that is written out."""


def write_out(proto: onnx.ModelProto) -> None:
    """Replace sparse initializers and sparse constants by dense ones, in place, in bodies too.

    Raises:
        ModeldocsError: a sparse tensor contradicts its shape, or is too large to be written out.
    """
    pending: list[onnx.GraphProto | onnx.FunctionProto] = [proto.graph, *proto.functions]
    while pending:
        graph = pending.pop()
        if isinstance(graph, onnx.GraphProto):
            _write_initializers(graph)
        for node in graph.node:
            for attribute in node.attribute:
                pending.extend(attribute.graphs)
                if attribute.HasField("g"):
                    pending.append(attribute.g)
                if node.op_type == "Constant" and attribute.HasField("sparse_tensor"):
                    _write_attribute(attribute, node.output[0])


def _write_initializers(graph: onnx.GraphProto) -> None:
    for sparse in graph.sparse_initializer:
        graph.initializer.append(_dense(sparse, sparse.values.name))
    del graph.sparse_initializer[:]


def _write_attribute(attribute: onnx.AttributeProto, name: str) -> None:
    tensor = _dense(attribute.sparse_tensor, name)
    attribute.ClearField("sparse_tensor")
    attribute.name, attribute.type = "value", onnx.AttributeProto.TENSOR
    attribute.t.CopyFrom(tensor)


def _dense(sparse: onnx.SparseTensorProto, name: str) -> onnx.TensorProto:
    """The tensor with its zeros."""
    shape = tuple(sparse.dims)
    if math.prod(shape) > MAX_ELEMENTS:
        raise ModeldocsError(
            f"the sparse tensor {name[:100]!r} of shape {dims.as_text(shape)} is too large to be "
            "written out",
            fix="export it as a dense tensor with external data",
        )
    try:
        stored, indices = (numpy_helper.to_array(one) for one in (sparse.values, sparse.indices))
        places = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), shape)
        dense = np.zeros(math.prod(shape), stored.dtype)
        dense[places.astype(np.int64)] = stored
    except (IndexError, TypeError, ValueError) as error:
        raise ModeldocsError(
            f"the sparse tensor {name[:100]!r} has values outside its shape "
            f"{dims.as_text(shape)}: {error}",
            fix=AGAIN,
        ) from None
    return numpy_helper.from_array(dense.reshape(shape), name)
