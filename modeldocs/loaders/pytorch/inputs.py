"""Inputs of a module: shapes and dtypes by name of the argument, and tensors of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.python_source import callables, declared_inputs

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
Tensors = dict[str, "torch.Tensor"]

_INTEGER_SUFFIXES = ("_ids", "attention_mask")
"""How the names of integer arguments of transformers' models end."""

_ANNOTATED_DTYPES = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool"}

_LAYOUTS = {
    "Conv1d": "1,{},LENGTH",
    "Conv2d": "1,{},HEIGHT,WIDTH",
    "Conv3d": "1,{},DEPTH,HEIGHT,WIDTH",
    "Linear": "1,{}",
    "Embedding": "1,LENGTH:int64",
}
"""The input's shape by class of the first layer with weights; `{}` is how many channels it reads.
"""


def requested(request: LoadRequest, module: torch.nn.Module, constant: Any) -> Inputs:
    """The inputs of the request, else those of the file's own constant `INPUTS`.

    `INPUTS` is a dict of shape by name of the argument, or of (shape, dtype). A dtype is that of
    the request, else of `INPUTS`, else of the annotations of the module's `forward`.

    Raises:
        ModeldocsError: `INPUTS` is something else, or there is no shape at all.
    """
    example, typed = "{'x': (1, 3, 224, 224)}", "{'ids': ((1, 128), 'int64')}"
    own = declared_inputs.inputs(request, constant, example, typed)
    shapes = dict(request.inputs) or own.shapes
    if not shapes:
        raise declared_inputs.missing(request, _command_options(module))
    known = _annotated_dtypes(module) | own.dtypes
    dtypes = {name: dtype for name, dtype in known.items() if name in shapes}
    return Inputs(shapes, dtypes | request.dtypes)


def _annotated_dtypes(module: torch.nn.Module) -> dict[str, str]:
    """Dtypes of arguments that are not float32, by the annotations of `forward`.

    Models of transformers are not annotated throughout: there the names of arguments count too.
    """
    by_name = any(base.__module__.startswith("transformers.") for base in type(module).__mro__)
    dtypes = {}
    for parameter in callables.parameters(module.forward):
        annotation = str(parameter.annotation)
        dtype = next((d for kind, d in _ANNOTATED_DTYPES.items() if kind in annotation), None)
        if dtype is None and by_name and parameter.name.endswith(_INTEGER_SUFFIXES):
            dtype = "int64"
        if dtype is not None:
            dtypes[parameter.name] = dtype
    return dtypes


def _command_options(module: torch.nn.Module) -> str:
    """Options of the command line for a module's inputs: `--input image=1,3,HEIGHT,WIDTH`."""
    parameters = callables.parameters(module.forward)
    needed = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]
    first, *others = needed or ["NAME"]
    shape = _likely_shape(module)
    return " ".join([f"--input {first}={shape}", *(f"--input {name}=SHAPE" for name in others)])


def _likely_shape(module: torch.nn.Module) -> str:
    """The shape that the first layer with weights reads, in the order of construction."""
    for layer in module.modules():
        if next(layer.children(), None) is not None:
            continue
        layout = _LAYOUTS.get(type(layer).__name__)
        if layout is not None:
            # A traced layer of an archive has its weight, and none of its settings.
            return layout.format(layer.weight.shape[1] * getattr(layer, "groups", 1))
        if next(layer.parameters(recurse=False), None) is not None:
            break
    return "SHAPE"


def tensors(inputs: Inputs) -> Tensors:
    """A tensor for each input: standard normal floats, always the same, zeros for other dtypes.

    Raises:
        ModeldocsError: a dtype is unknown, or a shape cannot be.
    """
    import torch

    examples = empty(inputs)
    generator = torch.Generator().manual_seed(0)
    try:
        return {
            name: torch.randn(example.shape, dtype=example.dtype, generator=generator)
            if example.is_floating_point()
            else torch.zeros(example.shape, dtype=example.dtype)
            for name, example in examples.items()
        }
    except (RuntimeError, MemoryError) as error:
        reason = first_line(error)
        raise ModeldocsError(f"its inputs {inputs.shapes} cannot be made: {reason}") from None


def empty(inputs: Inputs) -> Tensors:
    """Tensors of the shapes and dtypes on the meta device, which take no memory.

    Raises:
        ModeldocsError: a dtype is unknown, or a shape cannot be.
    """
    return {name: _empty(name, shape, inputs) for name, shape in inputs.shapes.items()}


def _empty(name: str, shape: Shape, inputs: Inputs) -> torch.Tensor:
    import torch

    dtype_name = inputs.dtypes.get(name, "float32")
    dtype = getattr(torch, dtype_name, None)
    if not isinstance(dtype, torch.dtype):
        raise ModeldocsError(f"input {name!r} has an unknown dtype {dtype_name!r}")
    if any(size < 0 for size in shape):
        raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
    try:
        return torch.empty(shape, dtype=dtype, device="meta")
    except (RuntimeError, TypeError, OverflowError) as error:
        reason = first_line(error)
        raise ModeldocsError(f"input {name!r} cannot have the shape {shape}: {reason}") from None


def by_argument(module: torch.nn.Module, given: Inputs) -> Inputs:
    """Inputs by the names of the module's arguments; a single input may have any other name."""
    if len(given.shapes) != 1:
        return given
    (name,) = given.shapes
    names = list(inspect.signature(module.forward).parameters)
    if name in names or not names:
        return given
    dtypes = {names[0]: given.dtypes[name]} if name in given.dtypes else {}
    return Inputs({names[0]: given.shapes[name]}, dtypes)


def arguments(tensors: Tensors) -> tuple[tuple[torch.Tensor, ...], Tensors]:
    """Positional and keyword arguments: a single input is passed by position."""
    if len(tensors) == 1:
        return tuple(tensors.values()), {}
    return (), tensors
