"""The numbers of a framework against those of the graph: run by `modeldocs.proof.proving`.

Runs in a process of its own (`main`), since what it runs was made by somebody's code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs import isolation, normal, origin, runtime
from modeldocs.closeness import Difference, apart, is_one_hot
from modeldocs.errors import ModeldocsError
from modeldocs.graph import LayerGraph, Struct
from modeldocs.isolation import Failure
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Reference
from modeldocs.proof import Count, Proof

Arrays = Mapping[str, np.ndarray]


class CompareRequest(Struct, frozen=True):
    """The folder that `modeldocs.loaders.reference.write` left its files in."""

    folder: str


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and leave the `Proof` as `result.json`."""
    asked = msgspec.json.decode((folder / "request.json").read_bytes(), type=CompareRequest)
    model, held = reference.read(Path(asked.folder))
    try:
        made = compare(model, held)
    except ModeldocsError as error:
        made = Proof(reference=held.software, failure=Failure.of(error))
    isolation.leave(folder, made)


def compare(model: ir.Model, held: Reference) -> Proof:
    """The model as it was loaded and in normal form, against the framework's outputs.

    A value on the way to an output may be gone in normal form, and is not compared there. `model`
    is changed on the way.

    Raises:
        ModeldocsError: onnxruntime cannot run it, or the outputs would prove nothing.
    """
    for name, array in held.outputs.items():
        if not np.any(array):
            raise ModeldocsError(f"{name} is zero everywhere in {held.software}: no proof")
    wanted = [*held.outputs, *held.activations]
    loaded = runtime.run(model, held.inputs, wanted)
    told = _names(model)
    normal.make_runnable(model)
    plain = runtime.run(model, held.inputs, wanted)
    ends = {str(value.name) for value in model.graph.outputs}
    kept = {name: a for name, a in held.outputs.items() if name in plain or name in ends}
    first = _first(held.activations | held.outputs, loaded, told) or _first(loaded, plain, told)
    return Proof(
        reference=held.software,
        loaded=difference(held.outputs, loaded),
        normal=difference(kept, plain),
        first=first,
        theirs=_theirs(held),
        ours=count(normal.read(model)),
    )


def difference(theirs: Arrays, ours: Arrays) -> Difference:
    """The largest difference between outputs of one name.

    Probabilities that are all but one-hot tell nothing, and are passed over where others tell more.
    """
    telling = {name: array for name, array in theirs.items() if not is_one_hot(array)}
    every = [
        apart(array, ours[name]) if name in ours else Difference()
        for name, array in (telling or theirs).items()
    ]
    return max(every, key=Difference.size, default=Difference())


def _names(model: ir.Model) -> dict[str, str]:
    """By value, in order: the name that a reader knows the layer by that gives it."""
    return {
        str(value.name): origin.read(node).name or node.name or node.op_type
        for node in model.graph
        for value in node.outputs
    }


def _first(theirs: Arrays, ours: Arrays, names: dict[str, str]) -> str | None:
    """The first layer, in order, whose values of both are apart by more than rounding."""
    for value, layer in names.items():
        both = value in theirs and value in ours
        told = both and not is_one_hot(theirs[value])
        if told and not apart(theirs[value], ours[value]).small:
            return layer
    return None


def _theirs(held: Reference) -> Count | None:
    if held.trainable is None or held.frozen is None:
        return None
    return Count(trainable=held.trainable, frozen=held.frozen)


def count(graph: LayerGraph) -> Count:
    """How many parameters a graph has."""
    return Count(trainable=graph.parameter_count(), frozen=graph.parameter_count(trainable=False))
