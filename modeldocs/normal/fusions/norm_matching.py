"""Norms that several nodes compute: batch, layer, instance and root-mean-square normalization.

Each is matched at the root of its variance, which it divides by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations
from modeldocs.normal.fusions import algebra, matching, repeated
from modeldocs.normal.fusions.algebra import NormalizedExpression, PolynomialReader
from modeldocs.normal.fusions.variance import Statistics, statistics
from modeldocs.normal.transposes.regions import static_values

_MAX_SCALES = 2**24
"""Most values of a scale or bias that is added, as ones or zeros, where a norm has none."""

_MAX_NODES = 16
"""Nodes of arithmetic behind a deviation that may belong to its norm."""


@dataclass(frozen=True)
class _StdDev:
    """A standard deviation: sqrt(variance + epsilon), or its inverse.

    A norm multiplies by `deviation ** power`, where `power` is 1 or -1.
    """

    deviation: ir.Value
    power: int
    variance: ir.Value
    epsilon: float
    nodes: tuple[ir.Node, ...]


@dataclass(frozen=True)
class _NormMatch:
    """A match of a norm of `x`: its parts, its last node, and all its nodes.

    `broadcast` are the shapes of static operands, as `PolynomialReader` has them.
    """

    x: ir.Value
    parts: NormalizedExpression
    broadcast: tuple[tuple[int, ...] | None, ...]
    last: ir.Node
    nodes: tuple[ir.Node, ...]

    @property
    def part_count(self) -> int:
        """How many of scale and bias it has: the match with most is the whole norm."""
        return sum(part is not None for part in (self.parts.scale, self.parts.bias))


def recognise(model: ir.Model) -> None:
    """Replace every norm that several nodes compute by one node."""
    if not any(_may_be_root(node) for node in model.graph):
        return
    repeated.merge(model.graph)
    norms = _Norms(model.graph)
    for node in list(model.graph):
        if node.graph is not None and _may_be_root(node):
            norms.replace(node)


def _may_be_root(node: ir.Node) -> bool:
    """Whether a node computes a square root, or its inverse."""
    if values.is_operator(node, "Sqrt"):
        return True
    return values.is_operator(node, "Pow") and values.scalar(node.inputs[1]) in (0.5, -0.5)


class _Norms:
    """Matches norms in one graph and replaces them."""

    def __init__(self, graph: ir.Graph) -> None:
        self.static = static_values(graph)
        self.builder = GraphBuilder(graph)
        self.positions = {node: index for index, node in enumerate(graph)}

    def replace(self, root: ir.Node) -> None:
        """Replace the norm that divides by this root, if there is one."""
        deviation = self._standard_deviation(root)
        if deviation is None:
            return
        variance = algebra.root(deviation.variance, self.static)
        if values.is_parameter(variance):
            self._replace_batch_norm(deviation, variance)
            return
        of_data = statistics(deviation.variance)
        if of_data is not None:
            self._replace_data_norm(deviation, of_data)

    def _standard_deviation(self, root: ir.Node) -> _StdDev | None:
        power = values.scalar(root.inputs[1]) if root.op_type == "Pow" else 0.5
        add = matching.producer(root.inputs[0], "Add")
        if add is None or power is None:
            return None
        for slot in (0, 1):
            epsilon, variance = values.uniform(add.inputs[slot]), add.inputs[1 - slot]
            if epsilon is not None and variance is not None:
                sign = -1 if power > 0 else 1
                return _StdDev(root.outputs[0], sign, variance, epsilon, (root, add))
        return None

    def _following(self, value: ir.Value) -> list[ir.Node]:
        """Nodes of arithmetic behind a value, the nearest first."""
        nodes: dict[ir.Node, None] = {}
        pending = [value]
        while pending and len(nodes) < _MAX_NODES:
            for node in (use.node for use in pending.pop(0).uses()):
                is_static = node.outputs[0] in self.static
                operators = (*algebra.ARITHMETIC, *(algebra.STATIC_MOVES if is_static else ()))
                if values.is_operator(node, *operators) and node in self.positions:
                    nodes.setdefault(node)
                    pending.append(node.outputs[0])
        return list(nodes)

    def _matches(self, x: ir.Value, atoms: list[ir.Value], std_dev: _StdDev) -> list[_NormMatch]:
        """Matches of norms of `x`, those with most parts first."""
        matches = []
        for last in self._following(std_dev.deviation):
            if last.outputs[0] in self.static:
                continue
            reader = PolynomialReader(self.static, [x, std_dev.deviation, *atoms])
            try:
                polynomial = reader.sum(last.outputs[0])
            except algebra.TooLargeError:
                continue
            parts = algebra.affine(polynomial, x, std_dev.deviation, std_dev.power)
            if parts is not None:
                nodes = (*std_dev.nodes, *reader.nodes)
                matches.append(_NormMatch(x, parts, tuple(reader.broadcast), last, nodes))
        return sorted(matches, key=lambda one: -one.part_count)

    def _replace_batch_norm(self, std_dev: _StdDev, variance: ir.Value) -> None:
        """Replace a norm by a variance that is a parameter, if there is one."""
        channels = math.prod(values.shape(variance) or ())
        if channels > _MAX_SCALES:
            return
        for x in self._candidates(std_dev.deviation):
            for match in self._matches(x, [], std_dev):
                axis = _channel_axis(match)
                parts = (variance, match.parts.mean, match.parts.scale, match.parts.bias)
                if axis is None or match.parts.mean is None:
                    continue
                vectors = [self._reshaped(part, (channels,)) for part in parts]
                if None in vectors[:2] or any(
                    part and not vector for part, vector in zip(parts, vectors, strict=True)
                ):
                    continue
                var, mean, scale, bias = vectors
                operands = [
                    scale or self.builder.filled(1, (channels,), x),
                    bias or self.builder.filled(0, (channels,), x),
                    mean,
                    var,
                ]
                attributes = [ir.AttrFloat32("epsilon", std_dev.epsilon)]
                order = permutations.channels_first(values.rank(match.x) or 0, axis)
                self._replace(match, "BatchNormalization", operands, attributes, order)
                return

    def _candidates(self, deviation: ir.Value) -> Iterator[ir.Value]:
        """Data that a static deviation may normalize: operands of nodes behind it, and theirs."""
        for node in self._following(deviation):
            if node.outputs[0] in self.static:
                continue
            for value in node.inputs:
                if value is None or value in self.static:
                    continue
                yield value
                producer = matching.producer(value, "Sub", "Add")
                if producer is not None:
                    yield from (v for v in producer.inputs if v and v not in self.static)

    def _replace_data_norm(self, std_dev: _StdDev, of_data: Statistics) -> None:
        """Replace a norm by statistics of the data, if there is one."""
        atoms = [] if of_data.mean is None else [of_data.mean]
        for match in self._matches(of_data.x, atoms, std_dev):
            if match.parts.mean is not of_data.mean:
                continue
            whole = replace(match, nodes=(*of_data.nodes, *match.nodes))
            if self._replace_layer_norm(whole, std_dev, of_data):
                return
            if self._replace_group_norm(whole, std_dev, of_data):
                return
            if self._replace_instance_norm(whole, std_dev, of_data):
                return

    def _replace_layer_norm(self, match: _NormMatch, std_dev: _StdDev, of_data: Statistics) -> bool:
        """Replace a norm whose scale and bias vary over the axes of its statistics, if this is one:
        these axes are moved behind the others.
        """
        axes, dims, count = of_data.axes, of_data.x.shape, len(of_data.axes)
        if dims is None or (0 in axes and len(dims) > count):  # statistics of the batch
            return False
        shape = tuple(dim for axis in axes if isinstance(dim := dims[axis], int))
        if math.prod(shape) > _MAX_SCALES or len(shape) != count:
            return False
        full = [dims[axis] if axis in axes else 1 for axis in range(len(dims))]
        if not all(one is not None and _aligned(one, full) == full for one in match.broadcast):
            return False
        parts = match.parts
        scale, bias = (self._reshaped(part, shape) for part in (parts.scale, parts.bias))
        if (parts.scale and not scale) or (parts.bias and not bias):
            return False
        if of_data.mean is None and bias is not None:
            return False
        attributes = [ir.AttrFloat32("epsilon", std_dev.epsilon), ir.AttrInt64("axis", -count)]
        operands = [scale or self.builder.filled(1, shape, of_data.x), *([bias] if bias else [])]
        operator = "RMSNormalization" if of_data.mean is None else "LayerNormalization"
        others = (axis for axis in range(len(dims)) if axis not in axes)
        self._replace(match, operator, operands, attributes, (*others, *axes))
        return True

    def _replace_group_norm(self, match: _NormMatch, std_dev: _StdDev, of_data: Statistics) -> bool:
        """Replace a norm over all axes but that of the batch, if its scale and bias vary over the
        channels: a group norm of one group.
        """
        rank = values.rank(of_data.x) or 0
        axis = _channel_axis(match)
        if rank < 3 or of_data.axes != tuple(range(1, rank)) or axis in (None, 0):
            return False
        operands = self._per_channel(match, of_data, axis)
        if operands is None:
            return False
        attributes = [ir.AttrFloat32("epsilon", std_dev.epsilon), ir.AttrInt64("num_groups", 1)]
        order = permutations.channels_first(rank, axis)
        self._replace(match, "GroupNormalization", operands, attributes, order)
        return True

    def _per_channel(
        self, match: _NormMatch, of_data: Statistics, axis: int
    ) -> list[ir.Value | None] | None:
        """Scale and bias of each channel, ones and zeros where there are none; None where they are
        not of the channels, or the norm subtracts no mean.
        """
        channels = of_data.x.shape[axis] if of_data.x.shape is not None else None
        if of_data.mean is None or not isinstance(channels, int) or channels > _MAX_SCALES:
            return None
        parts = match.parts
        scale, bias = (self._reshaped(part, (channels,)) for part in (parts.scale, parts.bias))
        if (parts.scale and not scale) or (parts.bias and not bias):
            return None
        return [
            scale or self.builder.filled(1, (channels,), of_data.x),
            bias or self.builder.filled(0, (channels,), of_data.x),
        ]

    def _reshaped(self, value: ir.Value | None, shape: tuple[int, ...]) -> ir.Value | None:
        """A static value reshaped to these dimensions; None where it has not as many elements."""
        dims = values.shape(value)
        if value is None or dims is None or math.prod(dims) != math.prod(shape):
            return None
        if dims == shape:
            return value
        reshaped = self.builder.at_start(self.builder.reshape(value, shape))
        self.static.add(reshaped)
        return reshaped

    def _replace_instance_norm(
        self, match: _NormMatch, std_dev: _StdDev, of_data: Statistics
    ) -> bool:
        """Replace a norm over all axes but those of batch and channels, if this is one."""
        rank = values.rank(of_data.x) or 0
        others = [axis for axis in range(1, rank) if axis not in of_data.axes]
        if rank < 3 or len(others) != 1 or 0 in of_data.axes:
            return False
        (axis,) = others
        if match.broadcast and _channel_axis(match) != axis:
            return False
        operands = self._per_channel(match, of_data, axis)
        if operands is None:
            return False
        attributes = [ir.AttrFloat32("epsilon", std_dev.epsilon)]
        order = permutations.channels_first(rank, axis)
        self._replace(match, "InstanceNormalization", operands, attributes, order)
        return True

    def _replace(
        self,
        match: _NormMatch,
        operator: str,
        operands: Sequence[ir.Value | None],
        attributes: list[ir.Attr],
        order: tuple[int, ...],
    ) -> None:
        """Replace a norm by one node, of axes in another order."""
        nodes = sorted(dict.fromkeys(match.nodes), key=lambda n: self.positions.get(n, -1))
        nodes = [node for node in nodes if node is not match.last] + [match.last]
        x, is_moved = match.x, order != tuple(range(len(order)))
        if is_moved:
            x = self.builder.before(match.last, self.builder.transpose(x, order))
        norm = matching.replace(nodes, operator, [x, *operands], attributes)
        if is_moved:
            matching.permute_output(norm, order, self.builder)


def _channel_axis(match: _NormMatch) -> int | None:
    """The one axis of `x` along which all static operands vary; None where there is none."""
    rank = values.rank(match.x)
    if rank is None or not match.broadcast:
        return None
    axes = {_varying_axis(dims, rank) for dims in match.broadcast}
    return axes.pop() if len(axes) == 1 else None


def _varying_axis(dims: tuple[int, ...] | None, rank: int) -> int | None:
    """The only axis of a tensor of `rank` along which an operand of shape `dims` varies."""
    if dims is None or not dims or len(dims) > rank:
        return None
    varying = [index for index, dim in enumerate(dims) if dim != 1] or [len(dims) - 1]
    return varying[0] + rank - len(dims) if len(varying) == 1 else None


def _aligned(dims: tuple[int, ...], like: Sequence[object]) -> list[int]:
    """The shape of an operand, with axes of size 1 before it until it has as many as another."""
    return [*(1 for _ in range(len(like) - len(dims))), *dims]
