"""What regions read: the nearest cuts before a group of layers, and the layers in between."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from modeldocs.diff import Ids, Pair
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph

Source = int | str
"""What a region reads: the number of a group, or the id in A of an input of the network."""


@dataclass(frozen=True)
class Region:
    """The layers of A and of B that lead from given values to those of a group.

    `reads` are what each side reads, `inner` the layers on each side that are not in the group.
    """

    number: int
    reads: tuple[frozenset[Source], frozenset[Source]]
    inner: tuple[frozenset[str], frozenset[str]]

    @property
    def closed(self) -> bool:
        """Whether both sides read the same, so that both can be given any values."""
        return self.reads[0] == self.reads[1]

    @property
    def groups(self) -> set[int]:
        """Numbers of the groups that either side reads."""
        return {one for side in self.reads for one in side if isinstance(one, int)}


class Frontiers:
    """The regions of two networks that are cut behind the groups `cut` of matched layers.

    `ends` are pairs of outputs by numbers of their own: the last regions.
    """

    def __init__(
        self,
        a: RunnableGraph,
        b: RunnableGraph,
        groups: list[MatchedGroup],
        counterpart: Mapping[str, Ids],
        cut: Collection[int],
        ends: Mapping[int, MatchedGroup],
    ) -> None:
        self.graphs, self.groups = (a, b), groups
        self.cut, self.ends = cut, ends
        self._regions: dict[tuple[int, frozenset[int]], Region] = {}
        self._of_outputs: tuple[
            dict[str, Sequence[RunnableEdge]], dict[str, Sequence[RunnableEdge]]
        ] = (
            {group.a.ids[0]: group.a.inputs[0] for group in ends.values() if group.a.inputs},
            {group.b.ids[0]: group.b.inputs[0] for group in ends.values() if group.b.inputs},
        )
        inputs = {other: name for name in a.inputs for other in counterpart.get(name, ())}
        self._numbers: tuple[dict[str, int], dict[str, int]] = (
            {name: i for i in cut for name in groups[i].a.ids},
            {name: i for i in cut for name in groups[i].b.ids},
        )
        self._inputs: tuple[dict[str, str], dict[str, str]] = (
            {name: name for name in a.inputs},
            {name: inputs.get(name, f"only in B: {name}") for name in b.inputs},
        )

    def region(self, number: int, dropped: Collection[int] = ()) -> Region:
        """The region that ends in a group, where the groups `dropped` are not cut behind."""
        key = number, frozenset(dropped)
        if key not in self._regions:
            group = self.group(number)
            (reads_a, inner_a), (reads_b, inner_b) = (
                self._side(0, group.a.ids, dropped),
                self._side(1, group.b.ids, dropped),
            )
            self._regions[key] = Region(number, (reads_a, reads_b), (inner_a, inner_b))
        return self._regions[key]

    def group(self, number: int) -> MatchedGroup:
        """The group of matched layers, or the pair of outputs, of that number."""
        return self.ends[number] if number in self.ends else self.groups[number]

    def has_weights(self, pair: Pair) -> bool:
        """Whether layers of a pair have weights."""
        return any(
            graph.weights.get(name)
            for graph, ids in zip(self.graphs, pair, strict=True)
            for name in ids
        )

    def _edges(self, index: int, name: str) -> Iterable[RunnableEdge]:
        """What a layer reads; what an output of the network is computed from."""
        return self._of_outputs[index].get(name) or self.graphs[index].edges.get(name, [])

    def _side(
        self, index: int, ids: Ids, dropped: Collection[int]
    ) -> tuple[frozenset[Source], frozenset[str]]:
        numbers, inputs = self._numbers[index], self._inputs[index]
        ended, reads, inner = set(ids), set[Source](), set[str]()
        waiting = list(ids)
        while waiting:
            for edge in self._edges(index, waiting.pop()):
                producer = edge.producer
                number = numbers.get(producer)
                if producer in ended or producer in inner:
                    continue
                if producer in inputs:
                    reads.add(inputs[producer])
                elif number is not None and number not in dropped:
                    reads.add(number)
                else:
                    inner.add(producer)
                    waiting.append(producer)
        return frozenset(reads), frozenset(inner)
