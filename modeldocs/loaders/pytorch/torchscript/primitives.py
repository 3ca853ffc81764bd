"""Single instructions of TorchScript: on numbers and lists in Python, on tensors in torch."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from modeldocs.loaders.pytorch.partial.calls import tensors


def _raise(message: Any, *_: Any) -> Any:
    raise RuntimeError(str(message))


def _dictionary(*args: Any) -> dict[Any, Any]:
    return dict(zip(args[::2], args[1::2], strict=True))


def _identity(value: Any, *_: Any) -> Any:
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
    "prim::NumToTensor": _identity,
    "prim::ImplicitTensorToNum": int,
    "prim::unchecked_cast": _identity,
    "prim::unchecked_unwrap_optional": _identity,
    "prim::Uninitialized": lambda *_: None,
    "prim::RaiseException": _raise,
    "prim::Print": lambda *_: None,
    "prim::dtype": lambda tensor: tensor.dtype,
    "prim::device": lambda tensor: tensor.device,
    "prim::layout": lambda tensor: tensor.layout,
    "prim::shape": lambda tensor: list(tensor.shape),
    "prim::is_cuda": lambda _: False,
    "prim::data": _identity,
    "prim::min": min,
    "prim::max": max,
    "prim::abs": abs,
}


def call_operator(schema: str, name: str, args: list[Any]) -> Any:
    """The result of the operator `name` of a schema: computed here, or by torch's own operator."""
    if name in _ON_ANY:
        return _ON_ANY[name](*args)
    if name in _ON_NUMBERS and (isinstance(args[0], list) or not _has_tensor(args)):
        return _ON_NUMBERS[name](*args)
    if name == "_convolution":
        return _convolution(*args)
    if name == "slice" and _is_whole_slice(*args):
        return args[0]
    return _call_aten(schema, name, args)


def _has_tensor(value: Any) -> bool:
    return bool(tensors(value))


def _is_whole_slice(x: Any, axis: int = 0, start: Any = 0, end: Any = None, step: int = 1) -> bool:
    """Whether a slice takes all of its axis."""
    return start in (0, None) and step == 1 and (end is None or end >= x.shape[axis])


def _call_aten(schema: str, name: str, args: list[Any]) -> Any:
    """Call torch's operator of a schema (`aten::flatten.using_ints(Tensor self, …) -> Tensor`)."""
    import torch

    _, _, overload = schema.partition("(")[0].partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    parameters = function._schema.arguments
    positional = [parameter for parameter in parameters if not parameter.kwarg_only]
    count = len(positional)
    keywords = {p.name: v for p, v in zip(parameters[count:], args[count:], strict=False)}
    return function(*args[:count], **keywords)


def _convolution(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, *others: Any) -> Any:
    """The internal operator of traced archives, as the public one of its number of axes."""
    import torch

    dilation, transposed, output_padding, groups, *_ = others
    axes = len(stride)
    if transposed:
        function = getattr(torch.ops.aten, f"conv_transpose{axes}d")
        return function(x, weight, bias, stride, padding, output_padding, groups, dilation)
    function = getattr(torch.ops.aten, f"conv{axes}d")
    return function(x, weight, bias, stride, padding, dilation, groups)


def _set_item(items: Any, key: Any, value: Any) -> None:
    items[key] = value


def _scalar(convert: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda value, *_: convert(value.item() if _has_tensor(value) else value)


_ON_ANY: dict[str, Callable[..., Any]] = {
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
    "ScalarImplicit": _scalar(_identity),
    "IntImplicit": _scalar(int),
    "FloatImplicit": _scalar(float),
    "warn": lambda *_: None,
    "_unwrap_optional": _identity,
    "list": list,
    "_set_item": _set_item,
    "keys": lambda mapping: list(mapping),
    "values": lambda mapping: list(mapping.values()),
    "items": lambda mapping: list(mapping.items()),
    "dict": lambda *pairs: dict(*pairs),
}
"""Operators that are computed here whatever their arguments are."""


_ON_NUMBERS: dict[str, Callable[..., Any]] = {
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
"""Operators computed here where no argument is a tensor, or the first is a list."""
