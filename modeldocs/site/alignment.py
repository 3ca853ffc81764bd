"""Rows of the table that shows two networks side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from modeldocs import spelling
from modeldocs.diff import CONSEQUENCES, Diff, Ids, Match, Pair
from modeldocs.ir import GraphInput, Layer, LayerGraph
from modeldocs.ir.operators import family
from modeldocs.numerics.closeness import Difference
from modeldocs.site.verdict import Graphs, anchor
from modeldocs.struct import Struct


class Cell(Struct, frozen=True):
    """A layer or an input in the table; `anchor` is its HTML id on the page."""

    id: str
    anchor: str
    name: str
    what: str
    family: str
    shape: str


class Row(Struct, frozen=True):
    """Layers of A and of B that correspond, or layers that only one side has.

    `changes` are the numbers of the changes that name one of them, `consequence` the gravest
    consequence among these. `reason` and `confidence` are those of the match. `error` is the
    difference of their outputs where parity found one, `uncompared` the reason why parity could
    not compare them.
    """

    a: tuple[Cell, ...]
    b: tuple[Cell, ...]
    changes: tuple[int, ...] = ()
    consequence: str = ""
    reason: str = ""
    confidence: float | None = None
    error: Difference | None = None
    uncompared: str = ""

    @property
    def differs(self) -> bool:
        """Whether the row shows a difference."""
        return bool(self.changes or self.error or not self.a or not self.b)

    def anchors(self) -> set[str]:
        """HTML ids of its cells."""
        return {cell.anchor for cell in self.a + self.b}


def rows(diff: Diff, graphs: Graphs) -> list[Row]:
    """All inputs and layers of both graphs, in A's order; those only in B at their place in B."""
    maker = _RowMaker(diff, graphs)
    a, b = (list(_positions(graph)) for graph in graphs)
    position = {identity: index for index, identity in enumerate(b)}
    matches = {layer: match for match in diff.matches for layer in match.a}
    matched = {layer for match in diff.matches for layer in match.b}
    only_b = deque(layer for layer in b if layer not in matched)
    table: list[Row] = []
    placed: set[Ids] = set()
    for layer in a:
        match = matches.get(layer)
        if match is None:
            table.append(maker.row((layer,), ()))
        elif match.a not in placed:
            placed.add(match.a)
            before = min(position[other] for other in match.b)
            while only_b and position[only_b[0]] < before:
                table.append(maker.row((), (only_b.popleft(),)))
            table.append(maker.row(match.a, match.b, match))
    return table + [maker.row((), (layer,)) for layer in only_b]


def _positions(graph: LayerGraph) -> Iterator[str]:
    yield from (entry.id for entry in graph.inputs)
    yield from (layer.id for layer in graph.layers)


class _RowMaker:
    """Makes rows from the changes and the parity of a diff."""

    def __init__(self, diff: Diff, graphs: Graphs) -> None:
        self.changes = diff.changes
        self.cells = [_cells(graph, side) for side, graph in enumerate(graphs)]
        self.numbers: dict[str, list[int]] = {}
        for number, change in enumerate(diff.changes, start=1):
            for identity in _anchors(change.pairs):
                self.numbers.setdefault(identity, []).append(number)
        self.errors: dict[str, Difference] = {}
        self.uncompared: dict[str, str] = {}
        if diff.parity is not None:
            for divergence in diff.parity.divergences:
                self.errors |= dict.fromkeys(_anchors([divergence.pair]), divergence.error)
            for skipped in diff.parity.uncompared:
                self.uncompared |= dict.fromkeys(_anchors([skipped.pair]), skipped.reason)

    def row(self, a: Ids, b: Ids, match: Match | None = None) -> Row:
        ids = list(_anchors([(a, b)]))
        numbers = sorted({number for one in ids for number in self.numbers.get(one, ())})
        ranks = [CONSEQUENCES.index(self.changes[number - 1].consequence) for number in numbers]
        return Row(
            a=tuple(self.cells[0][one] for one in a),
            b=tuple(self.cells[1][one] for one in b),
            changes=tuple(numbers),
            consequence=CONSEQUENCES[min(ranks)] if ranks else "",
            reason=match.reason if match else "",
            confidence=match.confidence if match else None,
            error=next((self.errors[one] for one in ids if one in self.errors), None),
            uncompared=next((self.uncompared[one] for one in ids if one in self.uncompared), ""),
        )


def _anchors(pairs: Iterable[Pair]) -> Iterator[str]:
    """HTML ids of the layers in some pairs, each once."""
    every = (anchor(side, one) for pair in pairs for side, ids in enumerate(pair) for one in ids)
    yield from dict.fromkeys(every)


def _cells(graph: LayerGraph, side: int) -> dict[str, Cell]:
    nodes: list[GraphInput | Layer] = [*graph.inputs, *graph.layers]
    return {node.id: _cell(node, side) for node in nodes}


def _cell(node: Layer | GraphInput, side: int) -> Cell:
    if isinstance(node, GraphInput):
        what, kind, shape = "input", "input", spelling.shape(node.type)
    else:
        what, kind = spelling.headline(node), family(node.operator)
        shape = spelling.shape(node.outputs[0]) if node.outputs else ""
    return Cell(
        id=node.id,
        anchor=anchor(side, node.id),
        name=node.name,
        what=what,
        family=kind,
        shape=shape,
    )
