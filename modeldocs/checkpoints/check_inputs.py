"""What both frameworks run with to check a conversion, written in a process of its own (`main`).

Each gets the weights of its own file, read by the keys that its network has for them. Inputs are
given, or designed for A; B gets the same in its own order of axes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import onnx_ir as ir

from modeldocs.checkpoints import applying
from modeldocs.diff import Diff
from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import reference
from modeldocs.loaders.checkpoint_layout import CheckpointLayout
from modeldocs.loaders.reference import Arrays
from modeldocs.normal import values
from modeldocs.numeric.parity import inputs, weight_init
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.numeric.parity.weight_init import SeededRandom
from modeldocs.numeric.proof import step
from modeldocs.struct import Struct

A, B = "a", "b"
"""The folders of what each runs with."""

GIVEN: Final = "given.npz"
"""The file in them."""


class CheckSide(Struct, frozen=True):
    """A network's file of weights, what it stores, and the file of its normal form."""

    file: str
    layout: CheckpointLayout
    normal: str


class CheckInputsRequest(Struct, frozen=True):
    """Both sides, their diff, and files of A's inputs in order; none where they are designed."""

    a: CheckSide
    b: CheckSide
    diff: Diff
    inputs: tuple[str, ...] = ()


def main(folder: Path) -> None:
    """Write what `request.json` in `folder` asks for beside it."""
    step.run(folder, CheckInputsRequest, _write)


def _write(request: CheckInputsRequest, folder: Path) -> None:
    a, b = (runnable_graph(ir.load(side.normal)) for side in (request.a, request.b))
    random = SeededRandom()
    drawn = weight_init.random_inputs(a, random)
    ours = _given(a, request.inputs) if request.inputs else drawn
    counterparts = inputs.counterpart(a, b, request.diff)
    arranged = {one for match in request.diff.matches if match.order for one in match.a}
    theirs = inputs.converted(a, b, ours, counterparts, arranged, random)
    for name, side, own in ((A, request.a, ours), (B, request.b, theirs)):
        place = folder / name
        place.mkdir()
        with applying.bound(Path(side.file), side.layout, set(), folder) as (arrays, _):
            parameters = {one: np.asarray(arrays[one]) for one in arrays}
            reference.write_arrays(place / GIVEN, {"parameters": parameters, "inputs": own})


def _given(graph: RunnableGraph, files: tuple[str, ...]) -> Arrays:
    """The arrays of files as the inputs of A, in order.

    Raises:
        ModeldocsError: there are more or fewer than it has inputs, or one is of another shape.
    """
    wanted = list(graph.inputs.values())
    if len(files) != len(wanted):
        names = ", ".join(f"{one.name} {values.shape(one)}" for one in wanted)
        raise ModeldocsError(
            f"{len(files)} inputs are given, A has {len(wanted)}",
            fix=f"give a file for each, in this order: {names}",
        )
    found: Arrays = {}
    for value, file in zip(wanted, files, strict=True):
        try:
            array = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ModeldocsError(
                f"is no array: {first_line(error)}",
                file=Path(file).name,
                fix="write it with np.save",
            ) from None
        shape = values.shape(value)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            raise ModeldocsError(
                f"has the shape {getattr(array, 'shape', None)}, the input {value.name!r} of A "
                f"has {shape}",
                file=Path(file).name,
                fix=f"give an array of {shape}, or load A with --input {value.name}=…",
            )
        found[str(value.name)] = array.astype(value.dtype.numpy()) if value.dtype else array
    return found
