"""Weights that a network cuts, joins or turns before a layer reads them, and back to the stored.

A `MultiheadAttention` keeps q, k and v in one array and slices it; an LSTM's gates are joined. A
layer's weight is then made of stored ones, and a stored one of the pieces that layers read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import onnx_ir as ir

from modeldocs.normal import permutations, plumbing, values
from modeldocs.parity.applying import applied
from modeldocs.parity.recipe import Recipe, concatenate, full, read
from modeldocs.parity.side import Side

_END = 2**31 - 1
Shape = tuple[int, ...]
Cut = tuple[int, int, int, bool]
"""An axis, where a piece begins and ends along it, and whether it is turned round."""


def sources(side: Side) -> dict[str, Recipe]:
    """Every weight of a network by name, made of stored ones."""
    every = (weight for held in side.weights.values() for weight in held)
    made = {weight.name: read(weight.name, weight.stored_shape) for weight in every}
    known = stored(side, made)
    for name, value in side.lifted.items():
        found = _gathered(value)
        if name in made and found is not None and all(one in known for one in found.reads()):
            made[name] = found
    return made


def values_of(side: Side, held: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Stored weights, of the weights as layers read them; those that are stored so are as well."""
    made = {name: read(name, array.shape) for name, array in held.items()}
    return {name: applied(recipe, held) for name, recipe in stored(side, made).items()}


def stored(side: Side, made: Mapping[str, Recipe]) -> dict[str, Recipe]:
    """Stored weights by name, of the weights as layers read them."""
    lifted = {id(side.lifted[name]): one for name, one in made.items() if name in side.lifted}
    scattering = _Scattering(side, lifted)
    plain = {name: one for name, one in made.items() if name not in side.lifted}
    for value in side.model.graph.initializers.values():
        name = str(value.name)
        if values.is_parameter(value) and name not in plain and name not in side.lifted:
            found = scattering.of(value)
            if found is not None:
                plain[name] = found
    return plain


def _gathered(value: ir.Value) -> Recipe | None:
    """What is read, of stored weights; None where it is not only cut, joined and moved."""
    shape = values.shape(value)
    if shape is None:
        return None
    if values.is_parameter(value):
        return read(str(value.name), shape)
    node = value.producer()
    if node is None:
        return None
    parts = [_gathered(one) for one in _data(node)]
    if not parts or any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if node.op_type == "Concat":
        return concatenate(known, int(values.attribute(node, "axis", 0)) % len(shape))
    pieces = cuts(node, value, known[0].shape)
    if pieces is not None:
        return _cut(known[0], pieces)
    return _moved(known[0], node, shape)


def _cut(one: Recipe, pieces: list[Cut]) -> Recipe:
    for axis, start, stop, turned in pieces:
        one = one.slice(axis, start, stop)
        one = one.flip([axis]) if turned else one
    return one


def _moved(one: Recipe, node: ir.Node, shape: Shape) -> Recipe | None:
    """What a piece of plumbing makes of an array of weights."""
    if values.is_operator(node, "Transpose"):
        order = permutations.of_node(node)
        return one.transpose(order) if order is not None else None
    fits = values.is_operator(node, *plumbing.MOVES, "Expand")
    return one.reshape(shape) if fits and full(shape, 0).size == one.size else None


def _data(node: ir.Node) -> list[ir.Value]:
    """What a node reads that is no constant."""
    held = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    return [value for value in held if value is not None]


def cuts(node: ir.Node, value: ir.Value, shape: Shape | None) -> list[Cut] | None:
    """The piece that a Slice or Split of a shape gives; None for another node, or other steps."""
    if shape is None:
        return None
    if values.is_operator(node, "Split"):
        axis = int(values.attribute(node, "axis", 0)) % len(shape)
        sizes = [(values.shape(one) or (0,) * len(shape))[axis] for one in node.outputs]
        start = sum(sizes[: value.index() or 0])
        return [(axis, start, start + sizes[value.index() or 0], False)]
    if not values.is_operator(node, "Slice"):
        return None
    given = [values.constant(values.operand(node, slot)) for slot in range(1, 5)]
    starts, ends, axes, steps = ([int(n) for n in g] if g is not None else [] for g in given)
    made: list[Cut] = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=False)):
        axis = (axes[place] if axes else place) % len(shape)
        step = steps[place] if steps else 1
        if step not in (1, -1):
            return None
        low, high, _ = slice(start, end if abs(end) < _END else None, step).indices(shape[axis])
        made.append((axis, low, high, False) if step == 1 else (axis, high + 1, low + 1, True))
    return made


class _Scattering:
    """Puts stored weights together again, of the pieces that layers read."""

    def __init__(self, side: Side, lifted: Mapping[int, Recipe]) -> None:
        self.lifted = lifted
        self.arranged = plumbing.arranged_parameters(side.model.graph)

    def of(self, value: ir.Value) -> Recipe | None:
        """A value, of what is read of it; None where nothing is."""
        if id(value) in self.lifted:
            return self.lifted[id(value)]
        shape = values.shape(value)
        pieces: dict[Cut | None, Recipe] = {}
        if shape is not None:
            for cut, piece in self._pieces(value, shape):
                pieces.setdefault(cut, piece)
        if None in pieces or not pieces or shape is None:
            return pieces.get(None)
        return _assembled({cut: one for cut, one in pieces.items() if cut}, shape)

    def _pieces(self, value: ir.Value, shape: Shape) -> Iterator[tuple[Cut | None, Recipe]]:
        """What is read of a value: all of it, or from where to where."""
        for use in value.uses():
            if id(use.node) not in self.arranged:
                continue
            for given in use.node.outputs:
                made = self.of(given)
                if made is not None:
                    yield from self._back(use.node, use.idx, given, made, shape)

    def _back(
        self, node: ir.Node, slot: int, given: ir.Value, made: Recipe, shape: Shape
    ) -> Iterator[tuple[Cut | None, Recipe]]:
        """What a node reads, of what it gives."""
        told = cuts(node, given, shape)
        if node.op_type == "Concat":
            axis = int(values.attribute(node, "axis", 0)) % len(shape)
            before = (values.shape(one) for one in node.inputs[:slot])
            start = sum(held[axis] for held in before if held is not None)
            yield None, made.slice(axis, start, start + shape[axis])
        elif told is not None:
            made = made.flip([axis for axis, _, _, turned in told if turned])
            part = [cut for cut in told if cut[2] - cut[1] != shape[cut[0]]]
            if len(part) < 2:
                yield (part[0] if part else None), made
        elif values.is_operator(node, "Transpose"):
            order = permutations.of_node(node)
            if order is not None:
                yield None, made.transpose(permutations.inverse(order))
        elif full(shape, 0).size == made.size:
            yield None, made.reshape(shape)


def _assembled(pieces: Mapping[Cut, Recipe], shape: Shape) -> Recipe | None:
    """Pieces along one axis, in their order; what no layer reads is zero."""
    axes = {cut[0] for cut in pieces}
    if len(axes) != 1:
        return None
    axis, place = axes.pop(), 0
    parts: list[Recipe] = []
    for (_, start, stop, _), piece in sorted(pieces.items(), key=lambda held: held[0][1:3]):
        if start < place:
            return None
        parts += _gap(shape, axis, start - place)
        parts.append(piece)
        place = stop
    return concatenate([*parts, *_gap(shape, axis, shape[axis] - place)], axis)


def _gap(shape: Shape, axis: int, size: int) -> list[Recipe]:
    return [full((*shape[:axis], size, *shape[axis + 1 :]), 0)] if size else []


def names(side: Side) -> list[str]:
    """The stored weights that layers read, by name, in the model's order."""
    read = {weight.name for held in side.weights.values() for weight in held}
    read |= {root for name in side.lifted if name in read for root in roots(side, name)}
    held = (str(value.name) for value in side.model.graph.initializers.values())
    return [name for name in held if name in read and name not in side.lifted]


def roots(side: Side, name: str) -> list[str]:
    """The stored weights that one is cut and joined of, by name."""
    found: list[str] = []
    waiting = [side.lifted[name]]
    while waiting:
        value = waiting.pop()
        if values.is_parameter(value):
            found.append(str(value.name))
        node = value.producer()
        waiting += reversed(_data(node)) if node is not None else []
    return list(dict.fromkeys(found))
