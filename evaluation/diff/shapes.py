"""Shapes of a layer's outputs and parameters, from what it reads and its attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy

from modeldocs.ir import Layer, Parameter, TensorType
from modeldocs.normal import cost

from .plumbing import Misfit, Shape, sizes

POINTWISE = frozenset(
    "Relu LeakyRelu Elu Sigmoid HardSwish Swish Tanh Gelu Clip Erf Sqrt Softplus Softmax "  # noqa: SIM905
    "LogSoftmax Dropout Identity LRN LpNormalization".split()
)
"""Operators of one input whose output has its shape."""

_JOINING = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum"))
_Made = tuple[list[Shape], dict[str, Shape]]


def inferred(layer: Layer) -> Layer:
    """The layer with the outputs, parameters and costs that its operands and attributes give.

    Raises:
        Misfit: it cannot read those operands, or its operator is not one of those known here.
    """
    rule = _RULES.get(layer.operator)
    if layer.operator in POINTWISE:
        rule = _same
    elif layer.operator in _JOINING:
        rule = _joined
    if rule is None:
        raise Misfit(f"no rule for {layer.operator}")
    outputs, held = rule(layer)
    if not all(dim > 0 for shape in outputs for dim in shape):
        raise Misfit(f"nothing is left after {layer.id}")
    parameters = tuple(
        msgspec.structs.replace(one, shape=held.get(one.role, one.shape))
        for one in layer.parameters
    )
    dtype = layer.outputs[0].dtype
    types = tuple(TensorType(shape=shape, dtype=dtype) for shape in outputs)
    return msgspec.structs.replace(
        layer,
        outputs=types,
        parameters=parameters,
        macs=cost.macs(layer.operator, layer.attributes, layer.inputs, parameters, types),
        activation_bytes=cost.activation_bytes(types),
    )


def read(layer: Layer, slot: int = 0) -> Shape:
    """Shape of the operand in a slot, as the layer sees it."""
    for operand in layer.inputs:
        if operand.slot == slot:
            return sizes(operand.type)
    raise Misfit(f"{layer.id} reads nothing in slot {slot}")


def held(layer: Layer, role: str = "weight") -> Parameter | None:
    """The parameter of a role."""
    return next((one for one in layer.parameters if one.role == role), None)


def window(layer: Layer, name: str, default: int) -> list[int]:
    """An attribute of a sliding window, one value an axis (two for pads)."""
    rank = len(read(layer)) - 2
    count = 2 * rank if name == "pads" else rank
    found = [int(value) for value in layer.attributes.get(name) or [default] * count]
    if len(found) != count:
        raise Misfit(f"{name} of {layer.id} are for another number of axes")
    return found


def _same(layer: Layer) -> _Made:
    return [read(layer)], {}


def _joined(layer: Layer) -> _Made:
    shapes = [sizes(operand.type) for operand in layer.inputs]
    shapes += [one.shape for one in layer.parameters]
    try:
        return [tuple(numpy.broadcast_shapes(*shapes))], {}
    except ValueError as error:
        raise Misfit(str(error)) from error


def _channels_normed(layer: Layer) -> _Made:
    shape = read(layer)
    return [shape], dict.fromkeys(("scale", "bias", "mean", "var"), (shape[1],))


def _last_normed(layer: Layer) -> _Made:
    shape = read(layer)
    if layer.attributes.get("axis", -1) not in (-1, len(shape) - 1):
        raise Misfit("a norm over several axes")
    return [shape], dict.fromkeys(("scale", "bias"), shape[-1:])


def _convolved(layer: Layer) -> _Made:
    batch, channels, *plane = read(layer)
    weight, group = _weight(layer), int(layer.attributes.get("group", 1))
    if channels % group or weight[0] % group:
        raise Misfit(f"{channels} channels in {group} groups")
    size = _slid(layer, plane)
    return [(batch, weight[0], *size)], {"weight": (weight[0], channels // group, *weight[2:])}


def _unconvolved(layer: Layer) -> _Made:
    batch, channels, *plane = read(layer)
    weight, rank = _weight(layer), len(plane)
    pads, extra = window(layer, "pads", 0), window(layer, "output_padding", 0)
    strides, kernel = window(layer, "strides", 1), window(layer, "kernel_shape", 1)
    size = [
        (plane[i] - 1) * strides[i] - pads[i] - pads[i + rank] + kernel[i] + extra[i]
        for i in range(rank)
    ]
    group = int(layer.attributes.get("group", 1))
    return [(batch, weight[1] * group, *size)], {"weight": (channels, *weight[1:])}


def _pooled(layer: Layer) -> _Made:
    batch, channels, *plane = read(layer)
    return [(batch, channels, *_slid(layer, plane))], {}


def _slid(layer: Layer, plane: list[int]) -> list[int]:
    pads, strides = window(layer, "pads", 0), window(layer, "strides", 1)
    kernel, dilations = window(layer, "kernel_shape", 1), window(layer, "dilations", 1)
    rank, found = len(plane), []
    for i, size in enumerate(plane):
        reach = (kernel[i] - 1) * dilations[i] + 1
        span = size + pads[i] + pads[i + rank] - reach
        if span < 0:
            raise Misfit(f"the window of {layer.id} does not fit")
        count = span // strides[i] + 1
        if layer.attributes.get("ceil_mode") and span % strides[i]:
            count += count * strides[i] < size + pads[i]
        found.append(count)
    return found


def _whole(layer: Layer) -> _Made:
    shape = read(layer)
    return [(*shape[:2], *(1 for _ in shape[2:]))], {}


def _weight(layer: Layer) -> Shape:
    weight = held(layer)
    if weight is None:
        raise Misfit(f"{layer.id} has no weight")
    return weight.shape


def _dense(layer: Layer) -> _Made:
    shape, out = read(layer), _weight(layer)[0]
    return [(*shape[:-1], out)], {"weight": (out, shape[-1])}


def _product(layer: Layer) -> _Made:
    shape, weight = read(layer), held(layer)
    if weight is not None:
        return [(*shape[:-1], weight.shape[-1])], {"weight": (shape[-1], weight.shape[-1])}
    other = read(layer, 1)
    if shape[-1] != other[-2]:
        raise Misfit(f"{shape} by {other}")
    return [(*shape[:-1], other[-1])], {}


def _attended(layer: Layer) -> _Made:
    query, key, value = (read(layer, slot) for slot in range(3))
    if query[-1] != key[-1] or key[:-1] != value[:-1] or query[:2] != key[:2]:
        raise Misfit(f"{query} attends {key}")
    return [(*query[:-1], value[-1])], {}


def _joined_end_to_end(layer: Layer) -> _Made:
    shapes = [sizes(operand.type) for operand in layer.inputs]
    shapes += [one.shape for one in layer.parameters]
    axis = _axis(layer.attributes.get("axis", 1), shapes[0])
    if len({shape[:axis] + shape[axis + 1 :] for shape in shapes}) > 1:
        raise Misfit(f"{layer.id} joins {shapes}")
    total = sum(shape[axis] for shape in shapes)
    return [(*shapes[0][:axis], total, *shapes[0][axis + 1 :])], {}


def _parted(layer: Layer) -> _Made:
    shape = read(layer)
    axis, count = _axis(layer.attributes.get("axis", 0), shape), len(layer.outputs)
    if shape[axis] % count or layer.attributes.get("split"):
        raise Misfit(f"{shape[axis]} in {count} parts")
    return [(*shape[:axis], shape[axis] // count, *shape[axis + 1 :])] * count, {}


def _cut(layer: Layer) -> _Made:
    shape = list(read(layer))
    starts, ends, axes = (_numbers(layer, name) for name in ("starts", "ends", "axes"))
    steps = _numbers(layer, "steps") or [1] * len(axes)
    for axis, *cut in zip(axes, starts, ends, steps, strict=True):
        shape[axis] = len(range(*slice(*cut).indices(shape[axis])))
    return [tuple(shape)], {}


def _numbers(layer: Layer, name: str) -> list[int]:
    """An attribute of whole numbers, of which a single one is told bare."""
    told = layer.attributes.get(name, [])
    found = told if isinstance(told, list) else [told]
    if not all(isinstance(one, int) for one in found):
        raise Misfit(f"{name} of {layer.id} are not known")
    return found


def _gathered(layer: Layer) -> _Made:
    weight, indices = held(layer), layer.attributes.get("indices")
    if weight is not None and layer.inputs:
        return [(*read(layer, 1), *weight.shape[1:])], {}
    if weight is None and isinstance(indices, int):
        shape = read(layer)
        axis = _axis(layer.attributes.get("axis", 0), shape)
        return [shape[:axis] + shape[axis + 1 :]], {}
    return [sizes(output) for output in layer.outputs], {}


def _axis(axis: Any, shape: Shape) -> int:
    return int(axis) % len(shape)


_RULES: dict[str, Callable[[Layer], _Made]] = {
    "BatchNormalization": _channels_normed,
    "LayerNormalization": _last_normed,
    "RMSNormalization": _last_normed,
    "Conv": _convolved,
    "ConvTranspose": _unconvolved,
    "MaxPool": _pooled,
    "AveragePool": _pooled,
    "GlobalAveragePool": _whole,
    "GlobalMaxPool": _whole,
    "Gemm": _dense,
    "MatMul": _product,
    "Attention": _attended,
    "Concat": _joined_end_to_end,
    "Split": _parted,
    "Slice": _cut,
    "Gather": _gathered,
}
