"""Shapes of a network's inputs: a definition in Lua seldom says them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, declared
from modeldocs.loaders.torch7.recording import Module, Recording
from modeldocs.loaders.torch7.sandbox import Ran, Shapes

MAX_RANK = 8
_CROP = "imageCrop"
_LAYOUTS = {
    "TemporalConvolution": ("inputFrameSize", "1,FRAMES,{}"),
    "Linear": ("inputSize", "1,{}"),
    "LinearNoBias": ("inputSize", "1,{}"),
    "VolumetricConvolution": ("nInputPlane", "1,{},DEPTH,HEIGHT,WIDTH"),
}
"""By class of the first module with a size of its own: the field that has it, and what it reads."""


def choose(request: LoadRequest, ran: Ran) -> Shapes:
    """The shapes of the request, else of the file's own `INPUTS`, else of the crop that it names.

    Raises:
        ModeldocsError: there are none, or one is impossible.
    """
    file = request.relative(Path(request.root, request.path or ""))
    shapes = [(name, tuple(shape)) for name, shape in request.inputs.items()]
    shapes = shapes or ran.inputs or _cropped(ran.recording)
    if not shapes:
        raise declared.missing(request, f"--input {_suggested(ran.recording)}")
    for name, shape in shapes:
        if not 0 < len(shape) <= MAX_RANK or min(shape) < 1 or math.prod(shape) >= 2**31:
            raise ModeldocsError(
                f"the input {name!r} cannot have the shape {shape}",
                file=file,
                fix=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
            )
    alone = len(shapes) == 1
    return [
        (name or ("input" if alone else f"input{index}"), shape)
        for index, (name, shape) in enumerate(shapes, start=1)
    ]


def _cropped(recording: Recording) -> Shapes:
    """Images of the size that the network itself names, by a field of ImageNet trainings."""
    size = recording.modules[0].fields.get(_CROP)
    first = _first(recording)
    if not isinstance(size, int) or isinstance(size, bool) or first is None:
        return []
    planes = first.fields.get("nInputPlane")
    return [("image", (1, planes, size, size))] if isinstance(planes, int) else []


def _suggested(recording: Recording) -> str:
    """What to write: the planes of the first module, and names for what is not known."""
    first = _first(recording)
    if first is None:
        return "NAME=SHAPE"
    field, layout = _LAYOUTS.get(first.builtin, ("nInputPlane", "1,{},HEIGHT,WIDTH"))
    return f"image={layout.format(first.fields[field])}"


def _first(recording: Recording) -> Module | None:
    """The first module that says the size of what it reads; None where others come before it."""
    for module in _modules(recording):
        field, _ = _LAYOUTS.get(module.builtin, ("nInputPlane", ""))
        if isinstance(module.fields.get(field), int):
            return module
        if module.builtin in ("View", "Reshape", "Transpose", "JoinTable", "SelectTable"):
            return None
    return None


def _modules(recording: Recording) -> Iterator[Module]:
    """All modules, the first first, in the order of their containers and graphs."""
    waiting, seen = [0], set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        module = recording.modules[number]
        yield module
        children = list(module.children)
        if module.inputs:
            children += [n.module for n in recording.nodes if n.module is not None and n.parents]
        waiting += reversed(children)
