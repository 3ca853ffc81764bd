"""Where the outputs of projections end up: packed in one, head by head perhaps, or in pieces.

Each output is numbered, and the numbers are followed through what only moves them, on both sides,
to what reads them. That tells the rows of a packed weight whatever way they are interleaved.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.parity import arranged
from modeldocs.parity.recipe import Recipe
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit

_SAME = ("Add", "Sub", "Mul", "Div")
"""What leaves every element where it is, where the other operand is a weight."""


def rows(a: Side, b: Side, unit: Unit, left: list[str], right: list[str]) -> np.ndarray | None:
    """Which of the joined outputs of A's pieces each of the joined outputs of B's is.

    None where they cannot be followed.
    """
    ours, theirs = _numbered(a, unit.a, left), _numbered(b, unit.b, right)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return None
    places = np.full(ours[1], -1)
    for i, j in unit.given:
        both = _read(a, b, unit, (i, j), ours[0], theirs[0])
        if both is None:
            return None
        places[both[1].reshape(-1)] = both[0].reshape(-1)
    return places if sorted(places.tolist()) == list(range(len(places))) else None


def _read(
    a: Side,
    b: Side,
    unit: Unit,
    place: tuple[int, int],
    ours: dict[str, np.ndarray],
    theirs: dict[str, np.ndarray],
) -> tuple[np.ndarray, np.ndarray] | None:
    """What a layer of A reads and what one of B reads in the same slot, by numbers."""
    here, there = str(unit.a.gives[place[0]].name), str(unit.b.gives[place[1]].name)
    if here not in ours or there not in theirs:
        return None
    for edge, other in itertools.product(a.readers.get(here, []), b.readers.get(there, [])):
        same = a.layers[edge.layer].operator == b.layers[other.layer].operator
        if same and edge.slot == other.slot and edge.route.steps is not None:
            seen = edge.route.forward(ours[here]), other.route.forward(theirs[there])
            if seen[0].shape == seen[1].shape:
                return seen
    return None


def _numbered(
    side: Side, half: Half, pieces: list[str]
) -> tuple[dict[str, np.ndarray], int] | None:
    """The numbers in each value of a group, by its name, and how many there are."""
    held: dict[str, np.ndarray] = {}
    count = 0
    for name in pieces:
        made = side.nodes[name].outputs[0]
        shape = values.shape(made)
        if shape is None or not shape:
            return None
        numbers = np.arange(count, count + shape[-1])
        held[str(made.name)] = np.broadcast_to(numbers, shape)
        count += shape[-1]
    for name in half.ids:
        edges = [edge for edge in side.edges[name] if str(edge.route.root.name) in held]
        if name in pieces or not edges:
            continue
        root = str(edges[0].route.root.name)
        moved = _moved(side.nodes[name], edges[0].route.forward(held[root]))
        if moved is None:
            return None
        held |= {str(value.name): array for value, array in moved}
    return held, count


def _moved(node: ir.Node, numbers: np.ndarray) -> list[tuple[ir.Value, np.ndarray]] | None:
    """What a node that only moves numbers gives; None for another."""
    if values.is_operator(node, *_SAME):
        same = values.shape(node.outputs[0]) == numbers.shape
        return [(node.outputs[0], numbers)] if same else None
    if values.is_operator(node, "Gather"):
        indices = values.constant(values.operand(node, 1))
        axis = int(values.attribute(node, "axis", 0))
        return [(node.outputs[0], np.take(numbers, indices, axis))] if indices is not None else None
    found: list[tuple[ir.Value, np.ndarray]] = []
    for value in node.outputs:
        cuts = arranged.cuts(node, value, numbers.shape)
        if cuts is None:
            return None
        piece = numbers
        for axis, start, stop, turned in cuts:
            piece = np.take(piece, range(start, stop)[:: -1 if turned else 1], axis)
        found.append((value, piece))
    return found


def reordered(weight: Recipe, places: np.ndarray) -> Recipe:
    """The rows of a weight in another order, told by axes where they are regular."""
    if np.array_equal(places, np.arange(len(places))):
        return weight
    axes = _axes(places)
    if axes is None:
        return weight.take(places.tolist(), 0)
    sizes, order = axes
    rest = weight.shape[1:]
    moved = weight.reshape(*sizes, *rest)
    turned = (*order, *range(len(sizes), len(sizes) + len(rest)))
    return moved.transpose(turned).reshape(weight.shape)


def _axes(places: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The sizes and the order of axes that give an order of elements, where there are any."""
    strides: list[tuple[int, int]] = []
    left = places
    while len(left) > 1:
        stride = int(left[1] - left[0])
        steps = np.flatnonzero(left - left[0] != stride * np.arange(len(left)))
        size = int(steps[0]) if len(steps) else len(left)
        if stride <= 0 or len(left) % size:
            return None
        strides.insert(0, (stride, size))
        left = left[::size]
    by_stride = sorted(range(len(strides)), key=lambda axis: -strides[axis][0])
    sizes = tuple(strides[axis][1] for axis in by_stride)
    order = tuple(by_stride.index(axis) for axis in range(len(strides)))
    if math.prod(sizes) != len(places):
        return None
    made = np.arange(len(places)).reshape(sizes).transpose(order).reshape(-1)
    return (sizes, order) if np.array_equal(made, places) else None
