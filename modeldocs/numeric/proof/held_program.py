"""Framework against framework, for a program that no loader loads: its runner runs it.

As in `frameworks`, both run with designed weights and with ordinary ones, on the same inputs. A
port whose framework no longer runs is held against the program as its graph, in onnxruntime.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnxruntime

from modeldocs import environments, isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders import loader, loading, reference
from modeldocs.loaders.reference import Arrays
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.numeric.proof import carrying, frameworks, holding, prover, runners, step
from modeldocs.numeric.proof.frameworks import FrameworksProof, Orders
from modeldocs.numeric.proof.holding import HeldOperand, HoldRequest
from modeldocs.numeric.proof.prover import FILE_MB, ProofSubject
from modeldocs.numeric.proof.runners import RunOutcome, RunRequest
from modeldocs.struct import Struct

_HOLDING = holding.__name__


class HeldProgram(Struct, frozen=True):
    """A program made from a port, with the files of the port's ONNX as loaded and in normal form.

    `network` is the name of its network in `file`, `title` that of its framework; `runner` is the
    module that runs it, in `environment`. `weights` are what it holds, by path; `inputs` and
    `outputs` are the orders in which it has the port's.
    """

    file: str
    network: str
    title: str
    runner: str
    environment: str
    source_onnx: str
    source_normal: str
    weights: dict[str, HeldOperand]
    inputs: Orders
    outputs: Orders


def prove(source: ProofSubject, program: HeldProgram) -> FrameworksProof:
    """Run both with the same weights; failures are returned, not raised."""
    absent = prover.absent(source) if source.provable else None
    if absent is not None:
        return FrameworksProof(failure=absent.failure)
    try:
        return _run_both(source, program)
    except ModeldocsError as error:
        return FrameworksProof(failure=Failure.of(error))


def _run_both(source: ProofSubject, program: HeldProgram) -> FrameworksProof:
    request = HoldRequest(
        program.source_onnx,
        program.source_normal,
        program.weights,
        program.inputs,
        runs=not source.provable,
    )
    reads = [program.source_onnx, program.source_normal]
    with isolation.run(
        _HOLDING, request, source.file_limits, reads=reads, preload=[_HOLDING]
    ) as values:
        folder = step.folder_of(values, "carrying its weights over ")
        software, theirs = _returned(source, folder)
        with _run(program, folder, source.limits) as (own, place):
            ours = {
                name: reference.read_arrays(place / f"{name}{runners.OUTPUTS}")["outputs"]
                for name in theirs
            }
    differences = [
        frameworks.difference(theirs[name], ours[name], program.outputs) for name in theirs
    ]
    return FrameworksProof(
        source=software,
        program=own.software,
        outputs=max(differences, key=Difference.size),
        unrunnable=None if source.provable else loader(source.framework).title,
    )


def _returned(source: ProofSubject, folder: Path) -> tuple[str, dict[str, Arrays]]:
    """The software that ran the port, and what that returned, by the name of the run."""
    names = sorted(file.stem for file in (folder / carrying.SOURCE).glob("*.npz"))
    if not source.provable:
        files = {name: folder / holding.RETURNED / f"{name}.npz" for name in names}
        returned = {name: reference.read_arrays(file)["outputs"] for name, file in files.items()}
        return f"onnxruntime {onnxruntime.__version__}", returned
    with prover.given_runs((source, folder / carrying.SOURCE)) as (runs,):
        places = {name: runs / name for name in names}
        software = reference.read_run(places[names[0]]).software
        return software, {name: frameworks.outputs(one, source) for name, one in places.items()}


@contextmanager
def _run(program: HeldProgram, folder: Path, limits: Limits) -> Iterator[tuple[RunOutcome, Path]]:
    """The outcome of the program's run, and the folder of what it returned.

    Raises:
        ModeldocsError: its environment is not there, or its framework cannot run it.
    """
    chosen = environments.locked(program.environment)
    if not chosen.ready:
        raise environments.missing(chosen, program.title, None)
    given = str(folder / carrying.PROGRAM)
    request = RunRequest(program.file, program.network, given)
    wide = limits.wider(Limits(file_mb=FILE_MB))
    reads = [program.file, given]
    with isolation.run(
        program.runner, request, wide, loading.interpreter(chosen), reads=reads
    ) as outcome:
        own = outcome.result(RunOutcome, doing="running it ", file=program.file)
        if own.failure is not None:
            raise own.failure.error()
        yield own, Path(outcome.folder)
