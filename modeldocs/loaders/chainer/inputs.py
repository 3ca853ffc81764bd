"""Inputs of a Chainer link: their shapes, and sample arrays of these shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, samples
from modeldocs.loaders.chainer import invocation
from modeldocs.loaders.chainer.program import Array
from modeldocs.loaders.chainer.source import ChainerPort
from modeldocs.loaders.python_source import callables, declared_inputs

MAX_ELEMENTS = 2**27

_WORDS = 2
"""Sample integers are below this: the smallest vocabulary and the fewest classes that there are."""


def shapes(request: LoadRequest, port: ChainerPort) -> dict[str, tuple[int, ...]]:
    """Shapes by name of the input.

    They are the request's, else those in the file's constant `INPUTS`, else that of an image of
    the size `insize`, which the links of Chainer's ImageNet example have.

    Raises:
        ModeldocsError: no shape is given.
    """
    example = "{'x': (1, 3, 224, 224)}"
    input_shapes = dict(request.inputs) or declared_inputs.shapes(
        request, port.declared_inputs, example
    )
    size = getattr(port.link, "insize", None)
    if not input_shapes and isinstance(size, int):
        input_shapes = {_first_name(port.link): (1, 3, size, size)}
    if not input_shapes:
        raise declared_inputs.missing(request, f"--input {_suggestion(port.link)}")
    return input_shapes


def _first_name(link: Any) -> str:
    """The name of the first parameter of a link's call."""
    parameters = callables.parameters(invocation.call_method(link))
    return parameters[0].name if parameters else "x"


def _suggestion(link: Any) -> str:
    """An `--input` option with the channels of the first layer, where they are known."""
    from chainer import links

    name = _first_name(link)
    layouts = ((links.Convolution2D, "1,{},HEIGHT,WIDTH"), (links.Linear, "1,{}"))
    for child in link.links():
        for kind, layout in layouts:
            if isinstance(child, kind) and child.W.array is not None:
                channels = child.W.shape[1] * getattr(child, "groups", 1)
                return f"{name}={layout.format(channels)}"
            if isinstance(child, kind):
                return f"{name}=SHAPE"
    return f"{name}=SHAPE"


def sample(request: LoadRequest, input_shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Sample arrays of these shapes, by name.

    Raises:
        ModeldocsError: a shape is too large or has a size below 1, or a dtype is unknown.
    """
    arrays = {}
    for name, shape in input_shapes.items():
        if not all(size >= 1 for size in shape) or math.prod(shape) > MAX_ELEMENTS:
            raise ModeldocsError(
                f"the input {name!r} cannot have the shape {tuple(shape)}",
                file=request.source,
                fix=f"give sizes of at least 1, at most {MAX_ELEMENTS:,} values together",
            )
        dtype = _dtype(request, name)
        arrays[name or "x"] = samples.sample(name, shape, dtype, below=_WORDS)
    return arrays


def _dtype(request: LoadRequest, name: str) -> str:
    dtype = request.dtypes.get(name, request.dtypes.get("", "float32"))
    try:
        np.dtype(dtype)
    except TypeError:
        raise ModeldocsError(
            f"the input {name!r} has an unknown dtype {dtype!r}",
            file=request.source,
            fix="write `float32` or `int32`",
        ) from None
    return dtype
