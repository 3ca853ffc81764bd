"""A's weights carried into B, over the layers that correspond.

A parameter that B alone has gets the value that computes nothing: bias 0, scale 1. One that A
alone has has no place, so that what B lacks shows; but where B can compute the same it does: a
bias before a batch normalisation goes into its mean, a scale that the norm lacks into the weight
before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from modeldocs.diff import Pair
from modeldocs.parity import affine, arranged, groups, order, sizes
from modeldocs.parity.affine import Recipes, UnsuitableError
from modeldocs.parity.applying import applied
from modeldocs.parity.design import Designer, Draws
from modeldocs.parity.recipe import Recipe, full
from modeldocs.parity.side import Side, Weight
from modeldocs.parity.unit import Unit

Arrays = dict[str, np.ndarray]

_NEUTRAL = {"bias": 0.0, "mean": 0.0, "scale": 1.0, "Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}


@dataclass
class Transfer:
    """Recipes of B's parameters by name, as its layers read them, of A's stored ones.

    `pairs` tells which layers each goes between, `lost` the layers of B whose weights nothing in
    A gives, `unset` their weights.
    """

    a: Side
    b: Side
    held: Recipes = field(init=False)
    made: Recipes = field(default_factory=dict)
    pairs: dict[str, Pair] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    together: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of A's layers of which B computes the same only taken together."""
    _shifts: dict[tuple[str, str, str], Recipe] = field(default_factory=dict)
    _scales: list[tuple[str, str]] = field(default_factory=list)
    _read_of_b: Recipes = field(init=False)

    def __post_init__(self) -> None:
        self.held = arranged.sources(self.a)
        self._read_of_b = arranged.sources(self.b)

    def unit(self, unit: Unit) -> None:
        """Carry the weights of layers that correspond."""
        ours = [name for name in unit.a.ids if self.a.weights[name]]
        theirs = [name for name in unit.b.ids if self.b.weights[name]]
        if not theirs:
            return
        try:
            if len(ours) == len(theirs) == 1 and self._alike(ours[0], theirs[0]):
                self._layer(ours[0], theirs[0])
            else:
                self.made = groups.carried(self.a, self.b, unit, self.held) | self.made
        except UnsuitableError:
            self.lost += theirs
        for name in (weight.name for layer in theirs for weight in self.b.weights[layer]):
            self.pairs.setdefault(name, unit.pair)

    def _alike(self, ours: str, theirs: str) -> bool:
        """Whether two layers have their parameters in the same roles, whatever one lacks."""
        left, right = self.a.layers[ours].operator, self.b.layers[theirs].operator
        return left == right or {left, right} <= set(affine.LINEAR)

    def _layer(self, ours: str, theirs: str) -> None:
        given: dict[str, list[Weight]] = {}
        for weight in self.a.weights[ours]:
            given.setdefault(weight.role, []).append(weight)
        for weight in self.b.weights[theirs]:
            found = given.get(weight.role)
            array = self._fitted(ours, theirs, found.pop(0), weight) if found else None
            if array is None:
                if not found and self._neutral(theirs, weight):
                    continue
                raise UnsuitableError
            self._put(weight, array)
        if given.get("bias") and self.a.layers[ours].operator in affine.LINEAR:
            self._into_mean(ours, theirs, given["bias"][0])
        if given.get("scale") and self.a.layers[ours].operator == "BatchNormalization":
            self._scales.append((ours, theirs))

    def _put(self, weight: Weight, array: Recipe) -> None:
        """The first layer that has a parameter decides it: a shared one has one value."""
        if weight.name not in self.made:
            self.made[weight.name] = weight.stored(array)

    def _fitted(self, ours: str, theirs: str, start: Weight, end: Weight) -> Recipe | None:
        shifted = self._shifted(start, end)
        if shifted is not None:
            return end.normal(shifted)
        array = start.normal(self.held[start.name])
        if end.role == "weight" and self.a.layers[ours].operator in affine.LINEAR:
            return self._dense(ours, theirs, array, end)
        return array.reshape(end.shape) if array.size == np.prod(end.shape) else None

    def _shifted(self, start: Weight, end: Weight) -> Recipe | None:
        """What B reads of a table that is A's, where both read other rows of it; else None.

        Equal parts of a joined array (queries, keys and values) are no rows of a table.
        """
        left, right = self.held[start.name], self._read_of_b[end.name]
        if left.step.op != "slice" or right.step.op != "slice" or left.shape != right.shape:
            return None
        if left.of[0].step.op != "read" or right.of[0].shape != left.of[0].shape:
            return None
        axis, first, last = right.step.axis, right.step.start, right.step.stop
        if axis is None or first is None or last is None or axis != left.step.axis:
            return None
        before = left.step.start or 0
        same = first == before or not (first % (last - first) or before % (last - first))
        return None if same else left.of[0].slice(axis, first, last)

    def _dense(self, ours: str, theirs: str, array: Recipe, end: Weight) -> Recipe | None:
        """A matrix or convolution's weights, its columns where B finds their features."""
        if array.size != np.prod(end.shape):
            return None
        both = self.a.layers[ours].operator, self.b.layers[theirs].operator
        if both[0] == "MatMul":
            array = _swapped(array)
        places = order.permutation(self.a, self.b, ours, theirs)
        if places is not None and array.size == array.shape[0] * len(places):
            array = order.rearranged(self.a, ours, array, places)
        if both[1] != "MatMul":
            return array.reshape(end.shape)
        return _swapped(array.reshape(*end.shape[:-2], end.shape[-1], end.shape[-2]))

    def _neutral(self, layer: str, weight: Weight) -> bool:
        """Give a parameter the value that computes nothing, if there is one."""
        told = self.b.layers[layer]
        number = _NEUTRAL.get(weight.role, _NEUTRAL.get(told.operator))
        if weight.role == "var":
            number = 1 - sizes.epsilon(told, 0.0, 0.5)
        if number is not None:
            self._put(weight, full(weight.shape, number))
        return number is not None

    def _into_mean(self, ours: str, theirs: str, bias: Weight) -> None:
        """A bias that B lacks, where all that reads it is a batch normalisation: off its mean."""
        norms = self._sole_reader(self.a, ours), self._sole_reader(self.b, theirs)
        if norms[0] is not None and norms[1] is not None:
            self._shifts[ours, norms[0], norms[1]] = bias.normal(self.held[bias.name])

    def _sole_reader(self, side: Side, layer: str) -> str | None:
        value = str(side.value(layer).name)
        edges = side.readers.get(value, [])
        sole = len(edges) == 1 and value not in side.returned
        is_norm = sole and side.layers[edges[0].layer].operator == "BatchNormalization"
        return edges[0].layer if is_norm else None

    def finish(self, units: list[Unit]) -> None:
        """What no pair of layers decides alone, and weights that only B has."""
        paired = {(one.a.ids[-1], one.b.ids[-1]) for one in units}
        for (layer, ours, theirs), bias in self._shifts.items():
            mean = self._weight(theirs, "mean")
            if (ours, theirs) in paired and mean is not None:
                self.made[mean.name] = self.made[mean.name] - bias
                self.together.append((layer, ours))
        owners = {one: unit for unit in units for one in unit.b.ids}
        for ours, theirs in self._scales:
            self._into_weight(ours, theirs, owners)
        for layer, weights in self.b.weights.items():
            for weight in weights:
                if weight.name not in self.made and (
                    layer in self.lost or not self._neutral(layer, weight)
                ):
                    self.unset.append(weight.name)

    def _into_weight(self, ours: str, theirs: str, owners: Mapping[str, Unit]) -> None:
        """A scale that B's norm lacks goes into the weight, bias and mean before it."""
        maker = self.b.edges[theirs][0].maker if self.b.edges[theirs] else ""
        unit, mean = owners.get(maker), self._weight(theirs, "mean")
        weight = self._weight(maker, "weight") if maker in self.b.layers else None
        fits = weight is not None and self.b.layers[maker].operator in affine.LINEAR
        if not fits or unit is None or mean is None or self._sole_reader(self.b, maker) != theirs:
            return
        start = next(one for one in self.a.weights[ours] if one.role == "scale")
        scale = start.normal(self.held[start.name])
        for one in (weight, self._weight(maker, "bias"), mean):
            if one is not None and one.name in self.made:
                array = one.normal(self.made[one.name])
                last = one.role == "weight" and self.b.layers[maker].operator == "MatMul"
                tall = (1, -1) if last else (-1, *(1,) * (array.ndim - 1))
                self.made[one.name] = one.stored(array * scale.reshape(tall))
        self.together.append((unit.a.ids[-1], ours))

    def _weight(self, layer: str, role: str) -> Weight | None:
        return next((one for one in self.b.weights[layer] if one.role == role), None)

    def values(self, held: Arrays, draws: Draws) -> Arrays:
        """B's parameters, of A's in `held`; those that nothing decides are designed."""
        known = held | arranged.values_of(self.a, held)
        kinds = {one.name: one for held_by in self.b.weights.values() for one in held_by}
        made: Arrays = {}
        for name, recipe in self.made.items():
            kind = kinds[name].route.root.dtype
            made[name] = np.ascontiguousarray(
                applied(recipe, known), kind.numpy() if kind else None
            )
        if self.unset:
            own = Designer(self.b, draws, sizes.wanted(self.b)).all()
            made |= {name: own[name] for name in self.unset}
        return made


def _swapped(array: Recipe) -> Recipe:
    """The last two axes exchanged."""
    axes = [*range(array.ndim - 2), array.ndim - 1, array.ndim - 2]
    return array.transpose(axes)


def transfer(a: Side, b: Side, units: list[Unit]) -> Transfer:
    """How B's parameters are made of A's."""
    made = Transfer(a, b)
    for unit in units:
        made.unit(unit)
    made.finish(units)
    return made
