"""Figures that colour the diagram of a port: memory and times of each layer and group."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from modeldocs.benchmarks.attribution import Times
from modeldocs.benchmarks.block_tree import total
from modeldocs.diagram import LevelDrawing, heat, shares
from modeldocs.fold import fold
from modeldocs.ir import LayerGraph
from modeldocs.site.port.timing import PortTiming

Figures = tuple[int | None, int | None, float | None, float | None]
"""Bytes of activations and of parameters, microseconds of forward and of backward."""


@dataclass(frozen=True)
class Heat:
    """The figures of one port's layers, and of the groups that have drawings."""

    graph: LayerGraph
    levels: Sequence[LevelDrawing]
    timing: PortTiming | None

    def content(self) -> dict[str, object]:
        """What the page's script reads.

        `figures` by the id of a layer and, after `level=`, of a group; `total` is the network's;
        `shares` are those from which a node has the next colour.
        A parameter that layers share counts at the first of them. `run` names the record; `notes`
        say of layers without a time of their own where it is.
        """
        memory = shares.memory(self.graph)
        drawn = {level.id for level in self.levels if level.id}
        groups = {group.id: list(group.layers()) for group in fold(self.graph).groups()}
        figures = {one: self._figures([one], memory) for one in memory}
        for group, layers in groups.items():
            if group in drawn:
                figures[f"level={group}"] = self._figures(layers, memory)
        return {
            "figures": figures,
            "total": self._total(memory),
            "shares": heat.SHARES,
            "notes": dict(self._notes()),
            "run": self.timing.run.text if self.timing is not None else "",
        }

    def _notes(self) -> Iterator[tuple[str, str]]:
        if self.timing is None:
            return
        for layer in self.graph.layers:
            cells = self.timing.of_layer(layer.id)
            if cells.note is not None:
                yield layer.id, f"{cells.note.text}, {cells.reason}"

    def _total(self, memory: dict[str, tuple[int | None, int | None]]) -> Figures:
        activations, parameters, *_ = self._figures(memory, memory)
        times = self.timing.attribution.total if self.timing is not None else Times()
        return activations, parameters, times.forward_us, times.backward_us

    def _figures(
        self, layers: Collection[str], memory: dict[str, tuple[int | None, int | None]]
    ) -> Figures:
        activations = _known(memory[one][0] for one in layers)
        parameters = _known(memory[one][1] for one in layers)
        times = Times()
        if self.timing is not None:
            times = self.timing.attribution.of_layers(layers)
        return activations, parameters, _rounded(times.forward_us), _rounded(times.backward_us)


def _known(sizes: Iterable[int | None]) -> int | None:
    found = total(sizes)
    return None if found is None else int(found)


def _rounded(us: float | None) -> float | None:
    return None if us is None else round(us, 3)
