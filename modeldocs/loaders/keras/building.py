"""The model of a Python port or an importable callable."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.keras import framework, lines

_BASES = ("Model", "Sequential", "Functional", "Layer")


class Declared(NamedTuple):
    """What a file's `INPUTS` says: shapes by name, and dtypes of those that name one."""

    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]


class Source(NamedTuple):
    """A model, the inputs that its source names, and what a reader must know."""

    model: Any
    inputs: Declared
    notes: tuple[str, ...] = ()


def built(request: LoadRequest) -> Source:
    """Run the port, with the lines of its layers recorded.

    Raises:
        ModeldocsError: it raises, or gives no model.
    """
    keras = framework.imported()
    module = callables.import_source(request)
    target = callables.resolve(request, module, _BASES)
    args, notes = _without_downloads(request, target)
    made = target
    if not isinstance(target, keras.layers.Layer):
        made = callables.call(msgspec.structs.replace(request, args=args), target)
    if not isinstance(made, keras.layers.Layer):
        raise ModeldocsError(
            f"the entry point returned {type(made).__name__}, not a keras.Model",
            file=request.source,
            mend="let it return the model, or name the right callable as `entry:` in model.yml",
        )
    return Source(made, declared_inputs(request, getattr(module, "INPUTS", {})), notes)


def _without_downloads(
    request: LoadRequest, target: Callable[..., Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments of the call; a published model gets no weights unless a file is named."""
    published = (request.module or "").startswith(("keras.applications", "tensorflow.keras.app"))
    if not published or "weights" in request.args:
        return request.args, ()
    if "weights" not in inspect.signature(target).parameters:
        return request.args, ()
    told = "built with weights=None: nothing is downloaded"
    return {**request.args, "weights": None}, (told,)


def declared_inputs(request: LoadRequest, declared: Any) -> Declared:
    """The file's own `INPUTS`: a dict of shape, or of (shape, dtype), by name of the input.

    Raises:
        ModeldocsError: it is something else.
    """
    try:
        read = msgspec.convert(declared, dict[str, tuple[Any, ...]])
        typed = {name: value for name, value in read.items() if _is_typed(value)}
        shapes = {name: value[0] if name in typed else value for name, value in read.items()}
        return Declared(
            msgspec.convert(shapes, dict[str, tuple[int, ...]]),
            {name: value[1] for name, value in typed.items()},
        )
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"its INPUTS is no shape by name of the input: {error}",
            file=request.source,
            mend="write it as `INPUTS = {'image': (1, 224, 224, 3)}`, or with a dtype as "
            "`INPUTS = {'ids': ((1, 128), 'int32')}`",
        ) from None


def _is_typed(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], tuple | list) and isinstance(value[1], str)


def recording(request: LoadRequest) -> Any:
    """A block in which the lines that make layers and operations are recorded."""
    return lines.recorded(callables.OwnFiles(request))
