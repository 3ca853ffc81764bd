"""The constant `INPUTS` of a port's file, which declares the shapes of its inputs."""

from __future__ import annotations

from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LiveRequest, LoadRequest

Shape = tuple[int, ...]


def shapes(request: LoadRequest, declared: Any, example: str) -> dict[str, Shape]:
    """The constant as a dict of shape by name of the argument.

    Raises:
        ModeldocsError: it is not of the form of `example`.
    """
    try:
        return msgspec.convert(declared, dict[str, Shape])
    except msgspec.ValidationError as error:
        raise _invalid(request, error, f"`INPUTS = {example}`") from None


def inputs(request: LoadRequest, declared: Any, example: str, typed: str) -> Inputs:
    """The constant as a dict of shape by name of the argument, or of (shape, dtype).

    Raises:
        ModeldocsError: it is not of the form of `example` or, with dtypes, of `typed`.
    """
    try:
        entries = msgspec.convert(declared, dict[str, tuple[Any, ...]])
        dtypes = {name: value[1] for name, value in entries.items() if _is_typed(value)}
        bare = {name: value[0] if name in dtypes else value for name, value in entries.items()}
        return Inputs(msgspec.convert(bare, dict[str, Shape]), dtypes)
    except msgspec.ValidationError as error:
        both = f"`INPUTS = {example}`, or with a dtype as `INPUTS = {typed}`"
        raise _invalid(request, error, both) from None


def missing(request: LoadRequest, options: str) -> ModeldocsError:
    """The error where no shape is given; `options` are those of the command line to pass."""
    if isinstance(request, LiveRequest):
        return ModeldocsError(
            "no inputs are given",
            file=request.source,
            fix="pass an array of the shape and type of each, such as "
            "inputs=numpy.zeros((1, 3, 224, 224))",
        )
    return ModeldocsError(
        "no input shape is given",
        file=request.source,
        fix="write it as `INPUTS` in the file or as `inputs:` in model.yml, or pass it on the "
        f"command line: {options}",
    )


def _is_typed(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], tuple | list) and isinstance(value[1], str)


def _invalid(request: LoadRequest, error: Exception, examples: str) -> ModeldocsError:
    return ModeldocsError(
        f"its INPUTS is no shape by name of the argument: {error}",
        file=request.source,
        fix=f"write it as {examples}",
    )
