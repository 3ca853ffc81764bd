"""The tasks of a catalog, as far as the results of earlier ones tell them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from modeldocs import generators
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Catalog, Model
from modeldocs.errors import Failure
from modeldocs.isolation import Limits
from modeldocs.tasks import (
    diff,
    draw,
    generate,
    load,
    panel,
    parity,
    program_targets,
    proof,
    unresolved_pairs,
)
from modeldocs.tasks.kind import machine_failure
from modeldocs.tasks.load import Load
from modeldocs.tasks.names import pair_name, port_name, program_name, program_pair_name
from modeldocs.tasks.pairs import Pairs
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.proof import subject
from modeldocs.tasks.results import Results, TaskRun
from modeldocs.tasks.unresolved_pairs import DiffOf, DoubtInputs


def loads(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The load of each port; of one with a mistake, a line of the log."""
    memory = results.memory
    for model in catalog.models:
        for port in model.ports:
            if port.failure is not None:
                name = port_name(model, port)
                results.log.append(TaskRun(kind="load", name=name, outcome="refused"))
        made = partial(_loads_of, catalog)
        yield from made(model) if memory is None else memory.loads(model, made)


def _loads_of(catalog: Catalog, model: Model) -> list[PooledTask]:
    return [load.task(catalog, model, port) for port in model.ports if port.failure is None]


def proofs(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The proof of each port that loaded."""
    for model in catalog.models:
        inputs = {
            port.name: proof.port_input(port, loaded, catalog.root)
            for port in model.ports
            if (loaded := results.loaded(model, port)).graph is not None
        }
        for port in model.ports:
            if port.name in inputs:
                provable = subject(port).provable
                other = None if provable else _provable(model, inputs)
                task = proof.task(port_name(model, port), inputs[port.name], other)
                prevented = None if provable or other else _prevented(model, results)
                if prevented is None:
                    yield task
                else:
                    results.prevent(task, prevented)


def _provable(model: Model, inputs: dict[str, proof.PortInput]) -> proof.PortInput | None:
    """A port whose framework can be run, by which others are proven; PyTorch's before others."""
    ports = [port for port in model.ports if port.name in inputs and subject(port).provable]
    first = min(ports, key=lambda port: (port.framework != "pytorch", port.name), default=None)
    return inputs[first.name] if first is not None else None


def _prevented(model: Model, results: Results) -> Failure | None:
    """The failure of the machine for which a model has no port yet that others are proven by."""
    for port in model.ports:
        failure = machine_failure(results.loaded(model, port))
        if failure is not None and subject(port).provable:
            return failure
    return None


def programs(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The program of each model in each of its targets."""
    for model in catalog.models:
        port = program_targets.source(model, results)
        if port is not None:
            source, loaded = port_name(model, port), results.loaded(model, port)
            for target in results.targets.get(model.id, ()):
                name = program_name(model, target)
                yield generate.task(name, target, source, port, loaded, catalog.root)


def program_diffs(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The diff of each proven program and each port of its framework."""
    for one in _program_pairs(catalog, results):
        yield diff.task(one.name, str(one.program.graph), str(one.port.graph))


def program_parities(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The parity of each of these pairs that were compared."""
    for one in _program_pairs(catalog, results):
        digest = results.digests.get(("diff", one.name))
        if digest is not None:
            yield parity.task(one.name, one.program, one.port, digest, one.limits)


class _ProgramPair(NamedTuple):
    """A program and a port that loaded, under the name of their comparison."""

    name: str
    program: Load
    port: Load
    limits: Limits


def _program_pairs(catalog: Catalog, results: Results) -> Iterator[_ProgramPair]:
    for model in catalog.models:
        for target in results.targets.get(model.id, ()):
            program = results.program(model, target)
            own = program.proof.loaded if program is not None and program.proof else None
            if own is None or program is None or program.reason is not None:
                continue
            for port in results.ports_in(model, generators.target(target).framework):
                name = program_pair_name(model, target, port)
                yield _ProgramPair(name, own, results.loaded(model, port), port.limits)


def of_graphs(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The drawing of each port that loaded, and the diff of each pair that is compared."""
    for model in catalog.models:
        for name, graph in graphs(model, results).items():
            yield draw.task(f"{model.id}/{name}", graph)
        yield from diffs(model, results.pairs(model), results)


def diffs(model: Model, compared: Pairs, results: Results) -> Iterator[PooledTask]:
    """The diff of each of those pairs whose ports loaded."""
    loaded = graphs(model, results)
    for a, b in compared:
        if a.name in loaded and b.name in loaded:
            yield diff.task(pair_name(model, a, b), loaded[a.name], loaded[b.name])


def graphs(model: Model, results: Results) -> dict[str, str]:
    """The digests of the graphs of the ports that loaded, by name."""
    return {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}


def doubt_of(model: Model, results: Results) -> PooledTask:
    """Which pairs of a model are to be compared besides, told by those that were."""
    compared = results.pairs(model)
    known = [
        DiffOf(a=a.name, b=b.name, diff=digest)
        for a, b in compared
        if (digest := results.digests.get(("diff", pair_name(model, a, b)))) is not None
    ]
    inputs = DoubtInputs(
        reference=compared[0][0].name, graphs=graphs(model, results), diffs=tuple(known)
    )
    return unresolved_pairs.task(model.id, inputs)


def panels(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The charts of each model's records, and of each port's records."""
    for model in catalog.models:
        every = [item.record for item in results.records[model.id] if item.record is not None]
        groups = {model.id: every} | {
            port_name(model, port): [record for record in every if record.model.port == port.name]
            for port in model.ports
        }
        for name, records in groups.items():
            if records:
                yield panel.task(name, tuple(records))
    inference = list(_inference(catalog, results))
    if inference:
        yield panel.task(
            panel.CATALOG,
            tuple(record for record, _ in inference),
            tuple(graph for _, graph in inference),
        )


def _inference(catalog: Catalog, results: Results) -> Iterator[tuple[Record, str]]:
    """The records of inference, each with the digest of its graph."""
    for model in catalog.models:
        for item in results.records[model.id]:
            if item.record is not None and item.record.run.task == "inference":
                graph = results.graph_digest_of(model, item.record)
                if graph is not None:
                    yield item.record, graph


def parities(catalog: Catalog, results: Results) -> Iterator[PooledTask]:
    """The parity of each pair of ports that were compared."""
    for model in catalog.models:
        for a, b in results.pairs(model):
            name = pair_name(model, a, b)
            digest = results.digests.get(("diff", name))
            if digest is not None:
                first, second = results.loaded(model, a), results.loaded(model, b)
                yield parity.task(name, first, second, digest, a.limits.wider(b.limits))
