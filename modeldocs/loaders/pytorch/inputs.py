"""What goes into a module: shapes and dtypes by name of the argument, and tensors made of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import msgspec

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.pytorch import suggesting

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
_INTEGERS = ("_ids", "attention_mask")
_ANNOTATED = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool"}
Tensors = dict[str, "torch.Tensor"]


def wanted(request: LoadRequest, module: torch.nn.Module, declared: Any) -> Inputs:
    """What the request asks for, else what the file's own constant `INPUTS` declares.

    `INPUTS` is a dict of shape by name of the argument, or of (shape, dtype). A shape of the
    request leaves the file's dtype as it is; where neither tells one, the module's `forward` does.

    Raises:
        ModeldocsError: `INPUTS` is something else, or there is no shape at all.
    """
    own = _declared(request, declared)
    shapes = dict(request.inputs) or own.shapes
    if not shapes:
        raise ModeldocsError(
            "no input shape is given",
            file=request.source,
            mend=f"pass {suggesting.options(module)}, or write it as `INPUTS` in the file or as "
            "`inputs:` in model.yml",
        )
    told = _annotated(module) | own.dtypes
    dtypes = {name: dtype for name, dtype in told.items() if name in shapes}
    return Inputs(shapes, dtypes | request.dtypes)


def _annotated(module: torch.nn.Module) -> dict[str, str]:
    """Types of arguments that are no float32, as `forward` tells them.

    It does by annotations; transformers' models, which are not all annotated, by their names.
    """
    try:
        parameters = inspect.signature(module.forward).parameters
    except (TypeError, ValueError):
        return {}
    named = any(one.__module__.startswith("transformers.") for one in type(module).__mro__)
    made = {}
    for name, parameter in parameters.items():
        text = str(parameter.annotation)
        told = next((dtype for kind, dtype in _ANNOTATED.items() if kind in text), None)
        if told is None and named and name.endswith(_INTEGERS):
            told = "int64"
        if told is not None:
            made[name] = told
    return made


def _declared(request: LoadRequest, declared: Any) -> Inputs:
    try:
        read = msgspec.convert(declared, dict[str, tuple[Any, ...]])
        typed = {name: value for name, value in read.items() if _is_typed(value)}
        shapes = {name: value[0] if name in typed else value for name, value in read.items()}
        return Inputs(
            msgspec.convert(shapes, dict[str, Shape]), {n: v[1] for n, v in typed.items()}
        )
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"its INPUTS is no shape by name of the argument: {error}",
            file=request.source,
            mend="write it as `INPUTS = {'x': (1, 3, 224, 224)}`, or with a dtype as "
            "`INPUTS = {'ids': ((1, 128), 'int64')}`",
        ) from None


def _is_typed(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], tuple | list) and isinstance(value[1], str)


def tensors(inputs: Inputs) -> Tensors:
    """A tensor of each input: normal floats, zeros for integers.

    Raises:
        ModeldocsError: a dtype is unknown, or a shape cannot be.
    """
    import torch

    made = empty(inputs)
    try:
        return {
            name: torch.randn(like.shape, dtype=like.dtype)
            if like.is_floating_point()
            else torch.zeros(like.shape, dtype=like.dtype)
            for name, like in made.items()
        }
    except (RuntimeError, MemoryError) as error:
        said = first_line(error)
        raise ModeldocsError(f"its inputs {inputs.shapes} cannot be made: {said}") from None


def empty(inputs: Inputs) -> Tensors:
    """Tensors of the shapes and dtypes, without memory for them.

    Raises:
        ModeldocsError: a dtype is unknown, or a shape cannot be.
    """
    return {name: _empty(name, shape, inputs) for name, shape in inputs.shapes.items()}


def _empty(name: str, shape: Shape, inputs: Inputs) -> torch.Tensor:
    import torch

    told = inputs.dtypes.get(name, "float32")
    dtype = getattr(torch, told, None)
    if not isinstance(dtype, torch.dtype):
        raise ModeldocsError(f"input {name!r} has an unknown dtype {told!r}")
    if any(size < 0 for size in shape):
        raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
    try:
        return torch.empty(shape, dtype=dtype, device="meta")
    except (RuntimeError, TypeError, OverflowError) as error:
        said = first_line(error)
        raise ModeldocsError(f"input {name!r} cannot have the shape {shape}: {said}") from None


def by_name(module: torch.nn.Module, given: Inputs) -> Inputs:
    """Inputs by names that the module has for them: one given by position has its argument's."""
    if len(given.shapes) != 1:
        return given
    (name,) = given.shapes
    parameters = list(inspect.signature(module.forward).parameters)
    if name in parameters or not parameters:
        return given
    dtypes = {parameters[0]: given.dtypes[name]} if name in given.dtypes else {}
    return Inputs({parameters[0]: given.shapes[name]}, dtypes)


def arguments(made: Tensors) -> tuple[tuple[torch.Tensor, ...], Tensors]:
    """Positional and keyword arguments: a single input goes by position."""
    if len(made) == 1:
        return tuple(made.values()), {}
    return (), made
