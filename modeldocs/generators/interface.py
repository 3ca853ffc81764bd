"""What a program reads and returns: images with their channels where the target has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from modeldocs.ir import (
    GraphInput,
    GraphOutput,
    Layer,
    LayerGraph,
    Operand,
    Reshape,
    Shape,
    Step,
    TensorType,
    Transpose,
)
from modeldocs.normal.data_movement import permutations
from modeldocs.struct import Struct

Order = tuple[int, ...]
"""Axes of the source's tensor in the order in which the program has them; empty if unchanged."""


class Interface(Struct, frozen=True):
    """The orders of axes in which a program has the source's inputs and outputs, in their order."""

    inputs: tuple[Order, ...]
    outputs: tuple[Order, ...]

    def then(self, inputs: Sequence[Order], outputs: Sequence[Order]) -> Interface:
        """The orders of a program that has what this one has in further orders."""
        return Interface(
            tuple(map(_composed, self.inputs, inputs)), tuple(map(_composed, self.outputs, outputs))
        )


def _composed(first: Order, second: Order) -> Order:
    if not first or not second:
        return first or second
    both = permutations.then(first, second)
    return () if both == permutations.identity(len(both)) else both


def channels_first(graph: LayerGraph) -> tuple[LayerGraph, Interface]:
    """A graph whose inputs and outputs have their channels first, as normal form computes with
    them: what only moves axes at its ends is dropped.
    """
    orders = [_input_order(one, _edges(graph, one.id)) for one in graph.inputs]
    moved = {one.id: order for one, order in zip(graph.inputs, orders, strict=True) if order}
    inputs = tuple(_reordered(one, order) for one, order in zip(graph.inputs, orders, strict=True))
    layers = tuple(_without_first_step(layer, moved) for layer in graph.layers)
    results = [_output_order(one) for one in graph.outputs]
    outputs = tuple(
        _without_last_step(one) if order else one
        for one, order in zip(graph.outputs, results, strict=True)
    )
    changed = msgspec.structs.replace(graph, inputs=inputs, layers=layers, outputs=outputs)
    return changed, Interface(tuple(orders), tuple(results))


def _edges(graph: LayerGraph, name: str) -> list[Operand]:
    edges = [one for layer in graph.layers for one in layer.inputs if one.value == name]
    return edges + [one.source for one in graph.outputs if one.source.value == name]


def _input_order(one: GraphInput, edges: Sequence[Operand]) -> Order:
    """The order in which all readers of an input have its axes, channels first; else ()."""
    orders = {order_of(edge.steps[0], one.type.shape) if edge.steps else () for edge in edges}
    order = orders.pop() if len(orders) == 1 else ()
    return order if order and order == _first(len(order)) else ()


def _first(rank: int) -> Order:
    """The order that brings the last axis of a tensor behind its batch."""
    return (0, rank - 1, *range(1, rank - 1))


def _last(rank: int) -> Order:
    return (0, *range(2, rank), 1)


def order_of(step: Step, shape: Shape | None) -> Order:
    """The order of axes that a step makes of an image; () where it does anything else.

    A reshape that moves an axis of size 1 is one.
    """
    if shape is None or len(shape) < 3:
        return ()
    if isinstance(step, Transpose):
        return step.permutation or ()
    if isinstance(step, Reshape) and step.after is not None and len(step.after) == len(shape):
        for order in (_first(len(shape)), _last(len(shape))):
            moved = tuple(shape[axis] for axis in order)
            is_one = 1 in (shape[-1], shape[1])
            if is_one and moved == step.after != shape:
                return order
    return ()


def _reordered(one: GraphInput, order: Order) -> GraphInput:
    shape = one.type.shape
    if not order or shape is None:
        return one
    kind = TensorType(tuple(shape[axis] for axis in order), one.type.dtype)
    return msgspec.structs.replace(one, type=kind)


def _without_first_step(layer: Layer, moved: Iterable[str]) -> Layer:
    inputs = tuple(
        msgspec.structs.replace(one, steps=one.steps[1:]) if one.value in moved else one
        for one in layer.inputs
    )
    return msgspec.structs.replace(layer, inputs=inputs) if inputs != layer.inputs else layer


def _output_order(one: GraphOutput) -> Order:
    """The order of the output's axes that has the channels first, where it moves them last."""
    steps = one.source.steps
    shape = one.source.type.shape
    if not steps or shape is None:
        return ()
    order = order_of(steps[-1], _before(steps[-1], shape))
    return _first(len(shape)) if order and order == _last(len(shape)) else ()


def _before(step: Step, after: Shape) -> Shape | None:
    """The shape before a step."""
    if isinstance(step, Reshape):
        return step.before
    order = step.permutation if isinstance(step, Transpose) else None
    if order is None:
        return None
    return tuple(after[order.index(axis)] for axis in range(len(after)))


def _without_last_step(one: GraphOutput) -> GraphOutput:
    source = msgspec.structs.replace(one.source, steps=one.source.steps[:-1])
    return msgspec.structs.replace(one, source=source)
