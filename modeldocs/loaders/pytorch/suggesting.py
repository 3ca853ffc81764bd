"""What to write of a module's inputs: names of its arguments, and what its first layers tell."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_LAYOUTS = {
    "Conv1d": ("in_channels", "1,{},LENGTH"),
    "Conv2d": ("in_channels", "1,{},HEIGHT,WIDTH"),
    "Conv3d": ("in_channels", "1,{},DEPTH,HEIGHT,WIDTH"),
    "Linear": ("in_features", "1,{}"),
    "Embedding": ("num_embeddings", "1,LENGTH:int64"),
}
"""By the kind of the first layer with weights: the field that tells a size, and the shape."""


def options(module: torch.nn.Module) -> str:
    """Options of the command line for a module's inputs: `--input image=1,3,HEIGHT,WIDTH`."""
    first, *more = _arguments(module) or ["NAME"]
    return " ".join([f"--input {first}={_shape(module)}", *(f"--input {n}=SHAPE" for n in more)])


def _arguments(module: torch.nn.Module) -> list[str]:
    """The names of what a module must be called with."""
    try:
        held = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in held if one.kind in plain and one.default is one.empty]


def _shape(module: torch.nn.Module) -> str:
    for layer in _layers(module):
        field, layout = _LAYOUTS.get(type(layer).__name__, ("", ""))
        if field:
            return layout.format(getattr(layer, field))
        if next(layer.parameters(recurse=False), None) is not None:
            break
    return "SHAPE"


def _layers(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The modules that hold no others, in the order in which they were made."""
    return (one for one in module.modules() if next(one.children(), None) is None)
