"""A proof from its source: the framework's run, then the comparison, each in its own process."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits, Outcome
from modeldocs.loaders import LoadRequest, isolated, loader, reference
from modeldocs.loaders.worker import WorkResult
from modeldocs.proof import Proof
from modeldocs.proof.comparison import CompareRequest
from modeldocs.proof.parity import ParityRequest
from modeldocs.struct import Struct

S = TypeVar("S", bound=msgspec.Struct)

FILE_MB = 16 * 1024
"""Weights and activations cross the border between two processes as files."""


class Subject(Struct, frozen=True):
    """A port to be proven, or to be held against: what loads it, from where, within what.

    `shown` is the digest of the ONNX graph that it was loaded as, `normal` the file of that graph
    in normal form, where it was.
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
    def large(self) -> Limits:
        """Its limits, with files as large as weights are."""
        return msgspec.structs.replace(self.limits, file_mb=FILE_MB)


def prove(subject: Subject, other: Subject | None = None) -> Proof:
    """Prove one port. Failures come back as data, never as exceptions.

    Where nothing can run its framework, it is held against `other`, a port of the same model.
    """
    started = time.monotonic()
    try:
        made = _unable(subject, other) or _made(subject, other)
    except ModeldocsError as error:
        made = Proof(failure=Failure.of(error))
    return msgspec.structs.replace(made, seconds=round(time.monotonic() - started, 3))


def _unable(subject: Subject, other: Subject | None) -> Proof | None:
    runs = subject if subject.provable else other
    if runs is None:
        failure = Failure(
            reason=f"nothing runs {loader(subject.framework).title} any more, and its model has "
            "no port in another framework to hold it against",
            file=subject.request.source,
            fix="put a port in PyTorch beside it",
        )
        return Proof(failure=failure)
    absent = isolated.absent(runs.framework, runs.request, proving=True)
    return Proof(failure=absent, passing=True) if absent is not None else None


def _made(subject: Subject, other: Subject | None) -> Proof:
    if not subject.provable and other is not None:
        return _parity(subject, other)
    with running(subject) as folders:
        compared = CompareRequest(folders=folders, shown=subject.shown, normal=subject.normal)
        reads = folders if subject.normal is None else [*folders, subject.normal]
        with isolation.run(
            "modeldocs.proof.comparison", compared, subject.large, reads=reads
        ) as outcome:
            return _result(outcome, subject, Proof, "comparing it ")


@contextlib.contextmanager
def running(subject: Subject) -> Iterator[list[str]]:
    """The folders of a port's runs in its framework, as `loaders.reference.read` reads them.

    There is a second run, with small values, where the first cannot show everything.

    Raises:
        ModeldocsError: it could not be loaded, or not be run.
    """
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(_run(subject, "modeldocs.proof.worker"))
        folders = [first.folder]
        if reference.read_told(Path(first.folder)).torn:
            second = stack.enter_context(_run(subject, "modeldocs.proof.small_worker"))
            folders.append(second.folder)
        yield folders


@contextlib.contextmanager
def _run(subject: Subject, worker: str) -> Iterator[Outcome]:
    with isolated.working(subject.framework, subject.request, subject.large, worker) as outcome:
        _check_worked(outcome, subject)
        yield outcome


def _parity(subject: Subject, other: Subject) -> Proof:
    with (
        _run(other, "modeldocs.proof.worker") as theirs,
        isolated.working(subject.framework, subject.request, subject.limits) as ours,
    ):
        _check_worked(ours, subject)
        told = f"the {other.name} port"
        compared = ParityRequest(other=theirs.folder, own=ours.folder, told=told)
        with isolation.run(
            "modeldocs.proof.parity", compared, other.large, reads=[theirs.folder, ours.folder]
        ) as third:
            return _result(third, subject, Proof, "comparing it ")


def _check_worked(outcome: Outcome, subject: Subject) -> None:
    """Raise what kept a worker from loading or running its port."""
    failure = _result(outcome, subject, WorkResult).failure
    if failure is not None:
        raise failure.error()


def _result(outcome: Outcome, subject: Subject, kind: type[S], doing: str = "") -> S:
    """What an isolated run left as its result.

    Raises:
        ModeldocsError: it ended without one, or left one that cannot be read.
    """
    file = subject.request.source
    if outcome.failure is not None:
        raise ModeldocsError(f"{doing}{outcome.failure}", file=file, fix=outcome.fix)
    try:
        return msgspec.json.decode(outcome.read("result.json"), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise ModeldocsError(f"left no readable result: {error}", file=file) from None
