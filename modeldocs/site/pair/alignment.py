"""Rows of the table that shows two networks side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from modeldocs import formatting
from modeldocs.cache_last import remembered
from modeldocs.diff import CONSEQUENCES, KINDS, Change, Diff, Ids, Match, Pair
from modeldocs.diff.reporting.kinds import one_sided
from modeldocs.diff.reporting.values import Node, Nodes, output, shape
from modeldocs.ir import GraphInput, LayerGraph
from modeldocs.ir.operators import family
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.struct import Struct
from modeldocs.verdict.sentences import Graphs, anchor

SIGNS = {
    "equal": ("=", "equal"),
    "differs": ("≠", "differs"),
    "spelling": ("≈", "written differently"),
    "moved": ("⇄", "moved"),
    "only a": ("−", "only in A"),
    "only b": ("+", "only in B"),
}
"""How a row compares: a sign, and the words for it."""


class AlignmentCell(Struct, frozen=True):
    """A layer or an input in the table; `anchor` is its HTML id on the page."""

    id: str
    anchor: str
    name: str
    what: str
    family: str
    shape: str


class RowDifference(Struct, frozen=True):
    """One difference of a row, and the number of the change that it is part of; 0 where the row
    differs only because of a change in other rows.
    """

    change: int
    text: str


class AlignmentRow(Struct, frozen=True):
    """Layers of A and of B that correspond, or layers that only one side has.

    `sign` is a key of `SIGNS`. `differences` are what differs, `consequence` the gravest
    consequence of the changes among them. `reason` and `confidence` are those of the match.
    `error` is the difference of their outputs where parity found one, `uncompared` the reason why
    parity could not compare them.
    """

    a: tuple[AlignmentCell, ...]
    b: tuple[AlignmentCell, ...]
    sign: str = "equal"
    differences: tuple[RowDifference, ...] = ()
    consequence: str = ""
    reason: str = ""
    confidence: float | None = None
    error: Difference | None = None
    uncompared: str = ""

    @property
    def changes(self) -> tuple[int, ...]:
        """The numbers of the changes that name one of its layers."""
        return tuple(one.change for one in self.differences if one.change)

    @property
    def differs(self) -> bool:
        """Whether the row shows a difference."""
        return self.sign != "equal"

    @property
    def gravity(self) -> int:
        """Order of gravity, 0 the gravest: that of a numeric error, or of a layer on one side."""
        unexplained = self.sign.startswith("only") and not self.consequence
        if self.error or unexplained:
            return 0
        return (*CONSEQUENCES, "").index(self.consequence)

    def anchors(self) -> set[str]:
        """HTML ids of its cells."""
        return {cell.anchor for cell in self.a + self.b}


@remembered
def rows(diff: Diff, graphs: Graphs) -> list[AlignmentRow]:
    """All inputs and layers of both graphs, in A's order; those only in B at their place in B."""
    maker = _RowMaker(diff, graphs)
    a, b = (list(_positions(graph)) for graph in graphs)
    position = {identity: index for index, identity in enumerate(b)}
    matches = {layer: match for match in diff.matches for layer in match.a}
    matched = {layer for match in diff.matches for layer in match.b}
    only_b = deque(layer for layer in b if layer not in matched)
    table: list[AlignmentRow] = []
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
        self.nodes = [_nodes(graph) for graph in graphs]
        self.numbers: dict[str, list[int]] = {}
        for number, change in enumerate(diff.changes, start=1):
            if change.kind == "network":  # of the whole: what its layers have in common is no row's
                continue
            for identity in _anchors(change.pairs):
                self.numbers.setdefault(identity, []).append(number)
        self.errors: dict[str, Difference] = {}
        self.uncompared: dict[str, str] = {}
        if diff.parity is not None:
            for divergence in diff.parity.divergences:
                self.errors |= dict.fromkeys(_anchors([divergence.pair]), divergence.error)
            for skipped in diff.parity.uncompared:
                self.uncompared |= dict.fromkeys(_anchors([skipped.pair]), skipped.reason)

    def row(self, a: Ids, b: Ids, match: Match | None = None) -> AlignmentRow:
        ids = list(_anchors([(a, b)]))
        ours, theirs = ([self.nodes[side][one] for one in ids] for side, ids in enumerate((a, b)))
        numbers = sorted({number for one in ids for number in self.numbers.get(one, ())})
        changes = [self.changes[number - 1] for number in numbers]
        ranks = [CONSEQUENCES.index(change.consequence) for change in changes]
        error = next((self.errors[one] for one in ids if one in self.errors), None)
        differences = [
            RowDifference(change=number, text=describe(change, ours, theirs))
            for number, change in zip(numbers, changes, strict=True)
        ]
        if not changes:
            differences = list(_unnamed(ours, theirs))
        return AlignmentRow(
            a=tuple(_cell(node, 0) for node in ours),
            b=tuple(_cell(node, 1) for node in theirs),
            sign=_sign(a, b, changes, differs=bool(differences or error)),
            differences=tuple(differences),
            consequence=CONSEQUENCES[min(ranks)] if ranks else "",
            reason=match.reason if match else "",
            confidence=match.confidence if match else None,
            error=error,
            uncompared=next((self.uncompared[one] for one in ids if one in self.uncompared), ""),
        )


def describe(change: Change, a: Nodes, b: Nodes) -> str:
    """A change as it shows in one of its rows, which has these layers of A and of B."""
    row = KINDS[change.kind].row if a and b else one_sided.row
    return row(change, a, b)


def _unnamed(a: Nodes, b: Nodes) -> Iterator[RowDifference]:
    """What differs in a row that no change names: it follows, or the networks are different."""
    text = output(a, b) if a and b else SIGNS["only a" if a else "only b"][1]
    if text:
        yield RowDifference(change=0, text=text)


def _sign(a: Ids, b: Ids, changes: Sequence[Change], *, differs: bool) -> str:
    """The key in `SIGNS` of a row."""
    if not a or not b:
        return "only b" if not a else "only a"
    if any(change.kind == "moved" and change.attribute is None for change in changes):
        return "moved"
    if changes and all(change.consequence == "spelling" for change in changes):
        return "spelling"
    return "differs" if differs else "equal"


def _anchors(pairs: Iterable[Pair]) -> Iterator[str]:
    """HTML ids of the layers in some pairs, each once."""
    every = (anchor(side, one) for pair in pairs for side, ids in enumerate(pair) for one in ids)
    yield from dict.fromkeys(every)


def _nodes(graph: LayerGraph) -> dict[str, Node]:
    nodes: list[Node] = [*graph.inputs, *graph.layers]
    return {node.id: node for node in nodes}


def _cell(node: Node, side: int) -> AlignmentCell:
    if isinstance(node, GraphInput):
        what, kind = "input", "input"
    else:
        what, kind = formatting.headline(node), family(node.operator)
    return AlignmentCell(
        id=node.id,
        anchor=anchor(side, node.id),
        name=node.name,
        what=what,
        family=kind,
        shape=shape(node),
    )
