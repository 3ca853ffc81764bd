"""Measure the overviews of all ports of the catalog, and print a table: `make bench-overviews`."""

from __future__ import annotations

import re
import statistics
import time
from dataclasses import dataclass

import pygraphviz
from rich.console import Console
from rich.table import Table

from evaluation.diff.subjects import Subjects
from modeldocs.diagram.drawing import level_dots
from modeldocs.diagram.level_dot import SMALL
from modeldocs.ir import LayerGraph

SCREEN = (1920, 1080)
"""Width and height in pixels of the screen that an overview is to fit."""

MAX_NODES, MIN_TEXT = 25, 11.0
"""What a person reads at once: nodes, and the height of the smallest text in pixels."""


@dataclass(frozen=True)
class Overview:
    """One port's overview: its nodes, size in pixels, levels below it, and seconds to draw all."""

    layers: int
    nodes: int
    width: float
    height: float
    levels: int
    seconds: float

    @property
    def text(self) -> float:
        """Height of the smallest text in pixels, where the overview is made to fit the screen."""
        return SMALL * min(1.0, SCREEN[0] / self.width, SCREEN[1] / self.height)


def measure(graph: LayerGraph) -> Overview:
    """Fold and lay out a graph, with all levels below its overview."""
    started = time.perf_counter()
    levels = level_dots(graph)
    svgs = [pygraphviz.AGraph(string=one.dot).draw(format="svg", prog="dot") for one in levels]
    seconds = time.perf_counter() - started
    width, height = map(float, re.findall(rb'(?:width|height)="([\d.]+)pt"', svgs[0])[:2])
    return Overview(
        layers=len(graph.layers),
        nodes=svgs[0].count(b'class="node"'),
        width=width,
        height=height,
        levels=len(levels) - 1,
        seconds=seconds,
    )


def main() -> None:
    """Measure every port that loads."""
    found = {name: measure(one.graph) for name, one in Subjects().loaded.items() if one.graph}
    table = Table("port", "layers", "nodes", "pixels", "text", "levels", "seconds")
    for name, one in found.items():
        size = f"{one.width:.0f} × {one.height:.0f}"
        numbers = (f"{one.text:.1f} px", str(one.levels), f"{one.seconds:.2f}")
        table.add_row(name, str(one.layers), str(one.nodes), size, *numbers)
    console = Console()
    console.print(table)
    fits = [one.nodes <= MAX_NODES and one.text >= MIN_TEXT for one in found.values()]
    median = statistics.median(one.seconds for one in found.values())
    console.print(
        f"{sum(fits)} of {len(fits)} overviews have at most {MAX_NODES} nodes and text of at least "
        f"{MIN_TEXT:g} px on {SCREEN[0]} × {SCREEN[1]}; all levels of a port take {median:.2f} s "
        "(median)"
    )


if __name__ == "__main__":
    main()
