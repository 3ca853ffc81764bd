"""Constants of a graph as arrays, and checks of their sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.program import FlatGraph, GraphDefProgram, GraphNode, Ref

MAX_REPEATED = 2**24
"""Elements of the largest constant that is stored as one repeated value."""

MAX_ELEMENTS = 2**31
THROUGH = (
    "Identity", "StopGradient", "Snapshot", "PreventGradient", "EnsureShape", "CheckNumerics",
)  # fmt: skip
"""Operators whose only output is their first input."""


def check(program: GraphDefProgram, node: GraphNode) -> None:
    """Check that a constant has a valid shape and the values of that shape.

    Raises:
        ModeldocsError: it does not.
    """
    tensor = attributes.get(node.proto, "value").tensor
    shape = attributes.dims(tensor.tensor_shape)
    sizes = [size for size in shape or () if isinstance(size, int)]
    count = math.prod(sizes)
    if shape is None or len(sizes) != len(shape) or len(sizes) > 64 or count >= MAX_ELEMENTS:
        raise _wrong(program, node, "has no shape that a constant can have")
    if attributes.get(node.proto, "dtype").type not in (0, tensor.dtype):
        raise _wrong(program, node, "is of another type than its values")
    width = _width(tensor.dtype)
    if tensor.tensor_content:
        if len(tensor.tensor_content) != count * width:
            raise _wrong(program, node, f"does not have the {count:,} values of its shape")
    elif count > MAX_REPEATED and not tensor.float_val[1:]:
        raise _wrong(program, node, f"would have {count:,} equal values")


def _wrong(program: GraphDefProgram, node: GraphNode, reason: str) -> Exception:
    return program.error(
        f"the constant {node.name!r} {reason}", at=node.name, fix="save the graph again"
    )


def _width(number: int) -> int:
    dtype = attributes.onnx_type(number)
    return 0 if dtype is None or dtype.name == "STRING" else max(1, int(dtype.itemsize))


def array(node: GraphNode) -> np.ndarray[Any, Any] | None:
    """The values of a `Const`; None where they cannot be read."""
    from tensorflow.python.framework import tensor_util

    try:
        values: np.ndarray[Any, Any] = tensor_util.MakeNdarray(
            attributes.get(node.proto, "value").tensor
        )
    except (TypeError, ValueError, KeyError):
        return None
    return values


def flag(flat: FlatGraph, ref: Ref) -> bool | None:
    """The value of a predicate in inference, None where it depends on the inputs.

    A placeholder has its default; a boolean scalar without a default is `training`, which is false.
    """
    negated = False
    for _ in range(64):
        node = flat.nodes.get(ref[0])
        if node is None:
            return None
        if node.kind == "LogicalNot":
            negated = not negated
        elif node.kind == "Const":
            values = array(node)
            if values is None or values.size != 1 or values.dtype != bool:
                return None
            return bool(values.item()) is not negated
        elif is_training_flag(node):
            return negated
        elif node.kind not in (*THROUGH, "PlaceholderWithDefault", "Squeeze", "Reshape"):
            return None
        if not node.inputs:
            return None
        ref = node.inputs[0]
    return None


def is_training_flag(node: GraphNode) -> bool:
    """Whether a node is a placeholder of a boolean scalar."""
    if node.kind not in ("Placeholder", "PlaceholderV2"):
        return False
    shape = attributes.dims(attributes.get(node.proto, "shape").shape)
    return attributes.get(node.proto, "dtype").type == 10 and not (shape or ())
