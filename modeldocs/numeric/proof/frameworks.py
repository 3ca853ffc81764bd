"""Framework against framework: a port and a program made from it, each run by its own framework.

Both run with designed weights, and with weights of ordinary size: those of the port, carried over
to the program layer by layer. Both get the same inputs, and their outputs are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx_ir as ir

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders import loader, reference
from modeldocs.loaders.reference import Arrays
from modeldocs.numeric.execution.closeness import Difference, output_distance
from modeldocs.numeric.proof import carrying, ending, prover, step
from modeldocs.numeric.proof.carrying import CarryRequest
from modeldocs.numeric.proof.ending import EndingRequest
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct

_CARRYING, _ENDING = carrying.__name__, ending.__name__

TOLERANCE = 1e-4
"""Relative error of outputs up to which it is rounding."""

Orders = tuple[tuple[int, ...], ...]
"""By input or output: its axes in the order in which the program has them; empty if unchanged."""


class ProgramSubject(Struct, frozen=True):
    """A program made from a port, with the files of its ONNX as loaded and in normal form.

    `source_onnx` is the file of the port's own ONNX as loaded; `inputs` and `outputs` are the
    orders in which the program has the port's.
    """

    subject: ProofSubject
    onnx: str
    normal: str
    source_onnx: str
    inputs: Orders
    outputs: Orders


class FrameworksProof(Struct, frozen=True):
    """A port and a program in their frameworks: the largest difference of any output in any run.

    `source` and `program` are the software that ran them; `unrunnable` is the title of the port's
    framework where nothing runs that any more. Where a program is held against the port's graph
    then, `source` is what ran that.
    """

    source: str = ""
    program: str = ""
    outputs: Difference | None = None
    unrunnable: str | None = None
    failure: Failure | None = None

    @property
    def holds(self) -> bool:
        """Whether the outputs agree."""
        return self.outputs is not None and self.outputs.size() <= TOLERANCE


def prove(source: ProofSubject, program: ProgramSubject) -> FrameworksProof:
    """Run both in their frameworks, with the same weights; failures are returned, not raised."""
    if not source.provable:
        return FrameworksProof(unrunnable=loader(source.framework).title)
    absent = prover.absent(source) or prover.absent(program.subject)
    if absent is not None:
        return FrameworksProof(failure=absent.failure)
    try:
        return _run_both(source, program)
    except ModeldocsError as error:
        return FrameworksProof(failure=Failure.of(error))


def _run_both(source: ProofSubject, program: ProgramSubject) -> FrameworksProof:
    request = CarryRequest(program.source_onnx, program.onnx, program.normal, program.inputs)
    reads = [request.source, request.program, request.normal]
    with isolation.run(
        _CARRYING, request, source.file_limits, reads=reads, preload=[_CARRYING]
    ) as values:
        folder = step.folder_of(values, "carrying its weights over ")
        theirs_given, ours_given = (folder / kind for kind in (carrying.SOURCE, carrying.PROGRAM))
        with prover.given_runs((source, theirs_given), (program.subject, ours_given)) as folders:
            theirs, ours = folders
            names = sorted(file.stem for file in (folder / carrying.SOURCE).glob("*.npz"))
            runs = [(theirs / name, ours / name) for name in names]
            differences = [
                difference(outputs(a, source), outputs(b, program.subject), program.outputs)
                for a, b in runs
            ]
            return FrameworksProof(
                source=reference.read_run(runs[0][0]).software,
                program=reference.read_run(runs[0][1]).software,
                outputs=max(differences, key=Difference.size),
            )


def outputs(folder: Path, subject: ProofSubject) -> Arrays:
    """What a network returned in a run, in order."""
    outputs = reference.read_arrays(folder / reference.ARRAYS)["outputs"]
    names = [str(value.name) for value in ir.load(folder / reference.MODEL).graph.outputs]
    if set(names) <= set(outputs):
        return {name: outputs[name] for name in names}
    request = EndingRequest(str(folder))
    with isolation.run(
        _ENDING, request, subject.file_limits, reads=[str(folder)], preload=[_ENDING]
    ) as outcome:
        ended = step.folder_of(outcome, "computing its outputs ")
        return reference.read_arrays(ended / ending.OUTPUTS)["outputs"]


def difference(theirs: Arrays, ours: Arrays, orders: Sequence[tuple[int, ...]]) -> Difference:
    """The largest difference of two networks' outputs, taken in order."""
    if len(theirs) != len(ours):
        return Difference()
    pairs = zip(theirs.values(), ours.values(), orders, strict=True)
    differences = [output_distance(a.transpose(order) if order else a, b) for a, b, order in pairs]
    return max(differences, key=Difference.size, default=Difference())
