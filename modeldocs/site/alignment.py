"""Two networks side by side: a row for what corresponds, in A's order, and for what is alone."""

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
    """A layer or an input as the table tells it; `anchor` is its own id on the page."""

    id: str
    anchor: str
    name: str
    what: str
    family: str
    shape: str


class Row(Struct, frozen=True):
    """What corresponds: layers of A, of B, why, and the numbers of the changes that name them.

    `consequence` is the gravest of these changes'. `error` is how far apart the numbers are where
    they part, `uncompared` why they could not be compared.
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
        """Whether there is anything to look at."""
        return bool(self.changes or self.error or not self.a or not self.b)

    def anchors(self) -> set[str]:
        """Ids of its cells on the page."""
        return {cell.anchor for cell in self.a + self.b}


def rows(diff: Diff, graphs: Graphs) -> list[Row]:
    """All inputs and layers of both graphs; those only in B stand where B has them."""
    make = _RowMaker(diff, graphs)
    a, b = (list(_positions(graph)) for graph in graphs)
    position = {identity: index for index, identity in enumerate(b)}
    matches = {one: match for match in diff.matches for one in match.a}
    matched = {one for match in diff.matches for one in match.b}
    alone = deque(one for one in b if one not in matched)
    made: list[Row] = []
    told: set[Ids] = set()
    for one in a:
        match = matches.get(one)
        if match is None:
            made.append(make.row((one,), ()))
        elif match.a not in told:
            told.add(match.a)
            before = min(position[other] for other in match.b)
            while alone and position[alone[0]] < before:
                made.append(make.row((), (alone.popleft(),)))
            made.append(make.row(match.a, match.b, match))
    return made + [make.row((), (one,)) for one in alone]


def _positions(graph: LayerGraph) -> Iterator[str]:
    yield from (entry.id for entry in graph.inputs)
    yield from (layer.id for layer in graph.layers)


class _RowMaker:
    """Knows what is said of each layer of a pair of graphs."""

    def __init__(self, diff: Diff, graphs: Graphs) -> None:
        self.changes = diff.changes
        self.cells = [_cells(graph, side) for side, graph in enumerate(graphs)]
        self.numbers: dict[str, list[int]] = {}
        for number, change in enumerate(diff.changes, start=1):
            for told in _anchors(change.pairs):
                self.numbers.setdefault(told, []).append(number)
        self.errors: dict[str, Difference] = {}
        self.uncompared: dict[str, str] = {}
        if diff.parity is not None:
            for held in diff.parity.divergences:
                self.errors |= dict.fromkeys(_anchors([held.pair]), held.error)
            for left in diff.parity.uncompared:
                self.uncompared |= dict.fromkeys(_anchors([left.pair]), left.reason)

    def row(self, a: Ids, b: Ids, match: Match | None = None) -> Row:
        told = list(_anchors([(a, b)]))
        numbers = sorted({number for one in told for number in self.numbers.get(one, ())})
        ranks = [CONSEQUENCES.index(self.changes[number - 1].consequence) for number in numbers]
        return Row(
            a=tuple(self.cells[0][one] for one in a),
            b=tuple(self.cells[1][one] for one in b),
            changes=tuple(numbers),
            consequence=CONSEQUENCES[min(ranks)] if ranks else "",
            reason=match.reason if match else "",
            confidence=match.confidence if match else None,
            error=next((self.errors[one] for one in told if one in self.errors), None),
            uncompared=next((self.uncompared[one] for one in told if one in self.uncompared), ""),
        )


def _anchors(pairs: Iterable[Pair]) -> Iterator[str]:
    """Where on the page the layers are that pairs name, each once."""
    every = (anchor(side, one) for pair in pairs for side, ids in enumerate(pair) for one in ids)
    yield from dict.fromkeys(every)


def _cells(graph: LayerGraph, side: int) -> dict[str, Cell]:
    held: list[GraphInput | Layer] = [*graph.inputs, *graph.layers]
    return {one.id: _cell(one, side) for one in held}


def _cell(one: Layer | GraphInput, side: int) -> Cell:
    if isinstance(one, GraphInput):
        what, kind, shape = "input", "input", spelling.shape(one.type)
    else:
        what, kind = spelling.headline(one), family(one.operator)
        shape = spelling.shape(one.outputs[0]) if one.outputs else ""
    return Cell(
        id=one.id, anchor=anchor(side, one.id), name=one.name, what=what, family=kind, shape=shape
    )
