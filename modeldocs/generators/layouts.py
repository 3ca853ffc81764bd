"""The order of axes in which a program has each tensor: channels last, where images are so.

Normal form has the channels of images along axis 1. A framework that has them last computes each
layer of images in that order; layers beside them keep the order of what they read, and others that
of normal form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from modeldocs.generators.interface import Order
from modeldocs.generators.network import Network, constant
from modeldocs.ir import Layer, LayerGraph, Operand, Transpose, operators
from modeldocs.normal.data_movement import permutations

FREE = frozenset(
    name
    for name, one in operators.TABLE.items()
    if one.elementwise or one.moves in ("cut", "join") or one.reduces or one.normalises == "axis"
) | {"Pad", "Resize", "CumSum", "Dropout", "MeanVarianceNormalization"}
"""Operators that compute the same in any order of axes, with their axes renumbered."""

HEADS_BEHIND: Order = (0, 2, 1, 3)
"""The order of attention: the heads of each position, which normal form has before positions."""


@dataclass
class Layouts:
    """Orders of axes: of the tensors of a program by id, and of what its layers compute by id.

    An order has the axes of normal form's tensor as the program has them; it is () where they are
    the same.
    """

    tensors: dict[str, Order] = field(default_factory=dict)
    layers: dict[str, Order] = field(default_factory=dict)

    def tensor(self, name: str) -> Order:
        """The order of a tensor."""
        return self.tensors.get(name, ())

    def layer(self, name: str) -> Order:
        """The order in which a layer computes."""
        return self.layers.get(name, ())


def tensor(layer: str, output: int) -> str:
    """The id of an output of a layer or input."""
    return f"{layer}.{output}" if output else layer


def last(rank: int) -> Order:
    """The order that has the channels last."""
    return (0, *range(2, rank), 1) if rank > 2 else ()


def channels_last(network: Network) -> Layouts:
    """The layouts of a program that has the channels of images last, and so those of heads."""
    graph = network.graph
    layouts = Layouts()
    ranks = {one.id: len(one.type.shape or ()) for one in graph.inputs}
    for one in graph.inputs:
        layouts.tensors[one.id] = _of_input(graph, one.id, ranks[one.id])
    for layer in graph.layers:
        order = _of_layer(layer, layouts)
        layouts.layers[layer.id] = order
        for place, output in enumerate(layer.outputs):
            rank = len(output.shape or ())
            layouts.tensors[tensor(layer.id, place)] = _of_output(network, layer, order, rank)
    return layouts


def _of_input(graph: LayerGraph, name: str, rank: int) -> Order:
    """Channels last where a layer of images reads the input as it is."""
    for layer in graph.layers:
        for edge in layer.inputs:
            is_image = edge.slot == 0 and _is_of_images(layer) and not edge.steps
            if edge.value == name and is_image:
                return last(rank)
    readers = [edge for layer in graph.layers for edge in layer.inputs if edge.value == name]
    is_free = readers and all(not edge.steps for edge in readers)
    return _through(graph, name, rank) if is_free else ()


def _through(graph: LayerGraph, name: str, rank: int) -> Order:
    """The order of an input that layers of any order read, by what reads their outputs."""
    for layer in graph.layers:
        reads = any(edge.value == name and not edge.steps for edge in layer.inputs)
        if reads and layer.operator in FREE and rank == len(layer.outputs[0].shape or ()):
            return _of_input(graph, layer.id, rank)
    return ()


def result(edge: Operand, layouts: Layouts) -> Order:
    """The order of an output: that in which the program has it, where nothing moves it."""
    return () if edge.steps else layouts.tensor(tensor(edge.value, edge.output))


def _is_of_images(layer: Layer) -> bool:
    if layer.operator in ("BatchNormalization", "PRelu", "Resize"):
        return len(layer.outputs[0].shape or ()) > 2
    return operators.of(layer.operator).channels_first


def _of_layer(layer: Layer, layouts: Layouts) -> Order:
    data = next((edge for edge in layer.inputs if edge.slot == 0), None)
    if _is_of_images(layer):
        return last(len(data.type.shape or ())) if data is not None else ()
    if layer.operator == "Attention" and len(layer.outputs[0].shape or ()) == 4:
        return HEADS_BEHIND
    if layer.operator not in FREE:
        return ()
    rank = max((len(edge.type.shape or ()) for edge in layer.inputs), default=0)
    votes = Counter(
        order
        for edge in layer.inputs
        if len(edge.type.shape or ()) == rank
        and (order := _kept(edge, layouts.tensor(tensor(edge.value, edge.output)), rank))
        is not None
    )
    return votes.most_common(1)[0][0] if votes else ()


def _kept(edge: Operand, source: Order, rank: int) -> Order | None:
    """The order in which an edge moves nothing; None where none is one."""
    order = permutations.inverse(source) if source else permutations.identity(rank)
    for step in edge.steps:
        if not isinstance(step, Transpose) or step.permutation is None:
            return None
        if len(order) != len(step.permutation):  # the source is of another rank
            return None
        order = permutations.then(order, step.permutation)
    wanted = permutations.inverse(order)
    return () if wanted == permutations.identity(rank) else wanted


def _of_output(network: Network, layer: Layer, order: Order, rank: int) -> Order:
    """The order of what a layer writes; one that drops axes keeps the order of the others."""
    if not order or rank == len(order):
        return order
    return without(order, _dropped(network, layer, len(order)))


def _dropped(network: Network, layer: Layer, rank: int) -> list[int]:
    """The axes that a reduction drops, in normal form."""
    if operators.of(layer.operator).reduces == "axis":
        return [int(layer.number("axis", 0)) % rank]
    operand = constant(network.operand(layer.id, 1))
    axes = layer.sizes("axes") if operand is None else operand.reshape(-1).tolist()
    return [int(axis) % rank for axis in axes] or list(range(rank))


def without(order: Order, axes: Sequence[int]) -> Order:
    """An order after some axes of normal form are gone."""
    kept = [axis for axis in order if axis not in axes]
    numbers = {axis: place for place, axis in enumerate(sorted(kept))}
    renumbered = tuple(numbers[axis] for axis in kept)
    return () if renumbered == permutations.identity(len(renumbered)) else renumbered


def in_order(shape: Sequence[int], order: Order) -> tuple[int, ...]:
    """A shape of normal form in the order of a program; one of lower rank is stretched to it."""
    if not order:
        return tuple(shape)
    full = (1,) * (len(order) - len(shape)) + tuple(shape)
    return tuple(full[axis] for axis in order)
