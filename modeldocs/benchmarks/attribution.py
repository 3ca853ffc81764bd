"""Attribution of a record's times to the layers of a port."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.blocks import NETWORK, copied, holder
from modeldocs.benchmarks.quantities import Block
from modeldocs.benchmarks.record import Record
from modeldocs.ir import Layer, LayerGraph
from modeldocs.struct import Struct


class Times(Struct, frozen=True):
    """Microseconds of a step; None where they are unknown."""

    forward_us: float | None = None
    backward_us: float | None = None

    @property
    def us(self) -> float | None:
        """Forward and backward together, as far as they are known."""
        return total((self.forward_us, self.backward_us))


class Part(Struct, frozen=True):
    """The time of a block that belongs to no block inside it.

    `layers` are ids of the port's layers that this time is of: of one layer alone, or of several
    together; without any it is not attributed. `reruns` are the layers of later runs of the same
    module, whose time is at its first. The path of what no block holds is that of the network.
    """

    path: str
    kind: str = ""
    layers: tuple[str, ...] = ()
    reruns: tuple[str, ...] = ()
    times: Times = Times()
    activation_bytes: int | None = None
    """Bytes of the tensors that the block returns per step; None where it holds others, too."""


class Attribution(Struct, frozen=True):
    """A record's times in parts that add up to `total`, and the times of each layer.

    `layers` has the layers with a time of their own. `excess` is by how much the parts were
    measured longer than the whole, whose time is then that of the parts.
    """

    parts: tuple[Part, ...]
    layers: dict[str, Times]
    total: Times
    excess: Times

    @property
    def together(self) -> tuple[Part, ...]:
        """Parts whose time is of several layers together."""
        return tuple(part for part in self.parts if len(part.layers) > 1)

    @property
    def unattributed(self) -> tuple[Part, ...]:
        """Parts whose time is of no layer of the port."""
        return tuple(part for part in self.parts if not part.layers)

    @property
    def reruns(self) -> dict[str, str]:
        """For each layer of a later run of a module the layer that has its time."""
        return {layer: part.layers[0] for part in self.parts for layer in part.reruns}

    def of_layers(self, layers: Collection[str]) -> Times:
        """Times of some layers: their own, and those that only layers among them share."""
        held = set(layers)
        shared = (part.times for part in self.together if held.issuperset(part.layers))
        return summed([*(self.layers[one] for one in held & self.layers.keys()), *shared])


def total(figures: Iterable[float | None]) -> float | None:
    """The sum of the figures that are known; None where none is."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def summed(times: Iterable[Times]) -> Times:
    """The sum of times, each direction by itself."""
    every = list(times)
    return Times(
        forward_us=total(one.forward_us for one in every),
        backward_us=total(one.backward_us for one in every),
    )


def attribute(record: Record, graph: LayerGraph) -> Attribution | None:
    """The times of a record's blocks by layer of `graph`; None where no time is known.

    The time of a block that no block inside it has (a module's additions and reshapes, and the
    framework's own time) belongs to the layers of the module that are no blocks of their own; where
    it has none, to all of its layers together. What a source measures between its rows belongs to
    no layer. A row of Caffe that copies a layer's output counts at that layer. A block whose parts
    were measured longer than itself takes as long as they do.
    """
    blocks = [block for block in record.blocks or () if block.path != NETWORK]
    tree = _Tree(blocks, graph)
    forward = tree.own_times(lambda block: block.forward_us, _total(record, "forward"))
    backward = tree.own_times(lambda block: block.backward_us, _total(record, "backward"))
    if forward.whole is None and backward.whole is None:
        return None
    parts = [
        _part(block, tree.layers_of(index), Times(forward_us=f, backward_us=b), tree.names)
        for index, (block, f, b) in enumerate(zip(blocks, forward.own, backward.own, strict=True))
        if not (tree.is_holder(index) and not f and not b)
    ]
    rest = Times(forward_us=forward.rest, backward_us=backward.rest)
    if rest.us:
        network = Block(path=NETWORK)
        parts.append(_part(network, tree.layers_of_network(), rest, tree.names))
    alone = {part.layers[0] for part in parts if len(part.layers) == 1}
    return Attribution(
        parts=tuple(parts),
        layers={
            layer: summed(part.times for part in parts if part.layers == (layer,))
            for layer in alone
        },
        total=Times(forward_us=forward.whole, backward_us=backward.whole),
        excess=Times(forward_us=forward.excess, backward_us=backward.excess),
    )


def _total(record: Record, direction: str) -> float | None:
    """The network's time in a direction as the record has it: block, phase or step."""
    for block in record.blocks or ():
        measured = block.forward_us if direction == "forward" else block.backward_us
        if block.path == NETWORK and measured is not None:
            return measured
    for phase in record.phases or ():
        if phase.name == direction:
            return phase.mean_ms * 1e3
    step = metrics.mean_step_ms(record)
    if direction == "forward" and record.run.task == "inference" and step is not None:
        return step * 1e3
    return None


def _part(block: Block, layers: Sequence[str], times: Times, names: dict[str, str]) -> Part:
    is_rerun = len(layers) > 1 and len({names[layer] for layer in layers}) == 1
    return Part(
        path=block.path,
        kind=block.kind or "",
        layers=tuple(layers[:1] if is_rerun else layers),
        reruns=tuple(layers[1:]) if is_rerun else (),
        times=times,
        activation_bytes=block.activation_bytes,
    )


class _OwnTimes(Struct, frozen=True):
    """Times in one direction: of each block without those inside it, and of the network.

    `rest` is what the network takes beside its blocks; `excess` by how much they exceed it.
    """

    own: tuple[float | None, ...]
    rest: float | None
    whole: float | None
    excess: float | None


@dataclass
class _Tree:
    """Blocks, which of them hold which, and the layers of each.

    A source may list rows of the same path; the first of them holds what lies beneath it.
    """

    blocks: Sequence[Block]
    graph: LayerGraph

    def __post_init__(self) -> None:
        self.names = self.graph.names()
        first: dict[str, int] = {}
        for index, block in enumerate(self.blocks):
            first.setdefault(block.path, index)
        self._inside: dict[int | None, list[int]] = {}
        for index, block in enumerate(self.blocks):
            above = first.get(holder(block.path, first))
            self._inside.setdefault(above, []).append(index)
        self._direct = self._layers_by_block(first)
        paths = {step.path for layer in self.graph.layers for step in layer.modules}
        self._has_modules = any(path in paths for path in first)

    def _layers_by_block(self, first: dict[str, int]) -> dict[int | None, list[str]]:
        """Ids of the layers of each block that are in no block inside it; None is the network."""
        ids = {layer.id for layer in self.graph.layers}
        named = {i: one.layer for i, one in enumerate(self.blocks) if one.layer in ids}
        for index, block in enumerate(self.blocks):
            source = copied(block, first)
            if source is not None and (at := named.get(first[source])):
                named.setdefault(index, at)
        result: dict[int | None, list[str]] = {i: [one] for i, one in named.items() if one}
        claimed = set(named.values())
        for layer in self.graph.layers:
            if layer.id not in claimed:
                homes = [first[path] for path in _homes(layer, first)]
                for home in [one for one in homes if one not in named] or [None]:
                    result.setdefault(home, []).append(layer.id)
        return result

    def is_holder(self, index: int) -> bool:
        """Whether a block holds others."""
        return index in self._inside

    def layers_of(self, index: int) -> list[str]:
        """Layers that a block's own time is of."""
        direct = self._direct.get(index, [])
        if direct or not self.is_holder(index):
            return direct
        path = self.blocks[index].path
        return [
            layer.id
            for layer in self.graph.layers
            if any(step.path == path for step in layer.modules)
        ]

    def layers_of_network(self) -> list[str]:
        """Layers that the network's own time is of: of modules those outside, of rows none."""
        return self._direct.get(None, []) if self._has_modules else []

    def own_times(self, of: Callable[[Block], float | None], measured: float | None) -> _OwnTimes:
        """The times of one direction, for a network that takes `measured` microseconds."""
        whole: list[float | None] = [of(block) for block in self.blocks]
        own = list(whole)
        for index in sorted(self._inside.keys() - {None}, key=self._depth, reverse=True):
            assert index is not None
            parts = total(whole[one] for one in self._inside[index])
            whole[index] = _at_least(whole[index], parts)
            own[index] = _beside(whole[index], parts)
        parts = total(whole[one] for one in self._inside.get(None, ()))
        longest = _at_least(measured, parts)
        return _OwnTimes(
            own=tuple(own),
            rest=_beside(longest, parts),
            whole=longest,
            excess=None if measured is None else _beside(longest, measured),
        )

    def _depth(self, index: int | None) -> int:
        return self.blocks[index].path.count(".") if index is not None else -1


def _homes(layer: Layer, paths: Collection[str]) -> list[str]:
    """The paths of the blocks that a layer is part of, those alone that hold no other of them."""
    names = {layer.name, *(one.name for one in layer.origins), *(m.path for m in layer.modules)}
    found = names & set(paths)
    return sorted(one for one in found if not any(holder(two, {one}) for two in found - {one}))


def _at_least(figure: float | None, least: float | None) -> float | None:
    known = [one for one in (figure, least) if one is not None]
    return max(known) if known else None


def _beside(whole: float | None, parts: float | None) -> float | None:
    return None if whole is None else max(0.0, whole - (parts or 0.0))
