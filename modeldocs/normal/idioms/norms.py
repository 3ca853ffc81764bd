"""Norms told by their deviation: batch, layer, instance and root-mean-square normalisation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import permutations, values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import algebra, matching
from modeldocs.normal.idioms.algebra import Affine, Reading
from modeldocs.normal.idioms.variance import Statistics, statistics
from modeldocs.normal.transposes.regions import static_values

_MAX_SCALES = 2**24
"""More values than a norm has scales: those that it leaves out are written out as ones."""

_REACH = 16
"""Nodes behind a deviation that may belong to its norm."""


@dataclass(frozen=True)
class _Spread:
    """What a norm divides by: the root of `variance + epsilon`, to the power `power`."""

    deviation: ir.Value
    power: int
    variance: ir.Value
    epsilon: float
    nodes: tuple[ir.Node, ...]


@dataclass(frozen=True)
class _Found:
    """A norm: what it reads, what it is made of, its last node, and all that it absorbs."""

    x: ir.Value
    parts: Affine
    spread: tuple[tuple[int, ...] | None, ...]
    top: ir.Node
    nodes: tuple[ir.Node, ...]

    @property
    def worth(self) -> int:
        """More parts are better: the bias belongs to the norm."""
        return sum(part is not None for part in (self.parts.scale, self.parts.bias))


def recognise(model: ir.Model) -> None:
    """Put one node in place of every norm that is spelled out."""
    if not any(_may_be_root(node) for node in model.graph):
        return
    norms = _Norms(model.graph)
    for node in list(model.graph):
        if node.graph is not None and _may_be_root(node):
            norms.replace(node)


def _may_be_root(node: ir.Node) -> bool:
    if values.is_operator(node, "Sqrt"):
        return True
    return values.is_operator(node, "Pow") and values.scalar(node.inputs[1]) in (0.5, -0.5)


class _Norms:
    """Finds norms in one graph and replaces them."""

    def __init__(self, graph: ir.Graph) -> None:
        self.static = static_values(graph)
        self.builder = Builder(graph)
        self.positions = {node: index for index, node in enumerate(graph)}

    def replace(self, root: ir.Node) -> None:
        """Replace the norm that divides by this root, if there is one."""
        spread = self._spread(root)
        if spread is None:
            return
        variance = algebra.root(spread.variance, self.static)
        if values.is_parameter(variance):
            self._batch(spread, variance)
            return
        found = statistics(spread.variance)
        if found is not None:
            self._layer(spread, found)

    def _spread(self, root: ir.Node) -> _Spread | None:
        power = values.scalar(root.inputs[1]) if root.op_type == "Pow" else 0.5
        add = matching.producer(root.inputs[0], "Add")
        if add is None or power is None:
            return None
        for slot in (0, 1):
            epsilon, variance = algebra.uniform(add.inputs[slot]), add.inputs[1 - slot]
            if epsilon is not None and variance is not None:
                sign = -1 if power > 0 else 1
                return _Spread(root.outputs[0], sign, variance, epsilon, (root, add))
        return None

    def _behind(self, value: ir.Value) -> list[ir.Node]:
        """Nodes of arithmetic that a deviation leads to, the nearest first."""
        found: dict[ir.Node, None] = {}
        waiting = [value]
        while waiting and len(found) < _REACH:
            held = waiting.pop(0)
            for node in (use.node for use in held.uses()):
                moves = node.outputs[0] in self.static
                wanted = (*algebra.ARITHMETIC, *(algebra.STATIC_MOVES if moves else ()))
                if values.is_operator(node, *wanted) and node in self.positions:
                    found.setdefault(node)
                    waiting.append(node.outputs[0])
        return list(found)

    def _best(self, x: ir.Value, atoms: list[ir.Value], spread: _Spread) -> list[_Found]:
        """Ways to read a norm of `x`, the fullest first."""
        found = []
        for top in self._behind(spread.deviation):
            if top.outputs[0] in self.static:
                continue
            reading = Reading(self.static, [x, spread.deviation, *atoms])
            try:
                held = reading.sum(top.outputs[0])
            except algebra.TooLargeError:
                continue
            parts = algebra.affine(held, x, spread.deviation, spread.power)
            if parts is not None:
                nodes = (*spread.nodes, *reading.nodes)
                found.append(_Found(x, parts, tuple(reading.spread), top, nodes))
        return sorted(found, key=lambda one: -one.worth)

    def _batch(self, spread: _Spread, variance: ir.Value) -> None:
        for x in self._candidates(spread.deviation):
            for found in self._best(x, [], spread):
                axis = _axis_of_channels(found)
                held = (variance, found.parts.mean, found.parts.scale, found.parts.bias)
                if axis is None or found.parts.mean is None:
                    continue
                channels = math.prod(values.shape(variance) or ())
                if channels > _MAX_SCALES:
                    continue
                vectors = [self._vector(part, channels) for part in held]
                if None in vectors[:2] or any(
                    p and not v for p, v in zip(held, vectors, strict=True)
                ):
                    continue
                var, mean, scale, bias = vectors
                operands = [
                    scale or self.builder.filled(1, (channels,), x),
                    bias or self.builder.filled(0, (channels,), x),
                    mean,
                    var,
                ]
                attributes = [ir.AttrFloat32("epsilon", spread.epsilon)]
                self._put(found, "BatchNormalization", operands, attributes, axis)
                return

    def _candidates(self, deviation: ir.Value) -> Iterator[ir.Value]:
        """What may be normalised by a deviation of parameters: data that meet it, or lie above."""
        for node in self._behind(deviation):
            for value in node.inputs:
                if value is None or value in self.static:
                    continue
                if node.outputs[0] in self.static:
                    continue
                yield value
                maker = matching.producer(value, "Sub", "Add")
                if maker is not None:
                    yield from (v for v in maker.inputs if v and v not in self.static)

    def _vector(self, value: ir.Value | None, channels: int) -> ir.Value | None:
        """A parameter of one element a channel, as the operators of ONNX want it."""
        dims = values.shape(value)
        if value is None or dims is None or math.prod(dims) != channels:
            return None
        if len(dims) == 1:
            return value
        made = self.builder.reshape(value, (channels,))
        graph = self.builder.graph
        graph.insert_before(graph[0], made)
        self.positions[made] = -1
        self.static.add(made.outputs[0])
        return made.outputs[0]

    def _layer(self, spread: _Spread, told: Statistics) -> None:
        """A norm by statistics of the data themselves."""
        atoms = [] if told.mean is None else [told.mean]
        for found in self._best(told.x, atoms, spread):
            if found.parts.mean is not told.mean:
                continue
            whole = _Found(
                found.x, found.parts, found.spread, found.top, (*told.nodes, *found.nodes)
            )
            if self._over_last_axes(whole, spread, told) or self._by_channel(whole, spread, told):
                return

    def _over_last_axes(self, found: _Found, spread: _Spread, told: Statistics) -> bool:
        rank, dims = values.rank(told.x) or 0, told.x.shape
        count = len(told.axes)
        if dims is None or told.axes != tuple(range(rank - count, rank)):
            return False
        shape = tuple(dim for dim in dims[rank - count :] if isinstance(dim, int))
        if math.prod(shape) > _MAX_SCALES:
            return False
        if len(shape) != count or not all(_ends_with(given, shape) for given in found.spread):
            return False
        scale, bias = (self._shaped(part, shape) for part in (found.parts.scale, found.parts.bias))
        if (found.parts.scale and not scale) or (found.parts.bias and not bias):
            return False
        attributes = [
            ir.AttrFloat32("epsilon", spread.epsilon),
            ir.AttrInt64("axis", -count),
        ]
        scale = scale or self.builder.filled(1, shape, told.x)
        if told.mean is None:
            if bias is not None:
                return False
            self._put(found, "RMSNormalization", [scale], attributes)
            return True
        self._put(found, "LayerNormalization", [scale, *([bias] if bias else [])], attributes)
        return True

    def _shaped(self, value: ir.Value | None, shape: tuple[int, ...]) -> ir.Value | None:
        """A parameter as a tensor of these dimensions."""
        dims = values.shape(value)
        if value is None or dims is None or math.prod(dims) != math.prod(shape):
            return None
        if dims == shape:
            return value
        made = self.builder.reshape(value, shape)
        graph = self.builder.graph
        graph.insert_before(graph[0], made)
        self.static.add(made.outputs[0])
        return made.outputs[0]

    def _by_channel(self, found: _Found, spread: _Spread, told: Statistics) -> bool:
        """Over all axes but those of batch and channels: instance normalisation."""
        rank = values.rank(told.x) or 0
        others = [axis for axis in range(1, rank) if axis not in told.axes]
        if told.mean is None or rank < 3 or len(others) != 1 or 0 in told.axes:
            return False
        (axis,) = others
        if found.spread and _axis_of_channels(found) != axis:
            return False
        channels = told.x.shape[axis] if told.x.shape is not None else None
        if not isinstance(channels, int) or channels > _MAX_SCALES:
            return False
        held = (found.parts.scale, found.parts.bias)
        scale, bias = (self._vector(part, channels) for part in held)
        if (held[0] and not scale) or (held[1] and not bias):
            return False
        operands = [
            scale or self.builder.filled(1, (channels,), told.x),
            bias or self.builder.filled(0, (channels,), told.x),
        ]
        attributes = [ir.AttrFloat32("epsilon", spread.epsilon)]
        self._put(found, "InstanceNormalization", operands, attributes, axis)
        return True

    def _put(
        self,
        found: _Found,
        operator: str,
        operands: Sequence[ir.Value | None],
        attributes: list[ir.Attr],
        axis: int = 1,
    ) -> None:
        """One node in place of the norm; channels that are not at axis 1 are taken there."""
        absorbed = sorted(dict.fromkeys(found.nodes), key=lambda n: self.positions.get(n, -1))
        absorbed = [node for node in absorbed if node is not found.top] + [found.top]
        rank = values.rank(found.x) or 0
        order = permutations.channels_first(rank, axis) if rank else ()
        x, moves = found.x, axis != 1 and order != tuple(range(rank))
        if moves:
            x = self.builder.before(found.top, self.builder.transpose(x, order))
        made = matching.replace(absorbed, operator, [x, *operands], attributes)
        if moves:
            matching.rearrange(made, order, self.builder)


def _axis_of_channels(found: _Found) -> int | None:
    """The one axis of `x` that all static operands lie along."""
    rank = values.rank(found.x)
    if rank is None or not found.spread:
        return None
    axes = {_axis(dims, rank) for dims in found.spread}
    return axes.pop() if len(axes) == 1 else None


def _axis(dims: tuple[int, ...] | None, rank: int) -> int | None:
    if dims is None or not dims or len(dims) > rank:
        return None
    long = [index for index, dim in enumerate(dims) if dim != 1] or [len(dims) - 1]
    return long[0] + rank - len(dims) if len(long) == 1 else None


def _ends_with(dims: tuple[int, ...] | None, shape: tuple[int, ...]) -> bool:
    """Whether a static operand lies along the last axes alone, and is as long."""
    if dims is None:
        return False
    while len(dims) > len(shape) and dims[0] == 1:
        dims = dims[1:]
    return dims == shape
