"""Operators that make a tensor of nothing but their settings."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.mxnet.inputs import by_name
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits

FILLED = "modeldocs.filled"
"""What tells of a value that is one number everywhere: the sizes given, 0 for an open one."""

_VALUES = {"zeros": 0.0, "ones": 1.0}


@emits("zeros", "ones", "full")
def filled(op: Operation) -> Outputs:
    """One number everywhere; a size of 0 is the batch, as in a recurrent layer's first state.

    Which axis of an input the batch is, its reader knows better.
    """
    told = op.settings.sizes("shape")
    number = _VALUES.get(op.source.op)
    number = op.settings.number("value") if number is None else number
    made = _full(op, [size or op.batch for size in told], number, _dtype(op))
    made.meta[FILLED] = told
    return [made]


def refill(value: ir.Value, shape: tuple[int, ...]) -> bool:
    """Give what is filled with one number the shape that a reader wants, where it left it open."""
    told, node = value.meta.get(FILLED, ()), value.producer()
    fits = len(told) == len(shape) and all(
        size in (0, wanted) for size, wanted in zip(told, shape, strict=True)
    )
    held = node.inputs[0] if node is not None and fits else None
    if held is None:
        return False
    held.const_value = ir.tensor(np.array(shape, np.int64), name=held.name)
    value.shape = ir.Shape(shape)
    return True


@emits("zeros_like", "ones_like")
def like(op: Operation) -> Outputs:
    """One number everywhere, in another tensor's shape."""
    number = _VALUES[op.source.op.removesuffix("_like")]
    return [_full(op, list(op.sizes()), number, op.dtype)]


def _dtype(op: Operation) -> ir.DataType:
    return by_name(op.settings.text("dtype", "float32")) or ir.DataType.FLOAT


def _full(op: Operation, shape: list[int], number: float, dtype: ir.DataType) -> ir.Value:
    tensor = ir.tensor(np.array([number]).astype(dtype.numpy()), name="value")
    return op.node("ConstantOfShape", [op.integers(shape)], value=tensor)


@emits("arange")
def arange(op: Operation) -> Outputs:
    """Numbers in even steps, each of them `repeat` times."""
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    stop = op.settings.number("stop") if op.settings.has("stop") else start
    first = start if op.settings.has("stop") else 0.0
    times = op.settings.integer("repeat", 1, least=1)
    steps = (stop - first) / step if step else 0.0
    if not 0 < steps * times < 2**22:
        raise op.error("makes no numbers, or too many", fix="check `start`, `stop` and `step`")
    numbers = np.repeat(first + step * np.arange(math.ceil(steps)), times)
    held = op.constant(numbers.astype(_dtype(op).numpy()), role="values")
    return [op.node("Identity", [held])]


@emits("contrib_arange_like", "_contrib_arange_like")
def arange_like(op: Operation) -> Outputs:
    """As many numbers as another tensor has, or as its axis does."""
    shape = op.sizes()
    if op.settings.has("axis"):
        shape = (shape[op.axis("axis", 0, len(shape))],)
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    if math.prod(shape) > 2**22:
        raise op.error("makes too many numbers", fix="check its input's shape")
    numbers = (start + step * np.arange(math.prod(shape))).reshape(shape)
    with np.errstate(all="ignore"):
        held = op.constant(numbers.astype(op.dtype.numpy()), role="values")
    return [op.node("Identity", [held])]
