"""A diff's page: the verdict, what changed in order of consequence, both networks side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from posixpath import join

import msgspec

from modeldocs import diff as engine
from modeldocs.build.results import Results
from modeldocs.catalog import Model, Port
from modeldocs.diff import Change, Diff, Pair
from modeldocs.graph import Layer, LayerGraph, Struct
from modeldocs.loaders import title
from modeldocs.site import addresses
from modeldocs.site.page import Page
from modeldocs.site.templating import Templates

MAX_ROWS = 1000


class Row(Struct, frozen=True):
    """A layer of A beside its counterpart in B, and the numbers of the changes between them."""

    a: Layer | None
    b: Layer | None
    changes: tuple[int, ...]
    consequence: str


def pages(model: Model, a: Port, b: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a pair, and the diff as JSON where both ports loaded."""
    here = addresses.pair(model, a, b)
    diff = results.diff(model, a, b)
    graphs = results.loaded(model, a).graph, results.loaded(model, b).graph
    parts: dict[str, str] = {}
    if diff is not None and graphs[0] is not None and graphs[1] is not None:
        parts = _parts(model, a, b, diff, (graphs[0], graphs[1]), templates)
        data = msgspec.json.format(engine.encode(diff), indent=1)
        yield Page(path=join(here, "diff.json"), content=data)
    ports = [
        (
            port,
            title(port.framework),
            addresses.between(here, addresses.port(model, port), "index.md"),
        )
        for port in (a, b)
    ]
    yield templates.page(
        join(here, "index.md"),
        "diff",
        parts,
        model=model,
        ports=ports,
        compared=diff is not None,
        up=addresses.between(here, addresses.model(model), "index.md"),
        home=addresses.between(here, "", "index.md"),
    )


def _parts(
    model: Model,
    a: Port,
    b: Port,
    diff: Diff,
    graphs: tuple[LayerGraph, LayerGraph],
    templates: Templates,
) -> dict[str, str]:
    here = addresses.pair(model, a, b)
    rows = align(diff, *graphs)
    shown = rows if len(rows) <= MAX_ROWS else [row for row in rows if row.changes][:MAX_ROWS]
    groups = [
        (consequence, numbered)
        for consequence in engine.CONSEQUENCES
        if (numbered := _of(diff, consequence))
    ]
    links = [addresses.between(here, addresses.port(model, port)) for port in (a, b)]
    return {
        "verdict": templates.html("verdict", diff=diff, names=(a.name, b.name)),
        "changes": templates.html(
            "changes", groups=groups, links=links, names=[graph.names() for graph in graphs]
        ),
        "alignment": templates.html(
            "alignment", rows=shown, total=len(rows), names=(a.name, b.name), links=links
        ),
    }


def _of(diff: Diff, consequence: str) -> list[tuple[int, Change]]:
    numbered = enumerate(diff.changes, start=1)
    return [(number, change) for number, change in numbered if change.consequence == consequence]


def align(diff: Diff, a: LayerGraph, b: LayerGraph) -> list[Row]:
    """Both graphs' layers as rows in A's order, layers only in B where B has them."""
    make = _RowMaker(diff)
    counterpart = diff.counterpart()
    of_b = {layer.id: layer for layer in b.layers}
    taken = {counterpart[layer.id] for layer in a.layers if layer.id in counterpart}
    alone = deque(layer.id for layer in b.layers if layer.id not in taken)
    position = {layer.id: index for index, layer in enumerate(b.layers)}
    rows: list[Row] = []
    for layer in a.layers:
        other = counterpart.get(layer.id)
        while alone and other in position and position[alone[0]] < position[other]:
            rows.append(make.row(None, of_b[alone.popleft()]))
        rows.append(make.row(layer, of_b.get(other or "")))
    return rows + [make.row(None, of_b[identity]) for identity in alone]


class _RowMaker:
    """Knows which changes name a pair of layers."""

    def __init__(self, diff: Diff) -> None:
        self.changes = diff.changes
        self.numbers: dict[Pair, list[int]] = {}
        for number, change in enumerate(diff.changes, start=1):
            for pair in dict.fromkeys(change.pairs):
                self.numbers.setdefault(pair, []).append(number)

    def row(self, a: Layer | None, b: Layer | None) -> Row:
        numbers = self.numbers.get((a.id if a else None, b.id if b else None), [])
        ranks = [engine.CONSEQUENCES.index(self.changes[n - 1].consequence) for n in numbers]
        worst = engine.CONSEQUENCES[min(ranks)] if ranks else ""
        return Row(a=a, b=b, changes=tuple(numbers), consequence=worst)
