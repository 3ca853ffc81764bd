"""How far the outputs of two frameworks are apart, and the first layer that departs, if they are.

It runs in a process of its own (`main`). Layers are compared in onnxruntime, which runs both graphs
with the weights of both files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs import isolation
from modeldocs.checkpoints import check_inputs, output_heads
from modeldocs.diff import Diff, Pair
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Arrays
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.closeness import TOLERANCE, Difference, output_distance
from modeldocs.numeric.parity import inputs, lowering, stored_weights
from modeldocs.numeric.parity.matched_group import MatchedGroup, matched_groups
from modeldocs.numeric.parity.measurements import group_difference
from modeldocs.numeric.parity.regions import returning
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.struct import Struct

OUTPUTS: Final = "outputs.npz"
"""The file of what both frameworks returned, by side and number."""


class DepartureRequest(Struct, frozen=True):
    """The normal forms of A and B, their diff, the folder of what both ran with (`check_inputs`),
    and the file of what they returned. `head` are activations that only one of them ends in.
    """

    a: str
    b: str
    diff: Diff
    given: str
    outputs: str
    head: tuple[Pair, ...] = ()


class Departure(Struct, frozen=True):
    """The largest difference of any output; and the names of the first layers that depart, in A and
    in B, with their difference, where the outputs differ by more than rounding.
    """

    outputs: Difference = Difference()
    first: tuple[str, str] | None = None
    error: Difference | None = None
    failure: Failure | None = None

    @property
    def holds(self) -> bool:
        """Whether the outputs agree."""
        return self.outputs.size() <= TOLERANCE


def main(folder: Path) -> None:
    """Write the `Departure` of what `request.json` in `folder` names."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=DepartureRequest)
    try:
        result = _compare(request)
    except ModeldocsError as error:
        result = Departure(failure=Failure.of(error))
    isolation.write_result(folder, result)


def _compare(request: DepartureRequest) -> Departure:
    a, b = (runnable_graph(ir.load(file)) for file in (request.a, request.b))
    returned = reference.read_arrays(Path(request.outputs))
    ours, theirs = (
        dict(zip(_names(graph), returned.get(side, {}).values(), strict=False))
        for graph, side in ((a, check_inputs.A), (b, check_inputs.B))
    )
    both = output_heads.completed((a, b), (ours, theirs), request.head)
    counterparts = inputs.counterpart(a, b, request.diff)
    found = returning.returned((a, b), both, request.diff, counterparts)
    errors = [one.error for one in found if one.relation != "missing"]
    outputs = max(errors, key=Difference.size, default=Difference())
    if outputs.size() <= TOLERANCE:
        return Departure(outputs)
    first = _first(a, b, request)
    if first is None:
        return Departure(outputs)
    group, error = first
    names = a.layers[group.a.ids[-1]].name, b.layers[group.b.ids[-1]].name
    return Departure(outputs, names, error)


def _names(graph: RunnableGraph) -> list[str]:
    return [str(value.name) for value in graph.model.graph.outputs]


def _first(
    a: RunnableGraph, b: RunnableGraph, request: DepartureRequest
) -> tuple[MatchedGroup, Difference] | None:
    """The first layers whose outputs differ, in A's order, and by how much."""
    groups = matched_groups(a, b, request.diff)
    ours, theirs = (
        _run(graph, Path(request.given, side, check_inputs.GIVEN), names)
        for graph, side, names in (
            (a, check_inputs.A, [str(v.name) for one in groups for v in one.a.outputs]),
            (b, check_inputs.B, [str(v.name) for one in groups for v in one.b.outputs]),
        )
    )
    for group in groups:
        error = group_difference(group, ours, theirs, output_distance)
        if error.size() > TOLERANCE:
            return group, error
    return None


def _run(graph: RunnableGraph, given: Path, names: list[str]) -> dict[str, np.ndarray]:
    """The outputs of layers, run on what a framework was given."""
    arrays = reference.read_arrays(given)
    weights: Arrays = arrays["parameters"]
    weights |= stored_weights.read_arrays(graph, weights)
    return runtime.run(lowering.lowered_copy(graph.model), weights | arrays["inputs"], names)
