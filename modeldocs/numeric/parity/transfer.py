"""The transfer of A's weights into B, over the matched layers.

A parameter that B alone has gets its neutral value: bias 0, scale 1. One that A alone has is left
out, so that its absence in B shows, except where B can compute the same with what it has: a bias
before a batch normalization goes into its mean, a scale that the norm lacks into the weight before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from modeldocs.diff import Pair
from modeldocs.ir import operators
from modeldocs.normal import recurrent
from modeldocs.numeric.parity import (
    affine,
    feature_order,
    feature_tracking,
    group_transfer,
    packed_rows,
    recurrent_biases,
    repeated_layers,
    scales,
    stored_weights,
)
from modeldocs.numeric.parity.affine import Expressions, NotAffineError
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import Expression, full
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.packed_rows import PackedRowOrder
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, Weight
from modeldocs.numeric.parity.weight_init import SeededRandom, WeightInitializer

Arrays = dict[str, np.ndarray]

_NEUTRAL = {"bias": 0.0, "mean": 0.0, "scale": 1.0}
"""By role: the value with which nothing is computed."""


@dataclass
class Transfer:
    """Expressions of B's parameters, as its layers read them, in A's stored ones.

    `pairs` has the layers of A and B of each parameter, `lost` the layers of B whose weights
    nothing in A gives, `unset` their parameters.
    """

    a: RunnableGraph
    b: RunnableGraph
    sources: Expressions = field(init=False)
    expressions: Expressions = field(default_factory=dict)
    pairs: dict[str, Pair] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    counterpart: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The layers of B that correspond to each of A."""
    merged: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of A's layers of which B computes the same only taken together."""
    _shifts: dict[tuple[str, str, str], Expression] = field(default_factory=dict)
    _scales: list[tuple[str, str]] = field(default_factory=list)
    _sources_of_b: Expressions = field(init=False)
    _rows: dict[tuple[str, str], PackedRowOrder | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = stored_weights.sources(self.a)
        self._sources_of_b = stored_weights.sources(self.b)

    def transfer_group(self, group: MatchedGroup) -> None:
        """Transfer the weights of a group."""
        ours = [name for name in group.a.ids if self.a.weights[name]]
        theirs = [name for name in group.b.ids if self.b.weights[name]]
        if not theirs:
            return
        try:
            if len(ours) == len(theirs) == 1 and self._has_same_roles(ours[0], theirs[0]):
                self._transfer_layer(ours[0], theirs[0])
            else:
                self.expressions = (
                    group_transfer.convert(self.a, self.b, group, self.sources) | self.expressions
                )
        except NotAffineError:
            self.lost += theirs
        for name in (weight.name for layer in theirs for weight in self.b.weights[layer]):
            self.pairs.setdefault(name, group.pair)

    def _has_same_roles(self, ours: str, theirs: str) -> bool:
        """Whether two layers have parameters of the same roles; either may lack some."""
        left, right = self.a.layers[ours].operator, self.b.layers[theirs].operator
        return left == right or {left, right} <= set(affine.LINEAR)

    def _transfer_layer(self, ours: str, theirs: str) -> None:
        any_order = operators.of(self.a.layers[ours].operator).commutative
        by_role: dict[str, list[Weight]] = {}
        for weight in self.a.weights[ours]:
            by_role.setdefault("" if any_order else weight.role, []).append(weight)
        for weight in self.b.weights[theirs]:
            candidates = by_role.get("" if any_order else weight.role)
            one = self._like(weight, candidates) if candidates else None
            array = self._converted(ours, theirs, one, weight) if one is not None else None
            if array is None:
                if not candidates and self._set_neutral(theirs, weight):
                    continue
                raise NotAffineError
            self._set(weight, array)
        if by_role.get("bias") and self.a.layers[ours].operator in affine.LINEAR:
            self._fold_into_mean(ours, theirs, by_role["bias"][0])
        if by_role.get("scale") and self.a.layers[ours].operator == "BatchNormalization":
            self._scales.append((ours, theirs))

    def _like(self, weight: Weight, candidates: list[Weight]) -> Weight:
        """The one of A's weights that stores as much as one of B's, else the first; it is taken out
        of the list.
        """
        size = stored_weights.stored_size(self.b, weight.name)
        sizes = [stored_weights.stored_size(self.a, one.name) for one in candidates]
        return candidates.pop(sizes.index(size) if size in sizes else 0)

    def _set(self, weight: Weight, array: Expression) -> None:
        """Set a parameter. A shared one keeps the value from the first layer that has it."""
        if weight.name not in self.expressions:
            self.expressions[weight.name] = weight.stored(array)

    def _converted(
        self, ours: str, theirs: str, weight_a: Weight, weight_b: Weight
    ) -> Expression | None:
        rows = self._other_rows(weight_a, weight_b)
        if rows is not None:
            return weight_b.normal(rows)
        array = weight_a.normal(self.sources[weight_a.name])
        if weight_b.role == "B" and self.a.layers[ours].operator in recurrent.OPERATORS:
            return recurrent_biases.placed(
                array, self.a.layers[ours], weight_b.normal(self._sources_of_b[weight_b.name])
            )
        if weight_b.role == "bias" and array.size == np.prod(weight_b.shape):
            array = self._in_rows(ours, theirs, array.reshape(weight_b.shape))
        is_matrix = min(len(weight_a.shape), len(weight_b.shape)) > 1
        if (
            weight_b.role == "weight"
            and is_matrix
            and self.a.layers[ours].operator in affine.LINEAR
        ):
            return self._dense(ours, theirs, array, weight_b)
        return array.reshape(weight_b.shape) if array.size == np.prod(weight_b.shape) else None

    def _other_rows(self, weight_a: Weight, weight_b: Weight) -> Expression | None:
        """The rows of A's table that B reads, where both read different ones of it; else None.

        Equal parts of a joined array (queries, keys and values) are not rows of a table.
        """
        left, right = self.sources[weight_a.name], self._sources_of_b[weight_b.name]
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

    def _dense(
        self, ours: str, theirs: str, array: Expression, weight_b: Weight
    ) -> Expression | None:
        """A's dense or convolution weights, their columns in B's order of features."""
        if array.size != np.prod(weight_b.shape):
            return None
        operators = self.a.layers[ours].operator, self.b.layers[theirs].operator
        if operators[0] == "MatMul":
            array = _swap_last_axes(array)
        positions = feature_order.feature_permutation(self.a, self.b, ours, theirs)
        if positions is not None and array.size == array.shape[0] * len(positions):
            array = feature_order.permute_columns(self.a, ours, array, positions)
        array = self._in_rows(ours, theirs, array)
        if operators[1] != "MatMul":
            return array.reshape(weight_b.shape)
        return _swap_last_axes(
            array.reshape(*weight_b.shape[:-2], weight_b.shape[-1], weight_b.shape[-2])
        )

    def _in_rows(self, ours: str, theirs: str, array: Expression) -> Expression:
        """A weight or bias of a layer of A, its rows in the order in which B reads its outputs."""
        if self.a.layers[ours].operator not in affine.LINEAR:
            return array
        pair = ours, theirs
        if pair not in self._rows:
            found = packed_rows.row_order(self.a, self.b, *pair, self.counterpart)
            self.merged += [(ours, name) for name in found.passed] if found is not None else []
            self._rows[pair] = found
        order = self._rows[pair]
        if order is None or array.shape[0] != len(order.positions):
            return array
        return feature_tracking.permute_rows(array, order.positions)

    def _set_neutral(self, layer: str, weight: Weight) -> bool:
        """Set a parameter to its neutral value; False where it has none."""
        b_layer = self.b.layers[layer]
        number = _NEUTRAL.get(weight.role, operators.of(b_layer.operator).neutral)
        if weight.role == "var":
            number = 1 - scales.epsilon(b_layer, 0.0, 0.5)
        if number is not None:
            self._set(weight, full(weight.shape, number))
        return number is not None

    def _fold_into_mean(self, ours: str, theirs: str, bias: Weight) -> None:
        """Note a bias that B lacks and whose only reader is a batch normalization."""
        norms = self._sole_reader(self.a, ours), self._sole_reader(self.b, theirs)
        if norms[0] is not None and norms[1] is not None:
            self._shifts[ours, norms[0], norms[1]] = bias.normal(self.sources[bias.name])

    def _sole_reader(self, graph: RunnableGraph, layer: str) -> str | None:
        """The batch normalization that alone reads a layer; None where it is not so."""
        value = str(graph.value(layer).name)
        edges = graph.readers.get(value, [])
        sole = len(edges) == 1 and value not in graph.output_layers
        is_norm = sole and graph.layers[edges[0].layer].operator == "BatchNormalization"
        return edges[0].layer if is_norm else None

    def finish(self, groups: list[MatchedGroup]) -> None:
        """Set parameters that depend on several pairs of layers, and those that only B has."""
        paired = {(group.a.ids[-1], group.b.ids[-1]) for group in groups}
        for (layer, ours, theirs), bias in self._shifts.items():
            mean = self._weight(theirs, "mean")
            if (ours, theirs) in paired and mean is not None:
                self.expressions[mean.name] = self.expressions[mean.name] - bias
                self.merged.append((layer, ours))
        owners = {name: group for group in groups for name in group.b.ids}
        for ours, theirs in self._scales:
            self._fold_into_weight(ours, theirs, owners)
        self._repeat(owners)
        for layer, weights in self.b.weights.items():
            for weight in weights:
                if weight.name not in self.expressions and (
                    layer in self.lost or not self._set_neutral(layer, weight)
                ):
                    self.unset.append(weight.name)

    def _repeat(self, owners: Mapping[str, MatchedGroup]) -> None:
        """Give layers without a counterpart the weights of one that does the same to the same."""
        lacking = [name for name in self.b.layers if self.b.weights[name] and name not in owners]
        others = repeated_layers.repeated(self.b.layer_graph) if lacking else {}
        for layer in lacking:
            for other in others.get(layer, ()):
                known = {weight.role: weight.name for weight in self.b.weights[other]}
                if other in owners and all(name in self.expressions for name in known.values()):
                    for weight in self.b.weights[layer]:
                        same = self.expressions[known[weight.role]]
                        self.expressions.setdefault(weight.name, same)
                    break

    def _fold_into_weight(self, ours: str, theirs: str, owners: Mapping[str, MatchedGroup]) -> None:
        """Multiply a scale that B's norm lacks into the weight, bias and mean before it."""
        producer = self.b.edges[theirs][0].producer if self.b.edges[theirs] else ""
        group, mean = owners.get(producer), self._weight(theirs, "mean")
        weight = self._weight(producer, "weight") if producer in self.b.layers else None
        fits = weight is not None and self.b.layers[producer].operator in affine.LINEAR
        if (
            not fits
            or group is None
            or mean is None
            or self._sole_reader(self.b, producer) != theirs
        ):
            return
        scale_a = next(parameter for parameter in self.a.weights[ours] if parameter.role == "scale")
        scale = scale_a.normal(self.sources[scale_a.name])
        for parameter in (weight, self._weight(producer, "bias"), mean):
            if parameter is not None and parameter.name in self.expressions:
                array = parameter.normal(self.expressions[parameter.name])
                outputs_last = (
                    parameter.role == "weight" and self.b.layers[producer].operator == "MatMul"
                )
                broadcast = (1, -1) if outputs_last else (-1, *(1,) * (array.ndim - 1))
                self.expressions[parameter.name] = parameter.stored(
                    array * scale.reshape(broadcast)
                )
        self.merged.append((group.a.ids[-1], ours))

    def _weight(self, layer: str, role: str) -> Weight | None:
        return next((weight for weight in self.b.weights[layer] if weight.role == role), None)

    def set(self, expressions: Expressions) -> None:
        """Set parameters of B, also those that nothing in A seemed to give."""
        self.expressions |= expressions
        self.unset = [name for name in self.unset if name not in expressions]

    def sources_of(self, values_a: Arrays) -> Arrays:
        """The arrays that expressions read."""
        return values_a | stored_weights.stored_arrays(self.a, values_a)

    def values(self, values_a: Arrays, random: SeededRandom) -> Arrays:
        """B's parameters as arrays, computed from A's; those that are unset are designed."""
        sources = self.sources_of(values_a)
        weights = {
            weight.name: weight for of_layer in self.b.weights.values() for weight in of_layer
        }
        arrays: Arrays = {}
        for name, expression in self.expressions.items():
            dtype = weights[name].path.root.dtype
            arrays[name] = np.ascontiguousarray(
                evaluate(expression, sources), dtype.numpy() if dtype else None
            )
        if self.unset:
            arrays |= self._unlike(random)
        return stored_weights.consistent(self.b, arrays)

    def _unlike(self, random: SeededRandom) -> Arrays:
        """The parameters that are unset, of usual size and unlike those of A that have their names:
        that they make no difference has to show.
        """
        other = SeededRandom(random.seed + 1)
        usual = scales.target_scales(self.b, usual=True)
        initial = WeightInitializer(self.b, other, usual, usual=True).initialize()
        return {name: initial[name] for name in self.unset}


def _swap_last_axes(array: Expression) -> Expression:
    """An array with its last two axes exchanged."""
    axes = [*range(array.ndim - 2), array.ndim - 1, array.ndim - 2]
    return array.transpose(axes)


def transfer(a: RunnableGraph, b: RunnableGraph, groups: list[MatchedGroup]) -> Transfer:
    """How B's parameters are computed from A's."""
    counterpart = {name: group.b.ids for group in groups for name in group.a.ids}
    transferred = Transfer(a, b, counterpart=counterpart)
    for group in groups:
        transferred.transfer_group(group)
    transferred.finish(groups)
    return transferred
