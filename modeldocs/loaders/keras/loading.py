"""From a request to ONNX: build or read the model, trace it, put the graph together."""

from __future__ import annotations

from typing import Any, NamedTuple

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.keras import (
    building,
    framework,
    inputs,
    layers,
    operations,
    saved,
    unread,
)
from modeldocs.loaders.keras.assembly import Assembly
from modeldocs.loaders.keras.tracing import Trace

__all__ = ["Network", "layers", "load", "network", "operations", "to_onnx"]

_SYMBOLIC = ("KerasTensor", "symbolic", "convert_to_tensor", "Symbolic")
_PLAIN_MEND = (
    "use keras.layers and keras.ops in its call in place of TensorFlow's own functions, or "
    "export it as a SavedModel and load that"
)


class Network(NamedTuple):
    """A traced model: its inputs and outputs, by name, as symbolic tensors."""

    model: Any
    feed: inputs.Feed
    trace: Trace
    outputs: list[tuple[str, Any]]
    notes: tuple[str, ...]


def load(request: LoadRequest) -> ir.Model:
    """The model without weights.

    Its variables get no values, which saves most of the time. A port that wants them (it sets
    weights, say) is run once more with values.

    Raises:
        ModeldocsError: the source cannot be loaded.
    """
    framework.quiet()
    with building.recording(request):
        try:
            with framework.session(values=False):
                return to_onnx(network(request), request)
        except ModeldocsError:
            if saved.is_file(request):
                raise
        with framework.session(values=True):
            return to_onnx(network(request), request)


def network(request: LoadRequest) -> Network:
    """Build or read the model, and trace it.

    Raises:
        ModeldocsError: one of these fails.
    """
    source = saved.read(request) if saved.is_file(request) else building.built(request)
    feed = inputs.feed(source, request)
    try:
        inputs.build(source.model, feed)
        trace = Trace(source.model)
        outputs = trace.of_model(source.model, feed.args, feed.kwargs)
    except ModeldocsError:
        raise
    except RecursionError:
        raise ModeldocsError(
            "the model is nested too deeply to be traced",
            file=request.source,
            fix="build it of fewer levels",
        ) from None
    except Exception as error:
        raise _untraceable(request, error) from None
    return Network(source.model, feed, trace, _named(source.model, outputs), source.notes)


def _untraceable(request: LoadRequest, error: Exception) -> ModeldocsError:
    told = callables.failure(request, error, "calling the model with symbolic tensors")
    if any(word in str(error) for word in _SYMBOLIC):
        told.fix = _PLAIN_MEND
    return told


def _named(model: Any, outputs: list[Any]) -> list[tuple[str, Any]]:
    """Outputs with the names that the model gives them; none where it is the layer's."""
    struct = getattr(model, "_outputs_struct", None)
    if isinstance(struct, dict) and len(struct) == len(outputs):
        return list(zip(sorted(struct), outputs, strict=True))
    return [("", tensor) for tensor in outputs]


def to_onnx(network: Network, request: LoadRequest) -> ir.Model:
    """The traced model as ONNX, without weights."""
    return assembled(network, request)[0]


def assembled(network: Network, request: LoadRequest) -> tuple[ir.Model, Assembly]:
    """The model, and the assembly that tells which value is which symbolic tensor or variable."""
    assembly = Assembly(network.trace, request, network.model)
    assembly.notes += network.notes
    for name, tensor, told in network.feed.graph_inputs:
        assembly.add_input(tensor, name, told)
    assembly.add_calls([tensor for _, tensor in network.outputs])
    assembly.notes += unread.note(unread.weights(network.model, assembly.parameters))
    return assembly.model(network.outputs), assembly
