"""Operators that make a tensor of nothing but their settings."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.mxnet.inputs import by_name
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits

_VALUES = {"zeros": 0.0, "ones": 1.0}


@emits("zeros", "ones", "full")
def filled(op: Operation) -> Outputs:
    """One number everywhere; a size of 0 is the batch, as in a recurrent layer's first state."""
    shape = [size or op.batch for size in op.settings.sizes("shape")]
    number = _VALUES.get(op.source.op)
    number = op.settings.number("value") if number is None else number
    return [_full(op, shape, number, _dtype(op))]


@emits("zeros_like", "ones_like")
def like(op: Operation) -> Outputs:
    """One number everywhere, in another tensor's shape."""
    number = _VALUES[op.source.op.removesuffix("_like")]
    return [_full(op, list(op.sizes()), number, op.dtype)]


def _dtype(op: Operation) -> ir.DataType:
    return by_name(op.settings.text("dtype", "float32")) or ir.DataType.FLOAT


def _full(op: Operation, shape: list[int], number: float, dtype: ir.DataType) -> ir.Value:
    tensor = ir.tensor(np.array([number]).astype(dtype.numpy()), name="value")
    inputs = [op.integers(shape)]
    attributes = {"value": tensor}
    return op.emit("ConstantOfShape", inputs, [tuple(shape)], attributes, dtypes=[dtype])[0]


@emits("arange")
def arange(op: Operation) -> Outputs:
    """Numbers in even steps, each of them `repeat` times."""
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    stop = op.settings.number("stop") if op.settings.has("stop") else start
    first = start if op.settings.has("stop") else 0.0
    times = op.settings.integer("repeat", 1, least=1)
    steps = (stop - first) / step if step else 0.0
    if not 0 < steps * times < 2**22:
        raise op.error("makes no numbers, or too many", mend="check `start`, `stop` and `step`")
    numbers = np.repeat(first + step * np.arange(math.ceil(steps)), times)
    held = op.constant(numbers.astype(_dtype(op).numpy()), "values")
    return [op.node("Identity", [held], numbers.shape)]


@emits("contrib_arange_like", "_contrib_arange_like")
def arange_like(op: Operation) -> Outputs:
    """As many numbers as another tensor has, or as its axis does."""
    shape = op.sizes()
    if op.settings.has("axis"):
        shape = (shape[op.axis("axis", 0, len(shape))],)
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    if math.prod(shape) > 2**22:
        raise op.error("makes too many numbers", mend="check its input's shape")
    numbers = (start + step * np.arange(math.prod(shape))).reshape(shape)
    with np.errstate(all="ignore"):
        held = op.constant(numbers.astype(op.dtype.numpy()), "values")
    return [op.node("Identity", [held], shape)]
