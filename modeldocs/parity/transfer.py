"""A's weights carried into B, over the layers that correspond.

A parameter that B alone has gets the value that computes nothing: bias 0, scale 1. One that A
alone has keeps its designed value, so that what B lacks shows; but where B can compute the same it
does: a bias before a batch normalisation goes into its mean, the norm's scale into its variance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from modeldocs.parity import affine, groups, order, sizes
from modeldocs.parity.affine import UnsuitableError
from modeldocs.parity.design import Designer, Draws
from modeldocs.parity.side import Side, Weight
from modeldocs.parity.unit import Unit

Arrays = dict[str, np.ndarray]

_NEUTRAL = {"bias": 0.0, "mean": 0.0, "scale": 1.0, "Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}


@dataclass
class Transfer:
    """B's parameters by name, as they are stored; sentences on those that were permuted.

    `lost` are the layers of B whose weights nothing in A gives.
    """

    a: Side
    b: Side
    held: Arrays
    made: Arrays = field(default_factory=dict)
    permuted: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    together: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of A's layers of which B computes the same only taken together."""
    _shifts: dict[tuple[str, str, str], np.ndarray] = field(default_factory=dict)

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
                made, permuted = groups.carried(self.a, self.b, unit, self.held)
                self.made = made | self.made
                self.permuted += permuted
        except UnsuitableError:
            self.lost += theirs

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
            self._into_var(ours, theirs)

    def _put(self, weight: Weight, array: np.ndarray) -> None:
        """The first layer that has a parameter decides it: a shared one has one value."""
        kind = weight.route.root.dtype
        if weight.name not in self.made:
            made = weight.stored(array)
            self.made[weight.name] = np.ascontiguousarray(made, kind.numpy() if kind else None)

    def _fitted(self, ours: str, theirs: str, start: Weight, end: Weight) -> np.ndarray | None:
        array = start.normal(self.held[start.name])
        if end.role == "weight" and self.a.layers[ours].operator in affine.LINEAR:
            return self._dense(ours, theirs, array, end)
        return array.reshape(end.shape) if array.size == np.prod(end.shape) else None

    def _dense(self, ours: str, theirs: str, array: np.ndarray, end: Weight) -> np.ndarray | None:
        """A matrix or convolution's weights, its columns where B finds their features."""
        if array.size != np.prod(end.shape):
            return None
        both = self.a.layers[ours].operator, self.b.layers[theirs].operator
        if both[0] == "MatMul":
            array = np.swapaxes(array, -1, -2)
        places = order.permutation(self.a, self.b, ours, theirs)
        if places is not None and array[0].size == len(places):
            array = order.columns(array, places)
            self.permuted.append(order.told(self.a, self.b, ours, theirs))
        if both[1] != "MatMul":
            return array.reshape(end.shape)
        turned = (*end.shape[:-2], end.shape[-1], end.shape[-2])
        return np.swapaxes(array.reshape(turned), -1, -2)

    def _neutral(self, layer: str, weight: Weight) -> bool:
        """Give a parameter the value that computes nothing, if there is one."""
        told = self.b.layers[layer]
        number = _NEUTRAL.get(weight.role, _NEUTRAL.get(told.operator))
        if weight.role == "var":
            number = 1 - sizes.epsilon(told, 0.0, 0.5)
        if number is not None:
            self._put(weight, np.full(weight.shape, number, np.float32))
        return number is not None

    def _into_var(self, ours: str, theirs: str) -> None:
        """A scale that B's norm lacks: the variance by which it divides is smaller instead."""
        held = {one.role: one.normal(self.held[one.name]) for one in self.a.weights[ours]}
        ends = [one for one in self.b.weights[theirs] if one.role == "var"]
        epsilon = sizes.epsilon(self.a.layers[ours], 0.0, 1.0)
        made = (held["var"] + epsilon) / held["scale"] ** 2 - epsilon if "var" in held else None
        if ends and made is not None and np.all(made > 0):
            self.made.pop(ends[0].name, None)
            self._put(ends[0], made)

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

    def finish(self, units: list[Unit], draws: Draws) -> None:
        """What no layer of A decides: means that take up a bias, and weights that B alone has."""
        paired = {(one.a.ids[-1], one.b.ids[-1]) for one in units}
        for (layer, ours, theirs), bias in self._shifts.items():
            means = [weight for weight in self.b.weights[theirs] if weight.role == "mean"]
            if (ours, theirs) in paired and means:
                name = means[0].name
                self.made[name] = np.asarray(self.made[name] - bias, np.float32)
                self.together.append((layer, ours))
        absent: set[str] = set()
        for layer, weights in self.b.weights.items():
            for weight in weights:
                if weight.name not in self.made and (
                    layer in self.lost or not self._neutral(layer, weight)
                ):
                    absent.add(weight.name)
        if absent:
            own = Designer(self.b, draws, sizes.wanted(self.b)).all()
            self.made |= {name: own[name] for name in absent}


def weights(a: Side, b: Side, units: list[Unit], held: Arrays, draws: Draws) -> Transfer:
    """B's parameters, of A's in `held`."""
    made = Transfer(a, b, held)
    for unit in units:
        made.unit(unit)
    made.finish(units, draws)
    return made
