"""Constants of a graph as arrays, and refused before they take what memory there is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.program import Flat, Operation, Program, Ref

MAX_REPEATED = 2**24
"""Elements of the largest constant that the source spells with fewer values than it has."""

MAX_ELEMENTS = 2**31
THROUGH = (
    "Identity",
    "StopGradient",
    "Snapshot",
    "PreventGradient",
    "EnsureShape",
    "CheckNumerics",
)
"""Operators whose only output is their first input."""


def check(program: Program, operation: Operation) -> None:
    """Refuse a constant whose shape is absurd or whose values are not those of its shape.

    Raises:
        ModeldocsError: it is either.
    """
    tensor = attributes.get(operation.proto, "value").tensor
    shape = attributes.dims(tensor.tensor_shape)
    sizes = [size for size in shape or () if isinstance(size, int)]
    count = math.prod(sizes)
    if shape is None or len(sizes) != len(shape) or len(sizes) > 64 or count >= MAX_ELEMENTS:
        raise _wrong(program, operation, "has no shape that a constant can have")
    if attributes.get(operation.proto, "dtype").type not in (0, tensor.dtype):
        raise _wrong(program, operation, "is of another type than its values")
    width = _width(tensor.dtype)
    if tensor.tensor_content:
        if len(tensor.tensor_content) != count * width:
            raise _wrong(program, operation, f"has not the {count:,} values of its shape")
    elif count > MAX_REPEATED and not tensor.float_val[1:]:
        raise _wrong(program, operation, f"would have {count:,} values, all the same")


def _wrong(program: Program, operation: Operation, what: str) -> Exception:
    return program.error(
        f"the constant {operation.name!r} {what}", at=operation.name, fix="save the graph again"
    )


def _width(number: int) -> int:
    held = attributes.onnx_type(number)
    return 0 if held is None or held.name == "STRING" else max(1, int(held.itemsize))


def array(operation: Operation) -> np.ndarray[Any, Any] | None:
    """The values of a `Const`; None where they cannot be read."""
    from tensorflow.python.framework import tensor_util

    try:
        made: np.ndarray[Any, Any] = tensor_util.MakeNdarray(
            attributes.get(operation.proto, "value").tensor
        )
    except (TypeError, ValueError, KeyError):
        return None
    return made


def flag(flat: Flat, ref: Ref) -> bool | None:
    """What a predicate is in inference, None where only the inputs tell.

    A placeholder has its default; one of a single truth value without any is `training`: false.
    """
    turned = False
    for _ in range(64):
        operation = flat.operations.get(ref[0])
        if operation is None:
            return None
        if operation.kind == "LogicalNot":
            turned = not turned
        elif operation.kind == "Const":
            values = array(operation)
            known = values is not None and values.size == 1 and values.dtype == bool
            return (
                bool(values.reshape(-1)[0]) is not turned if known and values is not None else None
            )
        elif is_training_flag(operation):
            return turned
        elif operation.kind not in (*THROUGH, "PlaceholderWithDefault", "Squeeze", "Reshape"):
            return None
        if not operation.inputs:
            return None
        ref = operation.inputs[0]
    return None


def is_training_flag(operation: Operation) -> bool:
    """Whether an operation is a placeholder of one truth value."""
    if operation.kind not in ("Placeholder", "PlaceholderV2"):
        return False
    shape = attributes.dims(attributes.get(operation.proto, "shape").shape)
    return attributes.get(operation.proto, "dtype").type == 10 and not (shape or ())
