"""The batch of an ONNX file, which an exporter may have written into it as a number."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from modeldocs.benchmarks.runners.benchmarked_model import Shapes


def set_batch(proto: onnx.ModelProto, shapes: Shapes) -> None:
    """Give a file the shapes of its inputs, which include the batch; it is changed in place.

    A Reshape whose constant shape begins with the batch of the file gets the new one. Shapes of
    other values are removed: onnxruntime infers them anew.
    """
    fixed = {size for size in map(_first, proto.graph.input) if size}
    if len(fixed) == 1:
        _reshape(proto.graph, fixed.pop(), next(iter(shapes.values()))[0])
    for value in proto.graph.input:
        dims = value.type.tensor_type.shape.dim
        for dim, size in zip(dims, shapes.get(value.name, ()), strict=False):
            dim.dim_value = size
    for output in proto.graph.output:
        output.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]


def _first(value: onnx.ValueInfoProto) -> int:
    """The first size of a value, 0 where it has none or an open one."""
    dims = value.type.tensor_type.shape.dim
    return int(dims[0].dim_value) if dims else 0


def _reshape(graph: onnx.GraphProto, before: int, batch: int) -> None:
    wanted = {node.input[1] for node in graph.node if node.op_type == "Reshape"}
    joined = [node for node in graph.node if node.op_type == "Concat" and node.output[0] in wanted]
    wanted |= {node.input[0] for node in joined}
    tensors = [tensor for tensor in graph.initializer if tensor.name in wanted]
    constants = [node for node in graph.node if node.op_type == "Constant"]
    for attribute in (
        one for node in constants if node.output[0] in wanted for one in node.attribute
    ):
        if attribute.name == "value":
            tensors.append(attribute.t)
        elif attribute.name == "value_ints" and attribute.ints[:1] == [before]:
            attribute.ints[0] = batch
    for tensor in tensors:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            continue
        sizes = numpy_helper.to_array(tensor)
        if sizes.ndim == 1 and sizes.size and sizes[0] == before:
            changed = np.concatenate([[batch], sizes[1:]]).astype(sizes.dtype)
            tensor.CopyFrom(numpy_helper.from_array(changed, tensor.name))
