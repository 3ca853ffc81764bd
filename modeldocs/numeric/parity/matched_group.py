"""Matched groups: layers of A and B that correspond, with their inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.diff import Diff, Ids, Pair
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.function.canonical_op import transparent
from modeldocs.numeric.parity.edge_path import EdgePath
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph


@dataclass(frozen=True)
class GroupSide:
    """The layers of one side of a group.

    `inputs` has the edges from each value outside the group; `outputs` are the values that are read
    outside of it, in the layers' order.
    """

    ids: Ids
    inputs: tuple[tuple[RunnableEdge, ...], ...]
    outputs: tuple[ir.Value, ...]


@dataclass(frozen=True)
class MatchedGroup:
    """Layers of A and their counterparts in B.

    `input_pairs` and `output_pairs` pair A's with B's by their indices in the two sides.
    `reader_paths` has, for each output pair, the paths to two corresponding readers, or None.
    """

    a: GroupSide
    b: GroupSide
    input_pairs: tuple[tuple[int, int], ...]
    output_pairs: tuple[tuple[int, int], ...]
    reader_paths: tuple[tuple[EdgePath, EdgePath] | None, ...]
    order: Arrangement = KEPT
    """The order in which B's layers produce the elements of A's outputs."""

    @property
    def pair(self) -> Pair:
        """The ids on both sides."""
        return self.a.ids, self.b.ids


def matched_groups(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> list[MatchedGroup]:
    """The matches of a diff whose layers compute something, in A's order."""
    counterpart = diff.counterpart()
    pairs = [
        (_computing(a, match.a), _computing(b, match.b), Arrangement(match.sizes, match.order))
        for match in diff.matches
    ]
    return in_order(
        a, [matched_group(a, b, (x, y), counterpart, order) for x, y, order in pairs if x and y]
    )


def in_order(a: RunnableGraph, groups: Iterable[MatchedGroup]) -> list[MatchedGroup]:
    """Groups in the order of A's layers."""
    position = {name: number for number, name in enumerate(a.by_id)}
    return sorted(groups, key=lambda group: min(position[name] for name in group.a.ids))


def matched_group(
    a: RunnableGraph,
    b: RunnableGraph,
    pair: Pair,
    counterpart: dict[str, Ids],
    order: Arrangement = KEPT,
) -> MatchedGroup:
    """Layers that correspond, as a group."""
    sides = group_side(a, pair[0]), group_side(b, pair[1])
    output_pairs = _output_pairs(a, b, sides, counterpart)
    reader_paths = tuple(
        _reader_paths(a, b, (sides[0].outputs[i], sides[1].outputs[j]), counterpart)
        for i, j in output_pairs
    )
    return MatchedGroup(
        *sides, _input_pairs(*sides, counterpart), output_pairs, reader_paths, order
    )


def merged(
    a: RunnableGraph,
    b: RunnableGraph,
    groups: list[MatchedGroup],
    merges: Iterable[tuple[str, str]],
    diff: Diff,
) -> list[MatchedGroup]:
    """The groups, with those of each pair of layers of A in `merges` made one."""
    counterpart = diff.counterpart()
    group_of = {name: group for group in groups for name in group.a.ids}
    for first, second in merges:
        ours = _computing(a, (*group_of[first].a.ids, *group_of[second].a.ids))
        theirs = _computing(b, (*group_of[first].b.ids, *group_of[second].b.ids))
        merged_group = matched_group(a, b, (ours, theirs), counterpart)
        group_of |= dict.fromkeys(ours, merged_group)
    return in_order(a, {group.a.ids: group for group in group_of.values()}.values())


def _computing(graph: RunnableGraph, ids: Ids) -> Ids:
    """Those of some layers that compute something, in the graph's order."""
    ordered = sorted(
        {name for name in ids if name in graph.layers}, key=graph.positions.__getitem__
    )
    return tuple(name for name in ordered if not transparent(graph.layers[name]))


def group_side(graph: RunnableGraph, ids: Ids) -> GroupSide:
    """Layers of one graph, in their order, as one side of a group."""
    inside = set(ids)
    inputs: dict[str, list[RunnableEdge]] = {}
    for name in ids:
        for edge in graph.edges[name]:
            if edge.producer not in inside:
                inputs.setdefault(str(edge.path.root.name), []).append(edge)
    outputs = [v for name in ids for v in graph.nodes[name].outputs if _leaves(graph, v, inside)]
    return GroupSide(
        ids,
        tuple(tuple(edges) for edges in inputs.values()),
        tuple(outputs) or (graph.nodes[ids[-1]].outputs[0],),
    )


def _leaves(graph: RunnableGraph, value: ir.Value, inside: set[str]) -> bool:
    """Whether anything outside a group reads a value."""
    if any(edge.layer not in inside for edge in graph.readers.get(str(value.name), [])):
        return True
    return str(value.name) in graph.output_layers


def _input_pairs(
    a: GroupSide, b: GroupSide, counterpart: dict[str, Ids]
) -> tuple[tuple[int, int], ...]:
    """Inputs that correspond: by their producers, the others in their order."""
    left, right = list(range(len(a.inputs))), list(range(len(b.inputs)))
    pairs: list[tuple[int, int]] = []
    for i, j in _by_producer(a, b, counterpart):
        pairs.append((i, j))
        left.remove(i)
        right.remove(j)
    return tuple(sorted([*pairs, *zip(left, right, strict=False)]))


def _output_pairs(
    a: RunnableGraph,
    b: RunnableGraph,
    sides: tuple[GroupSide, GroupSide],
    counterpart: dict[str, Ids],
) -> tuple[tuple[int, int], ...]:
    """Outputs that correspond: by their operators, where only one has each, by the slots of their
    readers, the others in their order.
    """
    left, right = list(range(len(sides[0].outputs))), list(range(len(sides[1].outputs)))
    pairs = _of_one_operator(a, b, sides) if len(left) > 1 else []
    for i, j in pairs:
        left.remove(i)
        right.remove(j)
    for i in tuple(left):
        readers = a.readers.get(str(sides[0].outputs[i].name), [])
        slots = {(one, edge.slot) for edge in readers for one in counterpart.get(edge.layer, ())}
        for j in right:
            others = b.readers.get(str(sides[1].outputs[j].name), [])
            if slots & {(edge.layer, edge.slot) for edge in others}:
                pairs.append((i, j))
                left.remove(i)
                right.remove(j)
                break
    return tuple(sorted([*pairs, *zip(left, right, strict=False)]))


def _of_one_operator(
    a: RunnableGraph, b: RunnableGraph, sides: tuple[GroupSide, GroupSide]
) -> list[tuple[int, int]]:
    """Outputs of layers of one operator, of which each side has one."""
    places: list[dict[str, list[int]]] = [{}, {}]
    for graph, side, found in zip((a, b), sides, places, strict=True):
        operators = {id(graph.nodes[name]): graph.layers[name].operator for name in side.ids}
        for index, value in enumerate(side.outputs):
            found.setdefault(operators[id(value.producer())], []).append(index)
    both = [(places[0][name], places[1].get(name, [])) for name in places[0]]
    return [(ours[0], theirs[0]) for ours, theirs in both if len(ours) == len(theirs) == 1]


def _reader_paths(
    a: RunnableGraph, b: RunnableGraph, both: tuple[ir.Value, ir.Value], counterpart: dict[str, Ids]
) -> tuple[EdgePath, EdgePath] | None:
    """The paths from two values to corresponding layers that read them in the same slot."""
    others = b.readers.get(str(both[1].name), [])
    for edge in a.readers.get(str(both[0].name), []):
        same = counterpart.get(edge.layer, ())
        for other in others:
            if other.layer in same and other.slot == edge.slot:
                return edge.path, other.path
    return None


def _by_producer(a: GroupSide, b: GroupSide, counterpart: dict[str, Ids]) -> list[tuple[int, int]]:
    """Inputs with matched producers; of several outputs of one, those with the same index."""
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, edges in enumerate(a.inputs):
        producers = counterpart.get(edges[0].producer, ())
        free = [j for j, other in enumerate(b.inputs) if j not in taken]
        fits = [j for j in free if b.inputs[j][0].producer in producers]
        same = [j for j in fits if _output(b.inputs[j]) == _output(edges)]
        if fits:
            pairs.append((i, (same or fits)[0]))
            taken.add(pairs[-1][1])
    return pairs


def _output(edges: Sequence[RunnableEdge]) -> int | None:
    """The index of the output that edges start from; None for an input of the network."""
    root = edges[0].path.root
    return root.index() if root.producer() is not None else None
