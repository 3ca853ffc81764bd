"""Differences inside of layers: the bodies of matched Ifs, Loops, Scans and functions, compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from modeldocs.diff.diff import Change, Diff, Match
from modeldocs.diff.parity import Ids
from modeldocs.diff.reporting.kinds import body
from modeldocs.ir import Body, Layer, LayerGraph, Operand

Compare = Callable[[LayerGraph, LayerGraph], Diff]

_Found = tuple[Layer, Layer, Change]
"""The layers of A and B that have the bodies, and a difference of these."""


def changes(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match], compare: Compare
) -> Iterator[Change]:
    """A change for each difference in the bodies of matched layers; one for several that are equal.

    `compare` gives the diff of two bodies. A change has the layers that the bodies are in, and the
    consequence of the difference inside.
    """
    groups: dict[tuple[str, str, str], list[_Found]] = defaultdict(list)
    matches = list(matches)
    counterpart = {one: match.b for match in matches for one in match.a}
    for a, b in _matched(graphs, matches):
        for name in sorted(a.bodies.keys() & b.bodies.keys()):
            order = _order(a.bodies[name], b.bodies[name], counterpart)
            found = compare(_body(a, name), _body(b, name, order))
            for change in found.changes:
                groups[name, a.operator, change.title].append((a, b, change))
    for (name, _, _), members in groups.items():
        yield body.line(name, members)


def _matched(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match]
) -> Iterator[tuple[Layer, Layer]]:
    """The matched pairs of one layer each that both have bodies."""
    ours, theirs = ({layer.id: layer for layer in graph.layers if layer.bodies} for graph in graphs)
    for match in matches:
        if len(match.a) == len(match.b) == 1 and match.a[0] in ours and match.b[0] in theirs:
            yield ours[match.a[0]], theirs[match.b[0]]


def _order(a: Body, b: Body, counterpart: Mapping[str, Ids]) -> list[int]:
    """B's inputs in A's order: those that correspond around the layers correspond inside."""
    own = len(b.inputs) - len(b.reads)
    left = list(range(len(b.reads)))
    order: list[int] = []
    for read in a.reads:
        found = [i for i in left if _corresponds(read, b.reads[i], counterpart)]
        if found or left:
            order.append(left.pop(left.index(found[0]) if found else 0))
    return [*range(own), *(own + i for i in (*order, *left))]


def _corresponds(a: Operand, b: Operand, counterpart: Mapping[str, Ids]) -> bool:
    return b.value in counterpart.get(a.value, ()) and a.output == b.output


def _body(layer: Layer, name: str, order: Sequence[int] | None = None) -> LayerGraph:
    """A body as a graph, its inputs in an order, and by number, as its outputs are: what they are
    called means nothing.
    """
    graph = LayerGraph.of_body(layer, name)
    inputs = graph.inputs if order is None else [graph.inputs[i] for i in order]
    replace = msgspec.structs.replace
    return replace(
        graph,
        inputs=tuple(replace(one, name=str(i)) for i, one in enumerate(inputs, 1)),
        outputs=tuple(replace(one, name=f"output {i}") for i, one in enumerate(graph.outputs, 1)),
    )
