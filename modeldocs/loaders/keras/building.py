"""The model of a Python port or an importable callable."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest, callables, declared
from modeldocs.loaders.keras import framework, lines

_BASES = ("Model", "Sequential", "Functional", "Layer")


class Source(NamedTuple):
    """A model, the inputs that its source names, and what a reader must know."""

    model: Any
    inputs: Inputs
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
            fix="let it return the model, or name the right callable as `entry:` in model.yml",
        )
    own = getattr(module, "INPUTS", {})
    example, typed = "{'image': (1, 224, 224, 3)}", "{'ids': ((1, 128), 'int32')}"
    return Source(made, declared.inputs(request, own, example, typed), notes)


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


def recording(request: LoadRequest) -> Any:
    """A block in which the lines that make layers and operations are recorded."""
    return lines.recorded(callables.OwnFiles(request))
