"""Regions: values that Transposes and permutable operators connect."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import permutations
from modeldocs.normal.data_movement.permutations import Permutation, inverse, then
from modeldocs.normal.transposes import borders
from modeldocs.normal.transposes.permutable import PermutableOp, permutable

_GRAPH_BORDER_COST = 0.9
"""Cost of a Transpose of a graph input or output. Inside the graph it costs 1: of two ways with as
many Transposes, the one with a Transpose at the end of the graph is taken."""
_OTHER_ORDER_COST = 1e-4
"""Cost of an operator in another order than channels first: it decides between orders that leave as
many Transposes, and must stay below the cost of a Transpose for regions of any size."""


@dataclass
class AxisRegion:
    """Values whose orders of axes depend on each other, and the nodes between them.

    `frames` has, for each value, the permutation from the region's own frame of axes to the value's
    axes; `tensors` has, for each value, the value that it is a permutation of. `sound` is whether
    each value has one frame.
    """

    frames: dict[ir.Value, Permutation] = field(default_factory=dict)
    tensors: dict[ir.Value, ir.Value] = field(default_factory=dict)
    permutable: dict[ir.Node, PermutableOp] = field(default_factory=dict)
    transposes: list[ir.Node] = field(default_factory=list)
    inside: set[ir.Node] = field(default_factory=set)
    sound: bool = True

    def cheapest(self) -> Permutation | None:
        """The order of the frame that leaves the fewest Transposes; None to leave all as it is."""
        first = self._channels_first()
        others = [node for node in self.permutable if first and self._frame(node) not in first]
        best, least = None, self._present_cost() + _OTHER_ORDER_COST * len(others)
        for order in dict.fromkeys(self.frames.values()):
            other_count = len(self.permutable) if first and order not in first else 0
            cost = self._cost(order) + _OTHER_ORDER_COST * other_count
            if cost < least - _OTHER_ORDER_COST / 2:
                best, least = order, cost
        return best

    def entries(self) -> list[ir.Value]:
        """Values that come from outside."""
        return [value for value in self.frames if value.producer() not in self.inside]

    def readers(self, value: ir.Value) -> list[tuple[ir.Node, int]]:
        """Nodes outside that read a value, each with its slot."""
        return [(use.node, use.idx) for use in value.uses() if use.node not in self.inside]

    def _channels_first(self) -> set[Permutation]:
        """Frames of values that operators of channels first read or produce."""
        frames = set()
        for value, frame in self.frames.items():
            neighbours = [node for node, slot in self.readers(value) if slot == 0]
            producer = value.producer()
            neighbours += [producer] if producer is not None else []
            if any(operators.of(node.op_type).channels_first for node in neighbours):
                frames.add(frame)
        return frames

    def _frame(self, node: ir.Node) -> Permutation:
        return self.frames[node.outputs[0]]

    def _present_cost(self) -> float:
        """Cost of the Transposes that the region has; equal ones of a value count once."""
        costs: dict[tuple[int, Permutation], float] = {}
        for node in self.transposes:
            source, output = node.inputs[0], node.outputs[0]
            assert source is not None
            if self.frames[source] != self.frames[output]:
                at_border = source.is_graph_input() or output.is_graph_output()
                key = (id(source), self.frames[output])
                cost = _GRAPH_BORDER_COST if at_border else 1.0
                costs[key] = min(costs.get(key, 1.0), cost)
        return sum(costs.values())

    def _cost(self, order: Permutation) -> float:
        """Cost of the Transposes that remain if every tensor is in this order of the frame."""
        cost, entered = 0.0, set()
        for value in self.entries():
            frame = self.frames[value]
            entered.add((self.tensors[value], frame))
            if frame != order and not borders.produces(value, to(frame, order)):
                cost += _GRAPH_BORDER_COST if value.is_graph_input() else 1.0
        leaving: dict[tuple[ir.Value, Permutation], float] = {}
        for value, frame in self.frames.items():
            key = (self.tensors[value], frame)
            if frame != order and key not in entered:
                leaving[key] = max(
                    leaving.get(key, 0.0), self._leaving_cost(value, to(frame, order))
                )
        return cost + sum(leaving.values())

    def _leaving_cost(self, value: ir.Value, order: Permutation) -> float:
        """Cost of restoring a permuted value for its readers outside."""
        for node, slot in self.readers(value):
            if node.op_type not in ("Shape", "Size") and not borders.absorbs(node, slot, order):
                return 1.0
        return _GRAPH_BORDER_COST if value.is_graph_output() else 0.0


def to(frame: Permutation, order: Permutation) -> Permutation:
    """The permutation from a value's frame to another order of the region's axes."""
    return then(inverse(frame), order)


def find(graph: ir.Graph) -> list[AxisRegion]:
    """The regions around the graph's Transposes, in order."""
    static = static_values(graph)
    permutable_ops: dict[ir.Node, PermutableOp | None] = {}
    seen: set[ir.Value] = set()
    regions: list[AxisRegion] = []
    for node in graph:
        if _is_transpose(node, static) and node.outputs[0] not in seen:
            region = _grow(node, static, permutable_ops)
            seen.update(region.frames)
            if region.sound:
                regions.append(region)
    return regions


def static_values(graph: ir.Graph) -> set[ir.Value]:
    """Values that depend on constants and parameters alone."""
    static = set(graph.initializers.values())
    for node in graph:
        operands = [value for value in node.inputs if value is not None]
        if operands and node.op_type != "Shape" and all(value in static for value in operands):
            static.update(node.outputs)
    return static


def _is_transpose(node: ir.Node | None, static: set[ir.Value]) -> bool:
    """Whether a node is a Transpose of data, with a known permutation."""
    return (
        values.is_operator(node, "Transpose")
        and node is not None
        and node.inputs[0] not in static
        and permutations.of_node(node) is not None
        and values.rank(node.inputs[0]) is not None
    )


def _grow(
    start: ir.Node,
    static: set[ir.Value],
    permutable_ops: dict[ir.Node, PermutableOp | None],
) -> AxisRegion:
    """The region around one Transpose."""
    region = AxisRegion()
    graph = start.graph
    first = start.inputs[0]
    assert first is not None
    _enter(region, first, permutations.identity(values.rank(first) or 0))
    pending = deque([first])
    visited: set[ir.Node] = set()
    while pending:
        value = pending.popleft()
        neighbours = [use.node for use in value.uses()]
        producer = value.producer()
        for node in [producer, *neighbours] if producer is not None else neighbours:
            if node in visited or node.graph is not graph:
                continue
            if _is_transpose(node, static):
                visited.add(node)
                pending.extend(_through_transpose(region, node))
                continue
            if node not in permutable_ops:
                is_static = _is_static(node, static)
                permutable_ops[node] = None if is_static else permutable(node, static)
            op = permutable_ops[node]
            if op is not None and _is_data(node, op, value):
                visited.add(node)
                pending.extend(_through_permutable(region, node, op, region.frames[value]))
    region.inside = {*region.permutable, *region.transposes}
    _set_tensors(region)
    return region


def _is_static(node: ir.Node, static: set[ir.Value]) -> bool:
    return all(value in static for value in node.inputs if value is not None)


def _is_data(node: ir.Node, op: PermutableOp, value: ir.Value) -> bool:
    return value in node.outputs or any(node.inputs[slot] is value for slot in op.data)


def _enter(region: AxisRegion, value: ir.Value, frame: Permutation) -> bool:
    """Add a value to a region; whether it is new. A second frame makes the region unsound."""
    if value in region.frames:
        region.sound = region.sound and region.frames[value] == frame
        return False
    region.frames[value] = frame
    return True


def _through_transpose(region: AxisRegion, node: ir.Node) -> list[ir.Value]:
    source, output = node.inputs[0], node.outputs[0]
    order = permutations.of_node(node)
    assert source is not None and order is not None
    region.transposes.append(node)
    if source in region.frames:
        frame = then(region.frames[source], order)
        return [output] if _enter(region, output, frame) else []
    frame = then(region.frames[output], inverse(order))
    return [source] if _enter(region, source, frame) else []


def _through_permutable(
    region: AxisRegion, node: ir.Node, op: PermutableOp, frame: Permutation
) -> list[ir.Value]:
    region.permutable[node] = op
    members = [node.inputs[slot] for slot in op.data]
    members += [o for i, o in enumerate(node.outputs) if i == 0 or node.op_type == "Split"]
    return [value for value in members if value is not None and _enter(region, value, frame)]


def _set_tensors(region: AxisRegion) -> None:
    """Set each value's tensor: the value that it is computed from by Transposes alone."""
    transposes = set(region.transposes)
    for value in region.frames:
        chain, root = [value], value
        while root not in region.tensors and (producer := root.producer()) in transposes:
            assert producer is not None and producer.inputs[0] is not None
            root = producer.inputs[0]
            chain.append(root)
        root = region.tensors.get(root, root)
        region.tensors.update(dict.fromkeys(chain, root))
