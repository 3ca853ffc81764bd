"""Keras' own numbers, to hold the ONNX graph against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.keras import building, filling, framework, loading, unread
from modeldocs.loaders.keras.assembly import Assembly
from modeldocs.loaders.keras.running import Run
from modeldocs.loaders.reference import Design, Proven, Reference


def prove(request: LoadRequest, design: Design) -> Proven:
    """The graph, and one run of the model with designed weights in inference mode.

    Counts leave out what is no parameter of the network: states of random generators (which
    Keras does not count either), counters of integers, and weights that make no difference.

    Raises:
        ModeldocsError: it cannot be loaded, or Keras cannot run it.
    """
    framework.quiet()
    with building.recording(request), framework.session(values=True):
        network = loading.network(request)
        _check_whole(network, request.source)
        model, assembly = loading.assembled(network, request)
        designed = design(model)
        filling.fill(network.model, assembly.parameters, designed)
        run = Run(network, designed.inputs)
        try:
            outputs = run.outputs()
            activations = _activations(run, assembly)
            absent = unread.weights(network.model, assembly.parameters)
            absent = unread.confirmed(absent, run, outputs)
        except ModeldocsError:
            raise
        except Exception as error:
            raise callables.failure(request, error, "running the model") from None
    names = [str(value.name) for value in model.graph.outputs]
    reference = Reference(
        software=framework.version(),
        inputs=designed.inputs,
        outputs=dict(zip(names, outputs, strict=True)),
        activations=activations,
        trainable=_count(network.model.trainable_weights, absent, assembly),
        frozen=_count(network.model.non_trainable_weights, absent, assembly),
        parameters=designed.parameters,
    )
    return Proven(model, reference)


def _activations(run: Run, assembly: Assembly) -> dict[str, np.ndarray[Any, Any]]:
    """What each layer gives, by the name of its value."""
    convert = framework.imported().ops.convert_to_numpy
    return {
        str(assembly.made[id(tensor)].name): np.asarray(convert(value))
        for tensor, value in run.layers()
    }


def _count(variables: list[Any], absent: list[Any], assembly: Assembly) -> int:
    """Values that count; whole numbers do where the network reads them, as positions are."""
    left_out, read = {id(variable) for variable in absent}, assembly.parameters
    counted = [v for v in variables if "int" not in str(v.dtype) or id(v) in read]
    return sum(math.prod(v.shape) for v in counted if id(v) not in left_out)


def _check_whole(network: loading.Network, source: str | None) -> None:
    """Raise where an input leaves a size open."""
    for name, tensor, _ in network.feed.graph_inputs:
        if None in tensor.shape:
            raise ModeldocsError(
                f"input {name!r} has the shape {tuple(tensor.shape)}, which leaves sizes open",
                file=source,
                fix=f"write `inputs:` in model.yml, or pass --input {name}=1,…",
            )
