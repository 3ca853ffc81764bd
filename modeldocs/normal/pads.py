"""Explicit pads: padding strategies are resolved by shapes, and `Pad` nodes are absorbed.

Pads are in ONNX's order, all starts before all ends: top, left, bottom, right.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import operators, origin
from modeldocs.normal import values

_WINDOWED = operators.named(windowed=True)
_NON_NEGATIVE = operators.named(non_negative=True)
_KEEPS_SIGN = operators.named(keeps_sign=True)


def make_explicit(model: ir.Model) -> None:
    """Set kernel_shape, strides, dilations and pads of every windowed operator.

    `auto_pad` is resolved by SAME's formula: output = ceil(input / stride), total padding
    = (output - 1) * stride + (kernel - 1) * dilation + 1 - input, at least 0, the odd element at
    the end (SAME_UPPER) or at the start (SAME_LOWER). A transposed convolution removes what a
    convolution would add. Where the input size is unknown, `auto_pad` stays.
    """
    for node in model.graph:
        if values.is_operator(node, *_WINDOWED):
            _set_window(node)


def _set_window(node: ir.Node) -> None:
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
    is_same = strategy in ("SAME_UPPER", "SAME_LOWER")
    pads: tuple[int, ...] | None = tuple(values.attribute(node, "pads", (0,) * 2 * len(kernel)))
    if is_same or values.attribute(node, "output_shape") is not None:
        totals = _total_pads(node, kernel, strides, dilations)
        pads = _split(totals, upper=strategy == "SAME_UPPER") if totals is not None else None
    _record_strategy(node, strategy)
    if pads is not None:
        node.attributes["pads"] = ir.AttrInt64s("pads", pads)
        node.attributes.pop("auto_pad", None)


def _kernel(node: ir.Node) -> tuple[int, ...] | None:
    declared = values.attribute(node, "kernel_shape")
    if declared is not None:
        return tuple(declared)
    weight = values.shape(values.operand(node, operators.weighted_slot(node.op_type) or 1))
    return weight[2:] if weight is not None else None


def _total_pads(node: ir.Node, kernel: Any, strides: Any, dilations: Any) -> list[int] | None:
    """Total padding of each spatial axis; None where a size is not known."""
    dims = node.inputs[0].shape if node.inputs[0] is not None else None
    sizes = [size for size in dims[2:] if isinstance(size, int)] if dims is not None else []
    if len(sizes) != len(kernel):
        return None
    extents = [(k - 1) * dilation + 1 for k, dilation in zip(kernel, dilations, strict=True)]
    axes = list(zip(sizes, strides, extents, strict=True))
    if node.op_type != "ConvTranspose":
        return [
            max((-(-size // stride) - 1) * stride + extent - size, 0)
            for size, stride, extent in axes
        ]
    output_padding = values.attribute(node, "output_padding", (0,) * len(kernel))
    default = [size * stride for size, stride, _ in axes]
    outputs = values.attribute(node, "output_shape", default)
    if not len(output_padding) == len(outputs) == len(kernel):
        return None
    return [
        max((size - 1) * stride + extra + extent - output, 0)
        for (size, stride, extent), extra, output in zip(axes, output_padding, outputs, strict=True)
    ]


def _split(totals: list[int], *, upper: bool) -> tuple[int, ...]:
    """Starts and ends; an odd element goes to the end (SAME_UPPER) or to the start."""
    starts = [total // 2 if upper else total - total // 2 for total in totals]
    return (*starts, *(total - start for total, start in zip(totals, starts, strict=True)))


def _record_strategy(node: ir.Node, strategy: str) -> None:
    """Record a strategy in the node's provenance, unless that has one."""
    provenance = origin.read(node)
    if strategy not in ("NOTSET", "") and provenance.padding is None:
        origin.attach(node, msgspec.structs.replace(provenance, padding=strategy))


def absorb_pad_nodes(model: ir.Model) -> None:
    """Absorb a constant `Pad` into the convolution or pooling that alone reads it.

    It is one of zeros, which an AveragePool then counts (count_include_pad = 1). A MaxPool absorbs
    those only where its input cannot be negative: there zeros do not change the maximum; a pad of
    minus infinity never does.
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
    operand = values.operand(pad, 2)
    fill = values.scalar(operand) if operand is not None else values.attribute(pad, "value", 0.0)
    if flat is None or consumer is None or fill is None:
        return
    rank = len(flat) // 2
    spatial = flat[2:rank] + flat[rank + 2 :]
    if rank < 3 or any(flat[:2] + flat[rank : rank + 2]) or min(spatial) < 0:
        return
    if consumer.inputs[0] is not pad.outputs[0] or not _may_absorb(consumer, pad.inputs[0], fill):
        return
    own = values.attribute(consumer, "pads", (0,) * len(spatial))
    if len(own) != len(spatial):
        return
    total = [a + b for a, b in zip(own, spatial, strict=True)]
    if not _has_elements(consumer, total):
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


def _has_elements(node: ir.Node, pads: list[int]) -> bool:
    """Whether each window of a pooling has elements besides pads, as ONNX requires."""
    kernel = values.attribute(node, "kernel_shape") if node.op_type != "Conv" else None
    return kernel is None or all(
        pad < size for pad, size in zip(pads, (*kernel, *kernel), strict=True)
    )


def amounts(pad: ir.Node) -> list[int] | None:
    """Pads of every axis, starts before ends; None where they are not constant."""
    array = values.constant(values.operand(pad, 1))
    if array is None:
        return None
    flat = [int(amount) for amount in array.reshape(-1)]
    axes = values.operand(pad, 3)
    return flat if axes is None else _for_all_axes(flat, values.constant(axes), pad.inputs[0])


def _for_all_axes(flat: list[int], axes: Any, source: ir.Value | None) -> list[int] | None:
    """Pads of the named axes as pads of every axis."""
    rank = values.rank(source)
    if axes is None or not rank or axes.size * 2 != len(flat):
        return None
    pads = [0] * 2 * rank
    for index, axis in enumerate(axes.reshape(-1).tolist()):
        pads[axis % rank] = flat[index]
        pads[axis % rank + rank] = flat[index + axes.size]
    return pads


def _may_absorb(consumer: ir.Node, source: ir.Value | None, fill: float) -> bool:
    if consumer.op_type != "Conv" and values.attribute(consumer, "ceil_mode", 0):
        return False  # windows may start within elements, but not within pads
    if values.is_operator(consumer, "Conv", "AveragePool"):
        is_explicit = bool(values.attribute(consumer, "auto_pad", "NOTSET") == "NOTSET")
        return fill == 0 and is_explicit
    if not values.is_operator(consumer, "MaxPool") or len(consumer.outputs) > 1:
        return False  # indices count the pads of a node, and not those of a pooling
    return fill == -math.inf or (fill == 0 and _is_non_negative(source))


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
