"""Attribution of a record's times to the layers of a port."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.block_tree import BlockTree, total
from modeldocs.benchmarks.blocks import NETWORK
from modeldocs.benchmarks.measurements import Block
from modeldocs.benchmarks.record import Record
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct


class Times(Struct, frozen=True):
    """Microseconds of a step; None where they are unknown."""

    forward_us: float | None = None
    backward_us: float | None = None

    @property
    def us(self) -> float | None:
        """Forward and backward together, as far as they are known."""
        return total((self.forward_us, self.backward_us))


class BlockTime(Struct, frozen=True):
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


class TimeBreakdown(Struct, frozen=True):
    """A record's times in parts that add up to `total`, and the times of each layer.

    `layers` has the layers with a time of their own. `excess` is by how much the parts were
    measured longer than the whole, whose time is then that of the parts.
    """

    parts: tuple[BlockTime, ...]
    layers: dict[str, Times]
    total: Times
    excess: Times

    @property
    def together(self) -> tuple[BlockTime, ...]:
        """Parts whose time is of several layers together."""
        return tuple(part for part in self.parts if len(part.layers) > 1)

    @property
    def unattributed(self) -> tuple[BlockTime, ...]:
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
        return summed([*(self.layers[one] for one in layers if one in self.layers), *shared])


def summed(times: Iterable[Times]) -> Times:
    """The sum of times, each direction by itself."""
    every = list(times)
    return Times(
        forward_us=total(one.forward_us for one in every),
        backward_us=total(one.backward_us for one in every),
    )


def attribute(record: Record, graph: LayerGraph) -> TimeBreakdown | None:
    """The times of a record's blocks by layer of `graph`; None where no time is known.

    The time of a block that no block inside it has (a module's additions and reshapes, and the
    framework's own time) belongs to the layers of the module that are no blocks of their own; where
    it has none, to all of its layers together. What a source measures between its rows belongs to
    no layer. A row of Caffe that copies a layer's output counts at that layer. A block whose parts
    were measured longer than itself takes as long as they do.
    """
    blocks = [block for block in record.blocks or () if block.path != NETWORK]
    tree = BlockTree(blocks, graph)
    forward = tree.own_times(lambda block: block.forward_us, _total(record, "forward"))
    backward = tree.own_times(lambda block: block.backward_us, _total(record, "backward"))
    if forward.whole is None and backward.whole is None:
        return None
    parts = []
    for index, block in enumerate(blocks):
        times = Times(forward_us=forward.own[index], backward_us=backward.own[index])
        is_holder = tree.is_holder(index)
        if times.us or not is_holder or tree.has_layers(index):
            size = None if is_holder else block.activation_bytes
            parts.append(_part(block, tree.layers_of(index), times, tree.names, size))
    rest = Times(forward_us=forward.rest, backward_us=backward.rest)
    if rest.us:
        parts.append(_part(Block(path=NETWORK), tree.layers_of_network(), rest, tree.names))
    alone: dict[str, list[Times]] = {}
    for part in parts:
        if len(part.layers) == 1:
            alone.setdefault(part.layers[0], []).append(part.times)
    return TimeBreakdown(
        parts=tuple(parts),
        layers={layer: summed(times) for layer, times in alone.items()},
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


def _part(
    block: Block,
    layers: Sequence[str],
    times: Times,
    names: dict[str, str],
    size: int | None = None,
) -> BlockTime:
    """The part of a block's own time; layers of one name are runs of the same module."""
    is_rerun = len(layers) > 1 and len({names[layer] for layer in layers}) == 1
    return BlockTime(
        path=block.path,
        kind=block.kind or "",
        layers=tuple(layers[:1] if is_rerun else layers),
        reruns=tuple(layers[1:]) if is_rerun else (),
        times=times,
        activation_bytes=size,
    )
