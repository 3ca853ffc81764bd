"""Names and shapes of a network's inputs, which a definition in Lua seldom gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import declared_inputs
from modeldocs.loaders.torch7.program import LuaModule, ModuleProgram
from modeldocs.loaders.torch7.sandbox import SandboxRun, Shapes

MAX_RANK = 8
_CROP = "imageCrop"
_LAYOUTS = {
    "TemporalConvolution": ("inputFrameSize", "1,FRAMES,{}"),
    "Linear": ("inputSize", "1,{}"),
    "LinearNoBias": ("inputSize", "1,{}"),
    "VolumetricConvolution": ("nInputPlane", "1,{},DEPTH,HEIGHT,WIDTH"),
}
"""By class of a module: the field with the size of its input, and the shape of that input."""


def choose(request: LoadRequest, run: SandboxRun) -> Shapes:
    """The shapes that the request gives, else the definition's `INPUTS`, else its size of crops.

    Raises:
        ModeldocsError: there are none, or one is impossible.
    """
    file = request.relative(Path(request.root, request.path or ""))
    shapes = [(name, tuple(shape)) for name, shape in request.inputs.items()]
    shapes = shapes or run.inputs or _cropped(run.program)
    if not shapes:
        raise declared_inputs.missing(request, f"--input {_suggested(run.program)}")
    for name, shape in shapes:
        if not 0 < len(shape) <= MAX_RANK or min(shape) < 1 or math.prod(shape) >= 2**31:
            raise ModeldocsError(
                f"the input {name!r} cannot have the shape {shape}",
                file=file,
                fix=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
            )
    if len(shapes) == 1:
        ((name, shape),) = shapes
        return [(name or "input", shape)]
    return [(name or f"input{index}", shape) for index, (name, shape) in enumerate(shapes, 1)]


def _cropped(program: ModuleProgram) -> Shapes:
    """Images of the size in the network's field `imageCrop`, as ImageNet's training sets it."""
    size = program.modules[0].fields.get(_CROP)
    first = _first(program)
    if not isinstance(size, int) or isinstance(size, bool) or first is None:
        return []
    planes = first.fields.get("nInputPlane")
    return [("image", (1, planes, size, size))] if isinstance(planes, int) else []


def _suggested(program: ModuleProgram) -> str:
    """An example of an input: the planes of the first module, and names for unknown sizes."""
    first = _first(program)
    if first is None:
        return "NAME=SHAPE"
    field, layout = _LAYOUTS.get(first.builtin, ("nInputPlane", "1,{},HEIGHT,WIDTH"))
    return f"image={layout.format(first.fields[field])}"


def _first(program: ModuleProgram) -> LuaModule | None:
    """The first module with a field for the size of its input.

    None where one before it changes the shape.
    """
    for module in _modules(program):
        field, _ = _LAYOUTS.get(module.builtin, ("nInputPlane", ""))
        if isinstance(module.fields.get(field), int):
            return module
        if module.builtin in ("View", "Reshape", "Transpose", "JoinTable", "SelectTable"):
            return None
    return None


def _modules(program: ModuleProgram) -> Iterator[LuaModule]:
    """All modules, each before those that it contains."""
    waiting, seen = [0], set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        module = program.modules[number]
        yield module
        children = list(module.children)
        if module.inputs:
            children += [n.module for n in program.nodes if n.module is not None and n.parents]
        waiting += reversed(children)
