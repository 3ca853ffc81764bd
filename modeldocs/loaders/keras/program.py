"""Keras models as traced graphs: what is read of a source before it is turned into ONNX."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LiveRequest, LoadRequest
from modeldocs.loaders.keras import constants, framework, inputs, operators, source, weights
from modeldocs.loaders.keras.tracing import CallTrace
from modeldocs.loaders.python_source import own_files, port_errors

assert operators  # layers stay whole where an emitter is registered for them

_SYMBOLIC = ("KerasTensor", "symbolic", "convert_to_tensor", "Symbolic")
_SYMBOLIC_FIX = (
    "use keras.layers and keras.ops in its call in place of TensorFlow's own functions, or "
    "export it as a SavedModel and load that"
)


class TracedModel(NamedTuple):
    """A traced model; `outputs` are symbolic tensors by name, empty where the layer's is used."""

    model: Any
    feed: inputs.CallArguments
    trace: CallTrace
    outputs: list[tuple[str, Any]]
    notes: tuple[str, ...]


@contextlib.contextmanager
def session(request: LoadRequest, *, values: bool) -> Iterator[None]:
    """A block in which Keras is as at its start, and records the lines of a port's layers.

    Without `values`, variables have shapes alone. For a live model Keras stays as it is, and the
    model has the weights that it had when the block ends.
    """
    framework.quiet()
    keras = framework.imported()
    if isinstance(request, LiveRequest):
        kept = weights.kept(request.target) if values else contextlib.nullcontext()
        with constants.recorded(keras), kept:
            yield
        return
    lines = own_files.recorded_lines(keras.Operation, own_files.OwnFiles(request))
    with lines, framework.session(values=values), constants.recorded(keras):
        yield


def trace(request: LoadRequest) -> TracedModel:
    """Build or read the model, and trace it.

    Raises:
        ModeldocsError: one of these fails.
    """
    read = source.read(request)
    feed = inputs.feed(read, request)
    try:
        inputs.build(read.model, feed)
        trace = CallTrace(read.model)
        outputs = trace.of_model(read.model, feed.args, feed.kwargs)
    except ModeldocsError:
        raise
    except RecursionError:
        raise ModeldocsError(
            "the model is nested too deeply to be traced",
            file=request.source,
            fix="build it of fewer levels",
        ) from None
    except Exception as error:
        failure = port_errors.failure(request, error, "calling the model with symbolic tensors")
        if any(word in str(error) for word in _SYMBOLIC):
            failure.fix = _SYMBOLIC_FIX
        raise failure from None
    return TracedModel(read.model, feed, trace, _named(read.model, outputs), read.notes)


def _named(model: Any, outputs: list[Any]) -> list[tuple[str, Any]]:
    """Outputs with the names that the model has for them."""
    structure = getattr(model, "_outputs_struct", None)
    if isinstance(structure, dict) and len(structure) == len(outputs):
        return list(zip(sorted(structure), outputs, strict=True))
    return [("", tensor) for tensor in outputs]
