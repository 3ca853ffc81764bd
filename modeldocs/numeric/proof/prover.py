"""Proving a port: the framework's run, then the comparison, each in a process of its own."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits, ProcessOutcome
from modeldocs.loaders import LoadRequest, loader, loading, reference
from modeldocs.loaders.worker import LoadOutcome
from modeldocs.numeric.proof import Proof
from modeldocs.numeric.proof.comparison import CompareRequest
from modeldocs.numeric.proof.parity import ReferencesRequest
from modeldocs.struct import Struct

FILE_MB = 16 * 1024
"""Largest file of a proof's processes, which exchange weights and activations as files."""

_WORKER = "modeldocs.numeric.proof.worker"
_GIVEN = "modeldocs.numeric.proof.given_worker"
_COMPARISON, _PARITY = "modeldocs.numeric.proof.comparison", "modeldocs.numeric.proof.parity"
"""The modules that compare a run with the graph, and with another port's, in processes."""


class ProofSubject(Struct, frozen=True):
    """A port to prove, or to compare another with: its loader's framework, its source, its limits.

    `shown` is the digest of the ONNX graph that it was loaded as, `normal` the file of that graph
    in normal form, where it was loaded before.
    """

    name: str
    framework: str
    request: LoadRequest
    limits: Limits = Limits()
    shown: str | None = None
    normal: str | None = None

    @property
    def provable(self) -> bool:
        """Whether its loader can run the framework itself."""
        return hasattr(loader(self.framework), "prove")

    @property
    def file_limits(self) -> Limits:
        """Its limits, with room for files of weights and activations."""
        return msgspec.structs.replace(self.limits, file_mb=FILE_MB)


def prove(subject: ProofSubject, other: ProofSubject | None = None) -> Proof:
    """Prove one port; failures are returned, not raised.

    A port whose framework no longer runs is compared with `other`, a port of the same model.
    """
    started = time.monotonic()
    try:
        proof = _not_runnable(subject, other) or _run_and_compare(subject, other)
    except ModeldocsError as error:
        proof = Proof(failure=Failure.of(error))
    return msgspec.structs.replace(
        proof, seconds=round(time.monotonic() - started, 3), date=_today()
    )


def _not_runnable(subject: ProofSubject, other: ProofSubject | None) -> Proof | None:
    """The failed proof where no framework can be run for it; None where one can."""
    runnable = subject if subject.provable else other
    if runnable is None:
        failure = Failure(
            reason=f"nothing runs {loader(subject.framework).title} any more, and its model has "
            "no port in another framework to hold it against",
            file=subject.request.source,
            fix="put a port in PyTorch beside it",
        )
        return Proof(failure=failure)
    mistaken = loading.mistaken(runnable.framework, runnable.request)
    return Proof(failure=Failure.of(mistaken)) if mistaken is not None else absent(runnable)


def absent(runnable: ProofSubject) -> Proof | None:
    """The failed proof where the framework to run is not installed; None where it is."""
    failure = loading.absent(runnable.framework, runnable.request, proving=True)
    return Proof(failure=failure) if failure is not None else None


def _run_and_compare(subject: ProofSubject, other: ProofSubject | None) -> Proof:
    if not subject.provable and other is not None:
        return _compare_with_port(subject, other)
    with reference_runs(subject) as folders:
        request = CompareRequest(folders=folders, shown=subject.shown, normal=subject.normal)
        reads = folders if subject.normal is None else [*folders, subject.normal]
        with isolation.run(
            _COMPARISON, request, subject.file_limits, reads=reads, preload=[_COMPARISON]
        ) as outcome:
            return outcome.result(Proof, doing="comparing it ", file=subject.request.source)


@contextlib.contextmanager
def reference_runs(subject: ProofSubject) -> Iterator[list[str]]:
    """Run a port in its framework; the folders of its runs, for `loaders.reference.read`.

    There is a second run with small values where the first hides differences.

    Raises:
        ModeldocsError: it could not be loaded, or not be run.
    """
    with run(subject, _WORKER) as outcome:
        yield sorted(str(file.parent) for file in Path(outcome.folder).glob(f"*/{reference.RUN}"))


@contextlib.contextmanager
def run(
    subject: ProofSubject, worker: str | None, given: str | None = None
) -> Iterator[ProcessOutcome]:
    """Run a worker for a port, with a folder of given arrays if it takes one; without a worker
    the port is loaded.

    Raises:
        ModeldocsError: it could not be loaded, or not be run.
    """
    with loading.running(
        subject.framework, subject.request, subject.file_limits, worker, given
    ) as outcome:
        _raise_failure(outcome, subject)
        yield outcome


@contextlib.contextmanager
def given_runs(*sides: tuple[ProofSubject, Path]) -> Iterator[list[Path]]:
    """Run ports at once, each with the arrays of a folder; the folders of their runs, in order.

    Raises:
        ModeldocsError: one of them could not be loaded, or not be run.
    """
    contexts = [contextlib.ExitStack() for _ in sides]

    def begin(context: contextlib.ExitStack, side: tuple[ProofSubject, Path]) -> Path:
        subject, given = side
        return Path(context.enter_context(run(subject, _GIVEN, str(given))).folder)

    with contextlib.ExitStack() as stack, ThreadPoolExecutor(len(sides)) as threads:
        for context in contexts:
            stack.enter_context(context)
        yield list(threads.map(begin, contexts, sides))


def _compare_with_port(subject: ProofSubject, other: ProofSubject) -> Proof:
    with (
        reference_runs(other) as theirs,
        loading.running(subject.framework, subject.request, subject.limits) as ours,
    ):
        _raise_failure(ours, subject)
        request = ReferencesRequest(
            other=theirs[0], own=ours.folder, title=f"the {other.name} port"
        )
        with isolation.run(
            _PARITY,
            request,
            other.file_limits,
            reads=[theirs[0], ours.folder],
            preload=[_PARITY],
        ) as outcome:
            return outcome.result(Proof, doing="comparing it ", file=subject.request.source)


def _raise_failure(outcome: ProcessOutcome, subject: ProofSubject) -> None:
    """Raise the failure of a worker that could not load or run its port."""
    failure = outcome.result(LoadOutcome, file=subject.request.source).failure
    if failure is not None:
        raise failure.error()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
