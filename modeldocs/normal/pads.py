"""Explicit pads: strategies resolved by the shapes at hand, `Pad` nodes absorbed.

Pads are in ONNX's order, all begins before all ends: top, left, bottom, right.
"""

from __future__ import annotations

from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values

_WINDOWED = ("Conv", "MaxPool", "AveragePool", "LpPool", "ConvInteger", "QLinearConv")
_NON_NEGATIVE = ("Relu", "Sigmoid", "Softmax", "Abs", "Exp", "Softplus")
_KEEPS_SIGN = (
    "MaxPool",
    "AveragePool",
    "Dropout",
    "Identity",
    "Concat",
    "Reshape",
    "Transpose",
    "LRN",
)


def make_explicit(model: ir.Model) -> None:
    """Give every windowed operator its kernel_shape, strides, dilations and pads as numbers.

    `auto_pad` is resolved by SAME's formula: output = ceil(input / stride), total padding
    = (output - 1) * stride + (kernel - 1) * dilation + 1 - input, never negative, the odd one at
    the end (SAME_UPPER) or at the beginning (SAME_LOWER). A transposed convolution cuts off what
    a convolution would add. Where the input is symbolic, the strategy stays beside pads that are
    not known.
    """
    for node in model.graph:
        if values.is_operator(node, *_WINDOWED, "ConvTranspose"):
            _complete(node)


def _complete(node: ir.Node) -> None:
    kernel = _kernel(node)
    if kernel is None:
        return
    ones = (1,) * len(kernel)
    strides = tuple(values.attribute(node, "strides", ones))
    dilations = tuple(values.attribute(node, "dilations", ones))
    if not len(kernel) == len(strides) == len(dilations):
        return
    node.attributes["kernel_shape"] = ir.AttrInt64s("kernel_shape", kernel)
    node.attributes["strides"] = ir.AttrInt64s("strides", strides)
    node.attributes["dilations"] = ir.AttrInt64s("dilations", dilations)
    strategy = str(values.attribute(node, "auto_pad", "NOTSET"))
    same = strategy in ("SAME_UPPER", "SAME_LOWER")
    pads: tuple[int, ...] | None = tuple(values.attribute(node, "pads", (0,) * 2 * len(kernel)))
    if same or values.attribute(node, "output_shape") is not None:
        total = _totals(node, kernel, strides, dilations)
        pads = _halves(total, upper=strategy == "SAME_UPPER") if total is not None else None
    _keep_strategy(node, strategy)
    if pads is not None:
        node.attributes["pads"] = ir.AttrInt64s("pads", pads)
        node.attributes.pop("auto_pad", None)


def _kernel(node: ir.Node) -> tuple[int, ...] | None:
    declared = values.attribute(node, "kernel_shape")
    if declared is not None:
        return tuple(declared)
    weight = values.shape(values.operand(node, 3 if node.op_type == "QLinearConv" else 1))
    return weight[2:] if weight is not None else None


def _totals(node: ir.Node, kernel: Any, strides: Any, dilations: Any) -> list[int] | None:
    """Padding of each spatial axis, both ends together; None where a size is not known."""
    seen = node.inputs[0].shape if node.inputs[0] is not None else None
    sizes = [size for size in seen[2:] if isinstance(size, int)] if seen is not None else []
    if len(sizes) != len(kernel):
        return None
    reach = [(k - 1) * dilation + 1 for k, dilation in zip(kernel, dilations, strict=True)]
    axes = list(zip(sizes, strides, reach, strict=True))
    if node.op_type != "ConvTranspose":
        return [max((-(-size // step) - 1) * step + far - size, 0) for size, step, far in axes]
    more = values.attribute(node, "output_padding", (0,) * len(kernel))
    wanted = values.attribute(node, "output_shape", [size * step for size, step, _ in axes])
    if not len(more) == len(wanted) == len(kernel):
        return None
    return [
        max((size - 1) * step + extra + far - out, 0)
        for (size, step, far), extra, out in zip(axes, more, wanted, strict=True)
    ]


def _halves(totals: list[int], *, upper: bool) -> tuple[int, ...]:
    """Begins and ends; the odd one goes to the end (SAME_UPPER) or to the beginning."""
    begins = [total // 2 if upper else total - total // 2 for total in totals]
    return (*begins, *(total - begin for total, begin in zip(totals, begins, strict=True)))


def _keep_strategy(node: ir.Node, strategy: str) -> None:
    carried = origin.read(node)
    if strategy not in ("NOTSET", "") and carried.padding is None:
        origin.attach(node, msgspec.structs.replace(carried, padding=strategy))


def absorb_pad_nodes(model: ir.Model) -> None:
    """Fold a constant zero `Pad` into the convolution or pool that alone reads it.

    Into an AveragePool it counts the zeros (count_include_pad = 1); into a MaxPool only where
    the input cannot be negative, since there zero and "no element" give the same maximum.
    """
    for node in list(model.graph):
        if (
            values.is_operator(node, "Pad")
            and values.attribute(node, "mode", "constant") == "constant"
        ):
            _absorb(node)


def _absorb(pad: ir.Node) -> None:
    flat = amounts(pad)
    consumer = values.sole_consumer(pad.outputs[0])
    filled = values.operand(pad, 2)
    fill = values.scalar(filled) if filled is not None else values.attribute(pad, "value", 0.0)
    if flat is None or consumer is None or fill != 0.0:
        return
    rank = len(flat) // 2
    spatial = flat[2:rank] + flat[rank + 2 :]
    if rank < 3 or any(flat[:2] + flat[rank : rank + 2]) or min(spatial) < 0:
        return
    if consumer.inputs[0] is not pad.outputs[0] or not _may_absorb(consumer, pad.inputs[0]):
        return
    own = values.attribute(consumer, "pads", (0,) * len(spatial))
    if len(own) != len(spatial):
        return
    total = [a + b for a, b in zip(own, spatial, strict=True)]
    if not _sees_elements(consumer, total):
        return
    if values.is_operator(consumer, "AveragePool"):
        if any(own) and not values.attribute(consumer, "count_include_pad", 0):
            return
        consumer.attributes["count_include_pad"] = ir.AttrInt64("count_include_pad", 1)
    consumer.attributes["pads"] = ir.AttrInt64s("pads", total)
    consumer.replace_input_with(0, pad.inputs[0])
    origin.merge(consumer, consumer, pad)
    assert isinstance(pad.graph, ir.Graph)
    pad.graph.remove(pad, safe=True)


def _sees_elements(node: ir.Node, pads: list[int]) -> bool:
    """Whether no window of a pool lies among its pads alone, which ONNX does not have."""
    kernel = values.attribute(node, "kernel_shape") if node.op_type != "Conv" else None
    return kernel is None or all(
        pad < size for pad, size in zip(pads, (*kernel, *kernel), strict=True)
    )


def amounts(pad: ir.Node) -> list[int] | None:
    """Pads of every axis, begins before ends, however the opset has them; None if not constant."""
    operand = values.operand(pad, 1)
    if operand is None:
        given = values.attribute(pad, "pads", values.attribute(pad, "paddings"))
        return list(given) if given is not None else None
    array = values.constant(operand)
    if array is None:
        return None
    flat = [int(amount) for amount in array.reshape(-1)]
    named = values.operand(pad, 3)
    return flat if named is None else _spread(flat, values.constant(named), pad.inputs[0])


def _spread(flat: list[int], axes: Any, source: ir.Value | None) -> list[int] | None:
    """Pads of the named axes as pads of every axis."""
    rank = values.rank(source)
    if axes is None or not rank or axes.size * 2 != len(flat):
        return None
    spread = [0] * 2 * rank
    for index, axis in enumerate(axes.reshape(-1).tolist()):
        spread[axis % rank] = flat[index]
        spread[axis % rank + rank] = flat[index + axes.size]
    return spread


def _may_absorb(consumer: ir.Node, source: ir.Value | None) -> bool:
    if consumer.op_type != "Conv" and values.attribute(consumer, "ceil_mode", 0):
        return False  # a window may start among elements, but not among pads
    if values.is_operator(consumer, "Conv", "AveragePool"):
        return bool(values.attribute(consumer, "auto_pad", "NOTSET") == "NOTSET")
    return values.is_operator(consumer, "MaxPool") and _is_non_negative(source)


def _is_non_negative(value: ir.Value | None, depth: int = 8) -> bool:
    producer = value.producer() if value is not None else None
    if producer is None or depth == 0:
        return False
    if values.is_operator(producer, *_NON_NEGATIVE):
        return True
    if values.is_operator(producer, "Clip"):
        low = values.scalar(values.operand(producer, 1))
        return low is not None and low >= 0
    if values.is_operator(producer, *_KEEPS_SIGN):
        sources = producer.inputs if producer.op_type == "Concat" else producer.inputs[:1]
        return all(_is_non_negative(source, depth - 1) for source in sources)
    return False
