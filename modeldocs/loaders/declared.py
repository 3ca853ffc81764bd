"""The inputs that a port's own file declares, in its constant `INPUTS`."""

from __future__ import annotations

from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest

Shape = tuple[int, ...]


def shapes(request: LoadRequest, declared: Any, example: str) -> dict[str, Shape]:
    """A dict of shape by name of the argument.

    Raises:
        ModeldocsError: it is something else than `example` is.
    """
    try:
        return msgspec.convert(declared, dict[str, Shape])
    except msgspec.ValidationError as error:
        raise _no_inputs(request, error, f"`INPUTS = {example}`") from None


def inputs(request: LoadRequest, declared: Any, example: str, typed: str) -> Inputs:
    """A dict of shape by name of the argument, or of (shape, dtype).

    Raises:
        ModeldocsError: it is something else than the examples, without and with a dtype, are.
    """
    try:
        read = msgspec.convert(declared, dict[str, tuple[Any, ...]])
        told = {name: value for name, value in read.items() if _is_typed(value)}
        bare = {name: value[0] if name in told else value for name, value in read.items()}
        dtypes = {name: value[1] for name, value in told.items()}
        return Inputs(msgspec.convert(bare, dict[str, Shape]), dtypes)
    except msgspec.ValidationError as error:
        both = f"`INPUTS = {example}`, or with a dtype as `INPUTS = {typed}`"
        raise _no_inputs(request, error, both) from None


def missing(request: LoadRequest, options: str) -> ModeldocsError:
    """The error where there is no shape at all; `options` are those of the command."""
    return ModeldocsError(
        "no input shape is given",
        file=request.source,
        fix=f"pass {options}, or write it as `INPUTS` in the file or as `inputs:` in model.yml",
    )


def _is_typed(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], tuple | list) and isinstance(value[1], str)


def _no_inputs(request: LoadRequest, error: Exception, examples: str) -> ModeldocsError:
    return ModeldocsError(
        f"its INPUTS is no shape by name of the argument: {error}",
        file=request.source,
        fix=f"write it as {examples}",
    )
