"""Proving a port against its framework: run when it is asked for, shown by every build after."""

from __future__ import annotations

import msgspec

from modeldocs import loaders
from modeldocs.catalog import Port
from modeldocs.errors import Failure
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.proof import Proof, prover
from modeldocs.proof.prover import Subject
from modeldocs.struct import Struct
from modeldocs.tasks import load
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.load import Load
from modeldocs.tasks.pool import Task


class Proven(Struct, frozen=True):
    """A port that runs in its framework, or is held against one that does.

    `onnx` and `normal` are the digests of what was loaded of it, as it was and in normal form,
    `read` those of its files; `software` names its framework's environment or version.
    """

    name: str
    framework: str
    request: LoadRequest
    limits: Limits
    onnx: str
    normal: str
    read: dict[str, str]
    software: dict[str, str] | None

    def subject(self, place: Place) -> Subject:
        """The same as this machine has its files."""
        return Subject(
            name=self.name,
            framework=self.framework,
            request=load.absolute(self.request, place.root),
            limits=self.limits,
            shown=self.onnx,
            normal=str(place.objects.path(self.normal).resolve()),
        )


class ProofInputs(Struct, frozen=True):
    """A port to be proven, and the one that it is held against where nothing runs its framework."""

    own: Proven
    other: Proven | None = None


def proven(port: Port, loaded: Load, root: str) -> Proven:
    """A port that was loaded, as an input."""
    assert loaded.onnx is not None and loaded.normal is not None
    return Proven(
        name=port.name,
        framework=port.framework,
        request=load.relative(port.request, root),
        limits=port.limits,
        onnx=loaded.onnx,
        normal=loaded.normal,
        read=loaded.read,
        software=isolated.software(port.framework, port.request, proving=True),
    )


def task(name: str, own: Proven, other: Proven | None) -> Task:
    """The task of proving the port of that name."""
    return Task(kind=PROOF.name, name=name, inputs=ProofInputs(own=own, other=other))


def subject(port: Port) -> Subject:
    """A port as what is to be proven, whatever was loaded of it."""
    return Subject(
        name=port.name, framework=port.framework, request=port.request, limits=port.limits
    )


def _run(inputs: ProofInputs, place: Place) -> Proof:
    other = inputs.other.subject(place) if inputs.other is not None else None
    return prover.prove(inputs.own.subject(place), other)


def _decisive(inputs: ProofInputs) -> object:
    """A proof is kept whatever it may take."""
    held = [one for one in (inputs.own, inputs.other) if one is not None]
    return [msgspec.structs.replace(one, limits=Limits()) for one in held]


def _modules(inputs: ProofInputs) -> tuple[str, ...]:
    held = [one for one in (inputs.own, inputs.other) if one is not None]
    return tuple(loaders.entry_point(one.framework).module for one in held)


def _failed(_inputs: ProofInputs, failure: Failure) -> Proof:
    return Proof(failure=failure, transient=True)


PROOF = Kind(
    name="proof",
    result=Proof,
    runs=prover.prove,
    run=_run,
    fails=lambda result: result.failure is not None,
    failed=_failed,
    keeps=lambda proof: not proof.transient,
    decisive=_decisive,
    modules=_modules,
)
