"""The task of writing a port as a program of another framework, and of proving it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from modeldocs import environments, generators, loaders
from modeldocs.catalog import Port
from modeldocs.environments import Environment
from modeldocs.errors import Failure
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.numeric.proof import held_program
from modeldocs.tasks import closure, diff, load, parity, program_proof, programs
from modeldocs.tasks.kind import Software, TaskFolders, TaskKind
from modeldocs.tasks.load import LOAD, Load
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.programs import GeneratedProgram, ProgramInputs
from modeldocs.tasks.proof import port_input
from modeldocs.tasks.store import Accepted


def task(name: str, target: str, source: str, port: Port, loaded: Load, root: str) -> PooledTask:
    """The task of that name, of writing a port in a target; `source` is what it is called."""
    assert loaded.graph is not None
    own = port_input(port, loaded, root)
    inputs = ProgramInputs(name=source, target=target, own=own, graph=loaded.graph)
    return PooledTask(kind=GENERATE.name, name=name, inputs=inputs)


def _decisive(inputs: ProgramInputs) -> object:
    """The inputs without limits and shared folders, on which a program does not depend."""
    own = msgspec.structs.replace(
        inputs.own, limits=Limits(), request=load.decisive(inputs.own.request)
    )
    return msgspec.structs.replace(inputs, own=own)


def _modules(inputs: ProgramInputs) -> tuple[str, ...]:
    """The generator, the loaders, and what the program is loaded, compared and run by."""
    steps = (kind.runs.__module__ for kind in (LOAD, diff.DIFF, parity.PARITY))
    used = {inputs.own.framework, generators.target(inputs.target).framework}
    entries = (loaders.entry_point(one).module for one in sorted(used & _loadable()))
    target = generators.entry_point(inputs.target).module
    runner = generators.target(inputs.target).runner
    own = () if runner is None else (held_program.__name__, runner.module)
    return (program_proof.__name__, *steps, *entries, target, *own)


def _loadable() -> set[str]:
    """The frameworks that have a loader."""
    return set(loaders.frameworks())


def _requests(inputs: ProgramInputs, place: TaskFolders) -> Iterator[tuple[str, LoadRequest]]:
    """What is loaded, with its framework: the source, and the program."""
    yield inputs.own.framework, load.absolute(inputs.own.request, place.root)
    target = generators.target(inputs.target)
    if target.framework in _loadable():
        yield target.framework, LoadRequest(root=place.root, path=f"program{target.suffix}")


def _versions(inputs: ProgramInputs, place: TaskFolders) -> dict[str, str]:
    """Versions that a program and its proof depend on, but those that are not installed."""
    code = closure.closure(GENERATE.runs.__module__, *_modules(inputs))
    versions = dict(closure.versions(code.packages))
    for framework, request in _requests(inputs, place):
        versions |= loading.software(framework, request, proving=True) or {}
    own = _environment(inputs)
    return versions if own is None else versions | {f"environment {own.name}": own.folder.name}


def _environment(inputs: ProgramInputs) -> Environment | None:
    """The environment of what runs programs that no loader loads."""
    runner = generators.target(inputs.target).runner
    return environments.locked(runner.environment) if runner is not None else None


def _absent(inputs: ProgramInputs, place: TaskFolders) -> Failure | None:
    """The failure where a framework to run is not installed here."""
    own = _environment(inputs)
    if own is not None and not own.ready:
        title = generators.target(inputs.target).title
        return Failure.of(environments.missing(own, title, None))
    found = (
        loading.absent(framework, request, proving=hasattr(loaders.loader(framework), "prove"))
        for framework, request in _requests(inputs, place)
    )
    return next((failure for failure in found if failure is not None), None)


def _accepted(inputs: ProgramInputs, place: TaskFolders) -> Iterator[Accepted]:
    """The software of a valid program; of one that cannot be proven here, what is known of that."""
    yield Accepted(_versions(inputs, place), exact=_absent(inputs, place) is None)


def _refused(inputs: ProgramInputs, place: TaskFolders) -> GeneratedProgram | None:
    failure = _absent(inputs, place)
    return GeneratedProgram(failure=failure) if failure is not None else None


def _observed(
    inputs: ProgramInputs, _program: GeneratedProgram, place: TaskFolders
) -> tuple[Mapping[str, str], Software]:
    return {}, _versions(inputs, place)


def _parts(program: GeneratedProgram) -> tuple[str, ...]:
    """The program's graph, with which pages show it, and what it is compared with others by."""
    own = program.proof.loaded if program.proof is not None else None
    return tuple(filter(None, (own.graph, own.onnx, own.normal))) if own is not None else ()


GENERATE = TaskKind(
    name="generate",
    result=GeneratedProgram,
    runs=generators.target,
    run=programs.run,
    fails=lambda result: result.reason is not None,
    failed=lambda _, failure: GeneratedProgram(failure=failure),
    refuses=_refused,
    decisive=_decisive,
    modules=_modules,
    software=_accepted,
    parts=_parts,
    observed=_observed,
)
