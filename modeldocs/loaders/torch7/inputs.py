"""Shapes of a network's inputs: a definition in Lua seldom says them."""

from __future__ import annotations

import math
from pathlib import Path

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

MAX_RANK = 8
Shapes = list[tuple[str, tuple[int, ...]]]


def choose(request: LoadRequest, named: Shapes) -> Shapes:
    """The shapes of the request, else those of the file's own `INPUTS`; each with a name.

    Raises:
        ModeldocsError: there are none, or one is impossible.
    """
    file = request.relative(Path(request.root, request.path or ""))
    shapes = [(name, tuple(shape)) for name, shape in request.inputs.items()] or named
    if not shapes:
        raise ModeldocsError(
            "no input shape is given",
            file=file,
            mend="write `INPUTS = {image = {1, 3, 224, 224}}` in the file, `inputs:` in model.yml, "
            "or pass --input image=1,3,224,224",
        )
    for name, shape in shapes:
        if not 0 < len(shape) <= MAX_RANK or min(shape) < 1 or math.prod(shape) >= 2**31:
            raise ModeldocsError(
                f"the input {name!r} cannot have the shape {shape}",
                file=file,
                mend=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
            )
    alone = len(shapes) == 1
    return [
        (name or ("input" if alone else f"input{index}"), shape)
        for index, (name, shape) in enumerate(shapes, start=1)
    ]
