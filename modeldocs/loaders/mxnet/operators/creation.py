"""Emitters of MXNet's operators whose output is constant: filled tensors, ranges, sizes."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission.element_types import element_type
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits

FILLED = "modeldocs.filled"
"""Key in the `meta` of a value filled with one number: the sizes in the settings, 0 where open."""

_VALUES = {"zeros": 0.0, "ones": 1.0}


@emits("zeros", "ones", "full")
def filled(op: MxnetOperation) -> Outputs:
    """A tensor filled with one number; a size of 0 is taken for the batch.

    It is a recurrent layer's initial state, whose batch axis only its reader knows: see `refill`.
    """
    sizes = op.settings.sizes("shape")
    number = _VALUES[op.kind] if op.kind in _VALUES else op.settings.number("value")
    value = _fill(op, [size or op.batch for size in sizes], number, _dtype(op))
    value.meta[FILLED] = sizes
    return [value]


def refill(value: ir.Value, shape: tuple[int, ...]) -> bool:
    """Change the shape of a filled value to what a reader needs.

    Returns:
        Whether it could: all sizes that differ were open.
    """
    sizes, node = value.meta.get(FILLED, ()), value.producer()
    fits = len(sizes) == len(shape) and all(
        size in (0, needed) for size, needed in zip(sizes, shape, strict=True)
    )
    shape_operand = node.inputs[0] if node is not None and fits else None
    if shape_operand is None:
        return False
    shape_operand.const_value = ir.tensor(np.array(shape, np.int64), name=shape_operand.name)
    value.shape = ir.Shape(shape)
    return True


@emits("zeros_like", "ones_like")
def filled_like(op: MxnetOperation) -> Outputs:
    """A tensor filled with one number, in another tensor's shape."""
    number = _VALUES[op.kind.removesuffix("_like")]
    return [_fill(op, list(op.sizes()), number, op.dtype)]


def _dtype(op: MxnetOperation) -> ir.DataType:
    return element_type(op.settings.text("dtype", "float32")) or ir.DataType.FLOAT


def _fill(op: MxnetOperation, shape: list[int], number: float, dtype: ir.DataType) -> ir.Value:
    tensor = ir.tensor(np.array([number]).astype(dtype.numpy()), name="value")
    return op.node("ConstantOfShape", [op.integers(shape)], value=tensor)


@emits("arange")
def arange(op: MxnetOperation) -> Outputs:
    """Evenly spaced numbers, each of them `repeat` times."""
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    stop = op.settings.number("stop") if op.settings.has("stop") else start
    first = start if op.settings.has("stop") else 0.0
    repeats = op.settings.integer("repeat", 1, least=1)
    count = (stop - first) / step if step else 0.0
    if not 0 < count * repeats < 2**22:
        raise op.error("has no numbers, or too many", fix="check `start`, `stop` and `step`")
    numbers = np.repeat(first + step * np.arange(math.ceil(count)), repeats)
    constant = op.constant(numbers.astype(_dtype(op).numpy()), role="values")
    return [op.node("Identity", [constant])]


@emits("contrib_arange_like", "_contrib_arange_like")
def arange_like(op: MxnetOperation) -> Outputs:
    """As many evenly spaced numbers as another tensor or one of its axes has elements."""
    shape = op.sizes()
    if op.settings.has("axis"):
        shape = (shape[op.axis("axis", 0, len(shape))],)
    start, step = op.settings.number("start", 0.0), op.settings.number("step", 1.0)
    if math.prod(shape) > 2**22:
        raise op.error("has too many numbers", fix="check its input's shape")
    numbers = (start + step * np.arange(math.prod(shape))).reshape(shape)
    with np.errstate(all="ignore"):
        constant = op.constant(numbers.astype(op.dtype.numpy()), role="values")
    return [op.node("Identity", [constant])]


@emits("shape_array", "size_array")
def sizes(op: MxnetOperation) -> Outputs:
    """The input's sizes, or its number of elements, as int64."""
    shape = op.sizes()
    numbers = list(shape) if op.kind == "shape_array" else [math.prod(shape)]
    constant = op.constant(np.array(numbers, np.int64), role="sizes")
    return [op.node("Identity", [constant])]
