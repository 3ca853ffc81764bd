"""What single instructions of TorchScript do: numbers and lists here, tensors in torch."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

_CONVOLUTIONS = {1: ("conv1d", "conv_transpose1d"), 2: ("conv2d", "conv_transpose2d"),
                 3: ("conv3d", "conv_transpose3d")}  # fmt: skip


def _raise(message: Any, *_: Any) -> Any:
    raise RuntimeError(str(message))


def _dictionary(*args: Any) -> dict[Any, Any]:
    return dict(zip(args[::2], args[1::2], strict=True))


def _same(value: Any, *_: Any) -> Any:
    return value


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "prim::ListConstruct": lambda *items: list(items),
    "prim::TupleConstruct": lambda *items: tuple(items),
    "prim::DictConstruct": _dictionary,
    "prim::CreateObject": lambda *_: _raise("it makes an object of a class of its own"),
    "prim::ListUnpack": lambda items: items[0] if len(items) == 1 else items,
    "prim::TupleUnpack": lambda items: items[0] if len(items) == 1 else items,
    "prim::TupleIndex": operator.getitem,
    "prim::TupleSlice": lambda items, start, end: items[start:end],
    "prim::NumToTensor": _same,
    "prim::ImplicitTensorToNum": int,
    "prim::unchecked_cast": _same,
    "prim::unchecked_unwrap_optional": _same,
    "prim::Uninitialized": lambda *_: None,
    "prim::RaiseException": _raise,
    "prim::Print": lambda *_: None,
    "prim::dtype": lambda tensor: tensor.dtype,
    "prim::device": lambda tensor: tensor.device,
    "prim::layout": lambda tensor: tensor.layout,
    "prim::shape": lambda tensor: list(tensor.shape),
    "prim::is_cuda": lambda _: False,
    "prim::data": _same,
    "prim::min": min,
    "prim::max": max,
    "prim::abs": abs,
}


def operate(schema: str, name: str, args: list[Any]) -> Any:
    """What the operator `name` of a schema gives: numbers and lists, or tensors by torch's own."""
    if name in _ALWAYS:
        return _ALWAYS[name](*args)
    if name in _OF_NUMBERS and (isinstance(args[0], list) or not _has_tensor(args)):
        return _OF_NUMBERS[name](*args)
    if name == "_convolution":
        return _convolution(*args)
    if name == "slice" and _is_whole(*args):
        return args[0]
    return _called(schema, name, args)


def _has_tensor(value: Any) -> bool:
    import torch

    if isinstance(value, list | tuple):
        return any(_has_tensor(item) for item in value)
    return isinstance(value, torch.Tensor)


def _is_whole(x: Any, axis: int = 0, start: Any = 0, end: Any = None, step: int = 1) -> bool:
    """Whether a slice leaves its axis as it is."""
    return start in (0, None) and step == 1 and (end is None or end >= x.shape[axis])


def _called(schema: str, name: str, args: list[Any]) -> Any:
    """Call torch's operator of a schema (`aten::flatten.using_ints(Tensor self, …) -> Tensor`)."""
    import torch

    _, _, overload = schema.partition("(")[0].partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    wanted = function._schema.arguments
    split = next((i for i, argument in enumerate(wanted) if argument.kwarg_only), len(wanted))
    settings = {a.name: v for a, v in zip(wanted[split:], args[split:], strict=False)}
    return function(*args[:split], **settings)


def _convolution(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: Any,
    output_padding: Any, groups: Any, *_: Any,
) -> Any:  # fmt: skip
    """What a traced archive holds of a convolution, as the operator that was called."""
    import torch

    forward, backward = _CONVOLUTIONS[len(stride)]
    if transposed:
        function = getattr(torch.ops.aten, backward)
        return function(x, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(torch.ops.aten, forward)(x, weight, bias, stride, padding, dilation, groups)


def _put(items: Any, key: Any, value: Any) -> None:
    items[key] = value


def _scalar(make: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda value, *_: make(value.item() if _has_tensor(value) else value)


_ALWAYS: dict[str, Callable[..., Any]] = {
    "size": lambda tensor, *axis: tensor.shape[axis[0]] if axis else list(tensor.shape),
    "dim": lambda tensor: tensor.ndim,
    "numel": lambda tensor: tensor.numel(),
    "is_floating_point": lambda tensor: tensor.is_floating_point(),
    "len": len,
    "__getitem__": operator.getitem,
    "__contains__": operator.contains,
    "append": lambda items, item: items.append(item) or items,
    "__is__": operator.is_,
    "__isnot__": operator.is_not,
    "Int": _scalar(int),
    "Float": _scalar(float),
    "Bool": _scalar(bool),
    "ScalarImplicit": _scalar(_same),
    "IntImplicit": _scalar(int),
    "FloatImplicit": _scalar(float),
    "warn": lambda *_: None,
    "_unwrap_optional": _same,
    "list": list,
    "_set_item": _put,
    "keys": lambda held: list(held),
    "values": lambda held: list(held.values()),
    "items": lambda held: list(held.items()),
    "dict": lambda *pairs: dict(*pairs),
}
"""Instructions that are computed here whatever their arguments are."""


_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, *_: a + b,
    "sub": lambda a, b, *_: a - b,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
    "neg": operator.neg,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "__and__": lambda a, b: a & b,
    "__or__": lambda a, b: a | b,
    "__not__": operator.not_,
    "sqrt": math.sqrt,
    "log": math.log,
    "ceil": math.ceil,
    "floor": math.floor,
    "format": lambda text, *values: str(text).format(*values),
    "str": str,
    "slice": lambda items, start, end, step: items[start:end:step],
    "__range_length": lambda start, end, step: len(range(start, end, step)),
    "__derive_index": lambda index, start, step: start + index * step,
}
"""Those computed here where no argument is a tensor, or the first a list."""
