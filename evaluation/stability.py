"""How far the drawings of a port change when a layer is inserted: `make bench-overviews`.

A node moves where its order among the nodes of its drawing changes, from top to bottom or from
left to right. Nodes below the inserted layer are drawn lower; that is no move.
"""

from __future__ import annotations

import bisect
import statistics
from random import Random

import pygraphviz
from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from evaluation.diff.subjects import Subjects
from modeldocs.diagram.drawing import level_dots
from modeldocs.ir import Layer, LayerGraph, Operand

SEEDS = 3
"""Places of a port at which a layer is inserted, one at a time."""

MOST_MOVED = 0.05
"""Share of the other nodes that may move."""

_OPERATORS = ("Relu", "Tanh", "Sigmoid")

Places = dict[str, tuple[float, float]]
"""Centre of each node of a drawing in points, by name; y grows upwards."""


def with_inserted(graph: LayerGraph, seed: int) -> LayerGraph:
    """A copy with an activation after one of the layers: all that read that one read it."""
    random = Random(seed)
    before = random.choice([layer for layer in graph.layers if layer.outputs])
    read = Operand(slot=0, value=before.id, type=before.outputs[0])
    added = Layer(
        id="inserted-1",
        name="inserted",
        operator=random.choice(_OPERATORS),
        inputs=(read,),
        outputs=(read.type,),
    )

    def redirected(operand: Operand) -> Operand:
        reads = operand.value == before.id and operand.output == 0
        return replace(operand, value=added.id) if reads else operand

    layers = []
    for layer in graph.layers:
        layers.append(replace(layer, inputs=tuple(map(redirected, layer.inputs))))
        if layer.id == before.id:
            layers.append(added)
    outputs = tuple(replace(one, source=redirected(one.source)) for one in graph.outputs)
    return replace(graph, layers=tuple(layers), outputs=outputs)


def places(graph: LayerGraph) -> list[Places]:
    """The nodes of all drawings of a graph, laid out."""
    drawings = []
    for level in level_dots(graph):
        layout = pygraphviz.AGraph(string=level.dot)
        layout.layout(prog="dot")
        positions = {node: node.attr["pos"].split(",") for node in layout.nodes()}
        drawings.append({str(node): (float(x), float(y)) for node, (x, y) in positions.items()})
    return drawings


def moved(before: list[Places], after: list[Places]) -> tuple[int, int]:
    """Of the nodes of all drawings: how many moved or are gone, and how many there are.

    A drawing is compared with the one that has most of its nodes.
    """
    count = 0
    for drawing in before:
        other = max(after, key=lambda one: len(one.keys() & drawing.keys()))
        common = drawing.keys() & other.keys()
        kept = min(
            _longest_sorted(
                sorted(
                    (round(sign * drawing[n][axis]), round(sign * other[n][axis])) for n in common
                )
            )
            for axis, sign in ((0, 1), (1, -1))
        )
        count += len(drawing) - kept
    return count, sum(map(len, before))


def _longest_sorted(pairs: list[tuple[int, int]]) -> int:
    """The number of pairs, sorted by the first number, whose second ones are sorted too."""
    ends: list[int] = []
    for _, value in pairs:
        place = bisect.bisect_right(ends, value)
        ends[place : place + 1] = [value]
    return len(ends)


def main() -> None:
    """Insert layers into every port that loads, and print the share of nodes that move."""
    table = Table("port", "nodes", *(f"moved, seed {seed}" for seed in range(SEEDS)))
    shares = []
    for name, loaded in Subjects().loaded.items():
        if loaded.graph is None:
            continue
        before = places(loaded.graph)
        found = [moved(before, places(with_inserted(loaded.graph, seed))) for seed in range(SEEDS)]
        table.add_row(name, str(found[0][1]), *(f"{count / total:.1%}" for count, total in found))
        shares += [count / total for count, total in found]
    console = Console()
    console.print(table)
    few = sum(share <= MOST_MOVED for share in shares)
    console.print(
        f"One inserted layer moves or removes {statistics.mean(shares):.1%} of the other nodes on "
        f"average, at most {MOST_MOVED:.0%} in {few} of {len(shares)} cases"
    )


if __name__ == "__main__":
    main()
