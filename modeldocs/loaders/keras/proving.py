"""Keras' own numbers, to hold the ONNX graph against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, seeding
from modeldocs.loaders.keras import building, filling, framework, loading
from modeldocs.loaders.keras.assembly import Assembly
from modeldocs.loaders.keras.running import Run
from modeldocs.loaders.keras.tracing import in_order, original
from modeldocs.loaders.reference import Reference


def prove(request: LoadRequest, seed: int, *, layers: bool) -> tuple[ir.Model, Reference]:
    """The model with seeded weights, and one run of it in inference mode.

    Counts leave out what is no parameter of the network: states of random generators (which
    Keras does not count either) and counters of integers.

    Raises:
        ModeldocsError: it cannot be loaded, or Keras cannot run it.
    """
    framework.quiet()
    with building.recording(request), framework.session(values=True):
        network = loading.network(request)
        filling.fill(network.model, seed)
        run = Run(network, _samples(network, seed, request.source))
        try:
            outputs = run.unsaturated()
            model, assembly = loading.assembled(network, request, values=True)
            activations = _activations(run, assembly) if layers else {}
        except ModeldocsError:
            raise
        except Exception as error:
            raise callables.failure(request, error, "running the model") from None
    names = [str(value.name) for value in model.graph.outputs]
    reference = Reference(
        software=framework.version(),
        inputs={name: run.arrays[name] for name, _, _ in network.feed.graph_inputs},
        outputs=dict(zip(names, outputs, strict=True)),
        activations=activations,
        trainable=_count(network.model.trainable_weights),
        frozen=_count(network.model.non_trainable_weights),
    )
    return model, reference


def _activations(run: Run, assembly: Assembly) -> dict[str, np.ndarray[Any, Any]]:
    """What each layer gives, by the name of its value."""
    convert = framework.imported().ops.convert_to_numpy
    return {
        str(assembly.made[id(tensor)].name): np.asarray(convert(value))
        for tensor, value in run.layers()
    }


def _count(variables: list[Any]) -> int:
    return sum(math.prod(v.shape) for v in variables if "int" not in str(v.dtype))


def _samples(
    network: loading.Network, seed: int, source: str | None
) -> dict[str, np.ndarray[Any, Any]]:
    """Inputs by name; those that number rows of a table stay inside of it, whatever their type."""
    rows = _rows(network)
    found = {}
    for name, tensor, _ in network.feed.graph_inputs:
        if None in tensor.shape:
            raise ModeldocsError(
                f"input {name!r} has the shape {tuple(tensor.shape)}, which leaves sizes open",
                file=source,
                mend=f"write `inputs:` in model.yml, or pass --input {name}=1,…",
            )
        shape = tuple(int(size) for size in tensor.shape)
        count = rows.get(id(tensor))
        drawn = seeding.sample(seed, name, shape, "int32" if count else tensor.dtype)
        found[name] = (drawn % count if count else drawn).astype(tensor.dtype)
    return found


def _rows(network: loading.Network) -> dict[int, int]:
    """Rows of the smallest table that each symbolic tensor is looked up in."""
    found: dict[int, int] = {}
    for node in in_order([tensor for _, tensor in network.outputs]):
        if type(node.operation).__name__ in ("Embedding", "ReversibleEmbedding"):
            for tensor in map(original, node.arguments.keras_tensors):
                count = int(node.operation.input_dim)
                found[id(tensor)] = min(count, found.get(id(tensor), count))
    return found
