"""What is made of loaded ports: drawings, diffs of every pair, charts of records, as tasks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import msgspec

from modeldocs import diagram, diff
from modeldocs.benchmarks import panel, record
from modeldocs.build import store
from modeldocs.build.pool import Task
from modeldocs.build.results import Results, pair_name, pairs, port_name
from modeldocs.catalog import Catalog, Model
from modeldocs.graph import LayerGraph

_DIFF_CODE = ("modeldocs.diff", "modeldocs.graph", "modeldocs.operators")
_PANEL_CODE = ("modeldocs.benchmarks",)
_DRAW_CODE = (
    "modeldocs.diagram",
    "modeldocs.spelling",
    "modeldocs.graph",
    "modeldocs.operators",
    "modeldocs.isolation",
    "modeldocs.confined",
)


def tasks(catalog: Catalog, results: Results) -> Iterator[Task]:
    """All that can be made of the ports that loaded, and of the records."""
    for model in catalog.models:
        yield from chain(_of_graphs(model, results), _panels(model, results))


def _of_graphs(model: Model, results: Results) -> Iterator[Task]:
    """A drawing of each port that loaded, and a diff of each pair of them."""
    graphs = {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}
    digests = {name: store.key(graph) for name, graph in graphs.items()}
    loaded = [port for port in model.ports if port.name in graphs]
    for port in loaded:
        key = store.key("draw", digests[port.name], store.code_version(*_DRAW_CODE))
        name = port_name(model, port)
        yield Task(kind="draw", name=name, key=key, arguments=(graphs[port.name],))
    for a, b in pairs(model, loaded):
        both = digests[a.name], digests[b.name]
        yield Task(
            kind="diff",
            name=pair_name(model, a, b),
            key=store.key("diff", *both, store.code_version(*_DIFF_CODE)),
            arguments=(graphs[a.name], graphs[b.name]),
        )


def _panels(model: Model, results: Results) -> Iterator[Task]:
    """The charts of a model's records, and of each port's own."""
    held = [item.record for item in results.records[model.id] if item.record is not None]
    groups = {model.id: held} | {
        port_name(model, port): [r for r in held if r.model.port == port.name]
        for port in model.ports
    }
    for name, records in groups.items():
        if records:
            key = store.key("panel", records, store.code_version(*_PANEL_CODE))
            yield Task(kind="panel", name=name, key=key, arguments=tuple(records))


def run(task: Task) -> bytes:
    """Draw, compare or chart; runs in a process of the pool."""
    if task.kind == "panel":
        records = [held for held in task.arguments if isinstance(held, record.Record)]
        return msgspec.msgpack.encode(panel.draw(records))
    graphs = [graph for graph in task.arguments if isinstance(graph, LayerGraph)]
    if task.kind == "diff":
        return msgspec.msgpack.encode(diff.compare(graphs[0], graphs[1]))
    return msgspec.msgpack.encode(diagram.draw(graphs[0]))
