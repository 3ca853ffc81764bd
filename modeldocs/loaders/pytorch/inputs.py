"""What goes into a module: shapes and dtypes by name of the argument, and tensors made of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import Inputs, LoadRequest, declared
from modeldocs.loaders.pytorch import suggesting

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
_INTEGERS = ("_ids", "attention_mask")
_ANNOTATED = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool"}
Tensors = dict[str, "torch.Tensor"]


def wanted(request: LoadRequest, module: torch.nn.Module, constant: Any) -> Inputs:
    """What the request asks for, else what the file's own constant `INPUTS` declares.

    `INPUTS` is a dict of shape by name of the argument, or of (shape, dtype). A shape of the
    request leaves the file's dtype as it is; where neither tells one, the module's `forward` does.

    Raises:
        ModeldocsError: `INPUTS` is something else, or there is no shape at all.
    """
    example, typed = "{'x': (1, 3, 224, 224)}", "{'ids': ((1, 128), 'int64')}"
    own = declared.inputs(request, constant, example, typed)
    shapes = dict(request.inputs) or own.shapes
    if not shapes:
        raise declared.missing(request, suggesting.options(module))
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
