"""Values for a port and for a program made from it, in a process of its own (`main`).

The port gets designed weights, and weights of ordinary size; the program gets the same, carried
over layer by layer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx_ir as ir

from modeldocs import normal
from modeldocs.diff import compare
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Arrays, Designed
from modeldocs.numeric.parity import stored_weights
from modeldocs.numeric.parity.matched_group import matched_groups
from modeldocs.numeric.parity.runnable_graph import runnable_graph
from modeldocs.numeric.proof import logits, step
from modeldocs.numeric.proof.design import design
from modeldocs.numeric.proof.parity import parameter_values, transferred_weights
from modeldocs.struct import Struct

SOURCE, PROGRAM = "source", "program"
"""The folders of the files of arrays, for `given_worker`: one file for each kind of weights."""


class CarryRequest(Struct, frozen=True):
    """The files of the port's ONNX and of the program's, as loaded, and in normal form.

    `inputs` are the orders of axes in which the program has the inputs, in order; empty where they
    are the same.
    """

    source: str
    program: str
    normal: str
    inputs: tuple[tuple[int, ...], ...]


def main(folder: Path) -> None:
    """Write the values for what `request.json` in `folder` names beside it."""
    step.run(folder, CarryRequest, _carry_all)


def _carry_all(request: CarryRequest, folder: Path) -> None:
    def carried(model: ir.Model, designed: Designed) -> Designed:
        return _carried(model, designed, ir.load(request.program), request)

    write_both(request.source, folder, carried)


def write_both(
    source: str, folder: Path, carried: Callable[[ir.Model, Designed], Designed]
) -> None:
    """Write designed and ordinary values for the port whose ONNX is the file `source`, and those
    of its program, which `carried` makes of them.
    """
    for name, usual in (("designed", False), ("usual", True)):
        model = ir.load(source)
        designed = design(model, usual=usual)
        logits.moderate(model, designed.parameters, designed.inputs)
        for kind, own in {SOURCE: designed, PROGRAM: carried(model, designed)}.items():
            place = folder / kind
            place.mkdir(exist_ok=True)
            arrays = {"parameters": own.parameters, "inputs": own.inputs}
            reference.write_arrays(place / f"{name}.npz", arrays)


def _carried(
    model: ir.Model, designed: Designed, program: ir.Model, request: CarryRequest
) -> Designed:
    """The program's values, of the port's."""
    reference.set_parameters(model, designed.parameters)
    stored = parameter_values(model)
    normal.apply(model)
    a, b = runnable_graph(model), runnable_graph(ir.load(request.normal))
    groups = matched_groups(a, b, compare(a.layer_graph, b.layer_graph))
    weights = transferred_weights(a, b, groups, stored)
    weights |= stored_weights.stored_arrays(b, weights)
    return Designed(weights, _inputs(designed.inputs, program, request))


def _inputs(inputs: Arrays, program: ir.Model, request: CarryRequest) -> Arrays:
    """The program's inputs: the port's, in order, in the program's order of axes."""
    own = [one for one in program.graph.inputs if origin.parameter_kind(one) is None]
    if len(own) != len(inputs):
        raise ModeldocsError(f"it has {len(own)} inputs, the source {len(inputs)}")
    moved = zip(own, inputs.values(), request.inputs, strict=True)
    return {
        str(value.name): np.ascontiguousarray(
            array.transpose(order) if order else array, value.dtype.numpy() if value.dtype else None
        )
        for value, array, order in moved
    }
