"""The task of proving a port against its framework, run by `modeldocs verify`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from modeldocs import loaders
from modeldocs.catalog import Port
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.numeric.proof import Proof, prover
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct
from modeldocs.tasks import closure, load
from modeldocs.tasks.kind import Software, TaskFolders, TaskKind
from modeldocs.tasks.load import Load
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.store import Accepted


class PortInput(Struct, frozen=True):
    """A port that loaded, as input of a proof.

    `onnx` and `normal` are the digests of its ONNX as loaded and in normal form, `read` those of
    its files.
    """

    name: str
    framework: str
    request: LoadRequest
    limits: Limits
    onnx: str
    normal: str
    read: dict[str, str]

    def subject(self, place: TaskFolders) -> ProofSubject:
        """The port with absolute paths on this machine."""
        return ProofSubject(
            name=self.name,
            framework=self.framework,
            request=load.absolute(self.request, place.root),
            limits=self.limits,
            shown=self.onnx,
            normal=str(place.objects.path(self.normal).resolve()),
        )


class ProofInputs(Struct, frozen=True):
    """A port to be proven, and another one to prove it by where its framework cannot be run."""

    own: PortInput
    other: PortInput | None = None


def port_input(port: Port, loaded: Load, root: str) -> PortInput:
    """A port that loaded; `root` is the catalog's folder."""
    assert loaded.onnx is not None and loaded.normal is not None
    return PortInput(
        name=port.name,
        framework=port.framework,
        request=load.relative(port.request, root),
        limits=port.limits,
        onnx=loaded.onnx,
        normal=loaded.normal,
        read=loaded.read,
    )


def task(name: str, own: PortInput, other: PortInput | None) -> PooledTask:
    """The task of proving the port of that name."""
    return PooledTask(kind=PROOF.name, name=name, inputs=ProofInputs(own=own, other=other))


def subject(port: Port) -> ProofSubject:
    """A port as subject of a proof, without anything that was loaded."""
    return ProofSubject(
        name=port.name, framework=port.framework, request=port.request, limits=port.limits
    )


def _run(inputs: ProofInputs, place: TaskFolders) -> Proof:
    other = inputs.other.subject(place) if inputs.other is not None else None
    return prover.prove(inputs.own.subject(place), other)


def _decisive(inputs: ProofInputs) -> object:
    """The inputs without limits and shared folders, on which a proof does not depend."""
    return [
        msgspec.structs.replace(port, limits=Limits(), request=load.decisive(port.request))
        for port in _ports(inputs)
    ]


def _versions(inputs: ProofInputs, place: TaskFolders) -> dict[str, str]:
    """Versions that a proof depends on, but those of packages that are not installed."""
    code = closure.closure(PROOF.runs.__module__, *_modules(inputs))
    versions = dict(closure.versions(code.packages))
    for port in _ports(inputs):
        request = load.absolute(port.request, place.root)
        versions |= loading.software(port.framework, request, proving=True) or {}
    return versions


def _accepted(inputs: ProofInputs, place: TaskFolders) -> Iterator[Accepted]:
    """The software of a valid proof; of one that cannot be made here, what is known of that."""
    absent = (
        loading.absent(port.framework, load.absolute(port.request, place.root), proving=True)
        for port in _ports(inputs)
    )
    yield Accepted(_versions(inputs, place), exact=not any(absent))


def _observed(
    inputs: ProofInputs, _proof: Proof, place: TaskFolders
) -> tuple[Mapping[str, str], Software]:
    return {}, _versions(inputs, place)


def _modules(inputs: ProofInputs) -> tuple[str, ...]:
    return tuple(loaders.entry_point(port.framework).module for port in _ports(inputs))


def _ports(inputs: ProofInputs) -> list[PortInput]:
    return [port for port in (inputs.own, inputs.other) if port is not None]


def _refused(inputs: ProofInputs, place: TaskFolders) -> Proof | None:
    """The failed proof where the framework to run is not installed here; None where it is."""
    runnable = (port.subject(place) for port in _ports(inputs))
    chosen = next((one for one in runnable if one.provable), None)
    return prover.absent(chosen) if chosen is not None else None


PROOF = TaskKind(
    name="proof",
    result=Proof,
    runs=prover.prove,
    run=_run,
    fails=lambda result: result.failure is not None,
    failed=lambda _, failure: Proof(failure=failure),
    refuses=_refused,
    decisive=_decisive,
    modules=_modules,
    software=_accepted,
    observed=_observed,
)
