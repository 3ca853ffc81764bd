"""Parity as tasks: both ports of every pair run with the same weights, once their diff is there."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from modeldocs import digest, parity
from modeldocs.build import store
from modeldocs.build.pool import Task
from modeldocs.build.results import Results, pair_name, pairs
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diff import Diff
from modeldocs.isolation import Limits
from modeldocs.loaders.isolated import Loaded

_CODE = (
    "modeldocs.parity",
    "modeldocs.closeness",
    "modeldocs.diff.function",
    "modeldocs.diff.parity",
    "modeldocs.diff.weights",
    "modeldocs.operators",
    "modeldocs.runtime",
    "modeldocs.normal",
    "modeldocs.isolation",
    "modeldocs.confined",
)


def tasks(catalog: Catalog, results: Results) -> Iterator[Task]:
    """One for each pair of ports that were compared."""
    for model in catalog.models:
        decisive = {port.name: _decisive(results.loaded(model, port)) for port in model.ports}
        for a, b in pairs(model, model.ports):
            diff = results.diff(model, a, b)
            if diff is not None:
                yield _task(model, (a, b), diff, results, (decisive[a.name], decisive[b.name]))


Decisive = tuple[str, str]
"""Digests of what of a port decides its numbers: its graph, and its ONNX."""


def _decisive(loaded: Loaded) -> Decisive:
    return store.key(loaded.graph), digest.of(loaded.onnx)


def _task(
    model: Model,
    both: tuple[Port, Port],
    diff: Diff,
    results: Results,
    decisive: tuple[Decisive, Decisive],
) -> Task:
    name = pair_name(model, *both)
    held = [results.loaded(model, port) for port in both]
    limits = wider(*(port.limits for port in both))
    return Task(
        kind="parity",
        name=name,
        key=store.key(
            "parity", decisive, results.digests["diff", name], limits, store.code_version(*_CODE)
        ),
        arguments=(*held, diff, limits),
    )


def wider(a: Limits, b: Limits) -> Limits:
    """Two networks run at once: they may take what either port may."""
    return Limits(
        seconds=max(a.seconds, b.seconds),
        memory_mb=max(a.memory_mb, b.memory_mb),
        file_mb=max(a.file_mb, b.file_mb),
    )


def run(task: Task) -> bytes:
    """Run both networks of a pair; runs in a process of the pool."""
    a, b, diff, limits = task.arguments
    assert isinstance(a, Loaded) and isinstance(b, Loaded)
    assert isinstance(diff, Diff) and isinstance(limits, Limits)
    return msgspec.msgpack.encode(parity.compare(a, b, diff, limits))
