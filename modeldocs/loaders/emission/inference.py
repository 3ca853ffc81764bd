"""Shapes and element types of a node's outputs.

ONNX infers them, node by node. It takes about half a millisecond for each, as `onnxscript`'s
builder does, which calls the same function; so the operators that most networks consist of are
computed here, to the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnx
import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.ir.operators import OPSET
from modeldocs.loaders.dims import Dims, UnknownShapeError, are_known, joined, product
from modeldocs.loaders.emission.layouts import permuted

MAX_ELEMENTS = 1024
"""Constants up to this size are looked at: axes, sizes, pads."""

_KEEPING = frozenset(
    ("Abs", "BatchNormalization", "Ceil", "Clip", "Cos", "Dropout", "Elu", "Erf", "Exp", "Floor",
     "Gelu", "GroupNormalization", "HardSigmoid", "HardSwish", "Identity", "InstanceNormalization",
     "LRN", "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax",
     "MeanVarianceNormalization", "Mish", "Neg", "Not", "PRelu",
     "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softmax", "Softplus",
     "Softsign", "Sqrt", "Tan", "Tanh")
)  # fmt: skip
"""Operators whose only output is like their first input."""
_ARITHMETIC = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean"))
_COMPARISONS = frozenset(
    ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor")
)

Inferred = tuple[Dims | None, ir.DataType | None]


class ShapeMismatchError(Exception):
    """The inputs of a node do not fit each other, or its attributes."""


def maybe_shape(value: ir.Value) -> Dims | None:
    """A value's dimensions; None where not even its rank is known."""
    if value.shape is None:
        return None
    return tuple(dim if isinstance(dim, int) else dim.value for dim in value.shape)


def shape_of(value: ir.Value) -> Dims:
    """A value's dimensions.

    Raises:
        UnknownShapeError: not even its rank is known.
    """
    shape = maybe_shape(value)
    if shape is None:
        raise UnknownShapeError
    return shape


def has_known_shape(value: ir.Value) -> bool:
    """Whether all of a value's dimensions are numbers."""
    shape = maybe_shape(value)
    return shape is not None and are_known(shape)


def broadcast(first: Dims, second: Dims) -> Dims | None:
    """The shape of an elementwise result, None where the two do not fit."""
    rank = max(len(first), len(second))
    result: list[Dim] = []
    for a, b in zip(*((1,) * (rank - len(s)) + s for s in (first, second)), strict=True):
        if isinstance(a, int) and isinstance(b, int) and a != b and 1 not in (a, b):
            return None
        result.append(b if a == 1 or (b != 1 and not isinstance(a, int)) else a)
    return tuple(result)


def outputs(node: ir.Node) -> list[Inferred]:
    """Shape and type of each output of a node, as far as they are known.

    Raises:
        ShapeMismatchError: the node can compute nothing of its inputs.
    """
    first = node.inputs[0] if node.inputs else None
    count = len(node.outputs)
    if node.domain == "" and count == 1 and first is not None and first.shape is not None:
        rule = _RULES.get(node.op_type)
        result = rule(node, [value for value in node.inputs if value is not None]) if rule else None
        if result is not None:
            kind = ir.DataType.BOOL if node.op_type in _COMPARISONS else first.dtype
            return [(result, kind)]
    return _by_onnx(node)


def _kept(_: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    return maybe_shape(given[0])


def _combined(_: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    result: Dims | None = ()
    for value in given:
        shape = maybe_shape(value)
        if shape is None:
            return None
        assert result is not None
        both = broadcast(result, shape)
        if both is None:
            raise ShapeMismatchError
        result = both
    return result


def _transposed(node: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    shape = maybe_shape(given[0])
    assert shape is not None
    return permuted(shape, node.attributes["perm"].as_ints()) if "perm" in node.attributes else None


def _joined(node: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    shapes = [shape for shape in map(maybe_shape, given) if shape is not None]
    axis = node.attributes["axis"].as_int()
    if any(len(shape) != len(shapes[0]) for shape in shapes) or len(shapes) != len(given):
        return None
    axis %= len(shapes[0])
    if any(joined(_without(shapes[0], axis), _without(one, axis)) is None for one in shapes):
        raise ShapeMismatchError
    sizes = [shape[axis] for shape in shapes]
    known = [size for size in sizes if isinstance(size, int)]
    total = sum(known) if len(known) == len(sizes) else None
    return tuple(
        total if index == axis else next((d for d in dims if isinstance(d, int)), dims[0])
        for index, dims in enumerate(zip(*shapes, strict=True))
    )


def _without(shape: Dims, axis: int) -> Dims:
    return (*shape[:axis], *shape[axis + 1 :])


def _slid(node: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    """Conv and pools; rounding up and the symbolic are left to ONNX."""
    shape, settings = maybe_shape(given[0]), node.attributes
    assert shape is not None
    if "kernel_shape" not in settings or "ceil_mode" in settings or len(shape) < 3:
        return None
    kernel = settings["kernel_shape"].as_ints()
    ones = [1] * len(kernel)
    strides = settings["strides"].as_ints() if "strides" in settings else ones
    dilations = settings["dilations"].as_ints() if "dilations" in settings else ones
    pads = settings["pads"].as_ints() if "pads" in settings else [0, 0] * len(kernel)
    if settings.get("auto_pad") is not None or len(shape) != len(kernel) + 2 or min(strides) < 1:
        return None
    weight = maybe_shape(given[1]) if node.op_type == "Conv" else None
    result: list[Dim] = [shape[0], weight[0] if weight else shape[1]]
    for axis, size in enumerate(shape[2:]):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        room = pads[axis] + pads[axis + len(kernel)] - reach
        result.append((size + room) // strides[axis] + 1 if isinstance(size, int) else None)
    return tuple(result)


def _global(_: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    shape = maybe_shape(given[0])
    assert shape is not None
    return (*shape[:2], *[1] * (len(shape) - 2))


def _flattened(node: ir.Node, given: Sequence[ir.Value]) -> Dims | None:
    shape = maybe_shape(given[0])
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 1
    assert shape is not None
    return (product(shape[:axis]), product(shape[axis:]))


_RULES: dict[str, Callable[[ir.Node, Sequence[ir.Value]], Dims | None]] = {
    **dict.fromkeys(_KEEPING, _kept),
    **dict.fromkeys((*_ARITHMETIC, *_COMPARISONS), _combined),
    **dict.fromkeys(("Conv", "MaxPool", "AveragePool"), _slid),
    **dict.fromkeys(("GlobalMaxPool", "GlobalAveragePool"), _global),
    "Transpose": _transposed,
    "Concat": _joined,
    "Flatten": _flattened,
}


def _by_onnx(node: ir.Node) -> list[Inferred]:
    """As ONNX's own function of one node tells; its values get passing names for that."""
    try:
        schema = onnx.defs.get_schema(node.op_type, OPSET, node.domain)
    except onnx.defs.SchemaError:
        return [(None, None)] * len(node.outputs)
    inputs = [None if value is None else f"i{index}" for index, value in enumerate(node.inputs)]
    names = [f"o{index}" for index in range(len(node.outputs))]
    proto = onnx.NodeProto(op_type=node.op_type, domain=node.domain)
    proto.input.extend(name or "" for name in inputs)
    proto.output.extend(names)
    try:
        for attribute in node.attributes.values():
            ir.serde.serialize_attribute_into(proto.attribute.add(), attribute)
    except (ValueError, OverflowError):  # a number that ONNX has not, refused at the end
        return [(None, None)] * len(node.outputs)
    named = [
        (name, value) for name, value in zip(inputs, node.inputs, strict=True) if name and value
    ]
    try:
        result = onnx.shape_inference.infer_node_outputs(
            schema,
            proto,
            {name: _type(value) for name, value in named},
            {name: data for name, value in named if (data := _data(value)) is not None},
            opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        )
    except onnx.shape_inference.InferenceError as error:
        raise ShapeMismatchError from error
    except (onnx.checker.ValidationError, RuntimeError):
        result = {}
    return [_inferred(result.get(name)) for name in names]


def _type(value: ir.Value) -> Any:
    dtype = int(value.dtype) if value.dtype is not None else 0
    return onnx.helper.make_tensor_type_proto(dtype, maybe_shape(value))


def _data(value: ir.Value) -> Any:
    """The tensor of a small constant: parameters have no values here."""
    tensor = value.const_value
    if tensor is None or tensor.size > MAX_ELEMENTS or isinstance(tensor, ir.ExternalTensor):
        return None
    return ir.to_proto(tensor)


def _inferred(proto: Any) -> Inferred:
    if proto is None:
        return None, None
    tensor = proto.tensor_type
    dtype = ir.DataType(tensor.elem_type) if tensor.elem_type else None
    if not tensor.HasField("shape"):
        return None, dtype
    return tuple(_dim(dim) for dim in tensor.shape.dim), dtype


def _dim(proto: Any) -> Dim:
    return proto.dim_value if proto.HasField("dim_value") else proto.dim_param or None
