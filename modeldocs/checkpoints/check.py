"""A converted checkpoint checked: both frameworks run with their files, on the same inputs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from modeldocs import isolation
from modeldocs.checkpoints import check_inputs, departure, formats
from modeldocs.checkpoints.check_inputs import CheckInputsRequest, CheckSide
from modeldocs.checkpoints.departure import Departure, DepartureRequest
from modeldocs.checkpoints.network import LIMITS, StoringNetwork
from modeldocs.diff import Diff, Pair
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loader, reference
from modeldocs.numeric.proof import frameworks, prover, step
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct


class CheckedConversion(Struct, frozen=True):
    """How far the outputs are apart, and the software that ran A and B."""

    departure: Departure
    a: str
    b: str


def runnable(subject: ProofSubject) -> None:
    """Check that a network's framework is there to run it.

    Raises:
        ModeldocsError: it is not.
    """
    if not subject.provable:
        raise ModeldocsError(
            f"nothing runs {loader(subject.framework).title} any more",
            file=subject.request.source,
            fix="convert without --check",
        )
    absent = prover.absent(subject)
    if absent is not None and absent.failure is not None:
        raise absent.failure.error()


def check(
    pair: tuple[StoringNetwork, StoringNetwork],
    files: tuple[Path, Path],
    diff: Diff,
    inputs: Sequence[Path] = (),
    head: tuple[Pair, ...] = (),
) -> CheckedConversion:
    """Run A and B in their frameworks with the weights of two files, on arrays of files as A's
    inputs in order, or on designed ones. `head` are activations that only one of them ends in.

    Raises:
        ModeldocsError: one of them could not be run, or an input does not fit.
    """
    a, b = (
        CheckSide(str(file.resolve()), one.layout, one.normal)
        for one, file in zip(pair, files, strict=True)
    )
    given = tuple(str(file.resolve()) for file in inputs)
    request = CheckInputsRequest(a, b, diff, given)
    held = (place for file in files for place in formats.reads(file))
    reads = [*held, a.normal, b.normal, *given]
    with isolation.run(check_inputs.__name__, request, LIMITS, reads=reads) as outcome:
        folder = step.folder_of(outcome, "reading the weights ")
        with (
            prover.given_runs(
                (_limited(pair[0]), folder / check_inputs.A),
                (_limited(pair[1]), folder / check_inputs.B),
            ) as folders,
            tempfile.TemporaryDirectory(prefix="modeldocs-") as place,
        ):
            runs = [one / Path(check_inputs.GIVEN).stem for one in folders]
            returned = [
                frameworks.outputs(run, one.subject) for run, one in zip(runs, pair, strict=True)
            ]
            file = Path(place, departure.OUTPUTS)
            sides = (check_inputs.A, check_inputs.B)
            reference.write_arrays(file, dict(zip(sides, returned, strict=True)))
            found = _compared(
                DepartureRequest(a.normal, b.normal, diff, str(folder), str(file), head)
            )
            software = [reference.read_run(run).software for run in runs]
    return CheckedConversion(found, *software)


def _limited(network: StoringNetwork) -> ProofSubject:
    subject = network.subject
    return ProofSubject(
        name=subject.name,
        framework=subject.framework,
        request=subject.request,
        limits=subject.limits.wider(LIMITS),
    )


def _compared(request: DepartureRequest) -> Departure:
    reads = [request.a, request.b, request.given, request.outputs]
    with isolation.run(departure.__name__, request, LIMITS, reads=reads) as outcome:
        found = outcome.result(Departure, doing="comparing the outputs ")
        if found.failure is not None:
            raise found.failure.error()
        return found
