"""Regions: values that Transposes and operators of any order of axes connect."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs.normal import permutations, values
from modeldocs.normal.permutations import Permutation, inverse, then
from modeldocs.normal.transposes import borders
from modeldocs.normal.transposes.carrying import Carrier, carrier

_AT_THE_END_OF_THE_GRAPH = 0.9
"""What a Transpose of an input or output of the graph costs: inside, it costs 1."""
_OUT_OF_ORDER = 1e-4
"""What an operator costs that is not computed in the order of those that have but one."""
_CHANNELS_FIRST = frozenset(
    (
        *("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool", "GlobalAveragePool"),
        *("GlobalMaxPool", "BatchNormalization", "InstanceNormalization", "GroupNormalization"),
        *("LRN", "DepthToSpace", "SpaceToDepth", "DeformConv", "MaxUnpool", "GridSample"),
    )
)


@dataclass
class Region:
    """Values and the nodes between them, all one tensor order apart.

    `frames` has, for each value, the permutation that takes the region's own frame of axes to the
    value's; `tensors` tells which values are the same tensor but for the order.
    """

    frames: dict[ir.Value, Permutation] = field(default_factory=dict)
    tensors: dict[ir.Value, ir.Value] = field(default_factory=dict)
    carriers: dict[ir.Node, Carrier] = field(default_factory=dict)
    transposes: list[ir.Node] = field(default_factory=list)
    inside: set[ir.Node] = field(default_factory=set)
    sound: bool = True

    def cheapest(self) -> Permutation | None:
        """The order of the frame that leaves the fewest Transposes; None to leave all as it is."""
        first = self._channels_first()
        now = [node for node in self.carriers if first and self._frame(node) not in first]
        best, least = None, self._now() + _OUT_OF_ORDER * len(now)
        for order in dict.fromkeys(self.frames.values()):
            out_of_order = len(self.carriers) if first and order not in first else 0
            cost = self._cost(order) + _OUT_OF_ORDER * out_of_order
            if cost < least - _OUT_OF_ORDER / 2:
                best, least = order, cost
        return best

    def entries(self) -> list[ir.Value]:
        """Values that come from outside."""
        return [value for value in self.frames if value.producer() not in self.inside]

    def readers(self, value: ir.Value) -> list[tuple[ir.Node, int]]:
        """Nodes outside that read a value, each with its slot."""
        return [(use.node, use.idx) for use in value.uses() if use.node not in self.inside]

    def _channels_first(self) -> set[Permutation]:
        """Frames of values that go into, or come from, an operator of one order alone."""
        found = set()
        for value, frame in self.frames.items():
            around = [node for node, slot in self.readers(value) if slot == 0]
            maker = value.producer()
            if any(n.op_type in _CHANNELS_FIRST for n in (*around, *([maker] if maker else ()))):
                found.add(frame)
        return found

    def _frame(self, carrier: ir.Node) -> Permutation:
        return self.frames[carrier.outputs[0]]

    def _now(self) -> float:
        seen: dict[tuple[int, Permutation], float] = {}
        for node in self.transposes:
            read, made = node.inputs[0], node.outputs[0]
            assert read is not None
            if self.frames[read] != self.frames[made]:
                ends = read.is_graph_input() or made.is_graph_output()
                key = (id(read), self.frames[made])
                seen[key] = min(seen.get(key, 1.0), _AT_THE_END_OF_THE_GRAPH if ends else 1.0)
        return sum(seen.values())

    def _cost(self, order: Permutation) -> float:
        """Transposes left where every tensor is kept in this order of the frame."""
        cost, entered = 0.0, set()
        for value in self.entries():
            frame = self.frames[value]
            entered.add((self.tensors[value], frame))
            if frame != order and not borders.gives(value, to(frame, order)):
                cost += _AT_THE_END_OF_THE_GRAPH if value.is_graph_input() else 1.0
        leaving: dict[tuple[ir.Value, Permutation], float] = {}
        for value, frame in self.frames.items():
            key = (self.tensors[value], frame)
            if frame != order and key not in entered:
                leaving[key] = max(leaving.get(key, 0.0), self._leaves(value, to(frame, order)))
        return cost + sum(leaving.values())

    def _leaves(self, value: ir.Value, order: Permutation) -> float:
        """What it costs to give a value to those outside, where it is kept in another order."""
        for node, slot in self.readers(value):
            if node.op_type not in ("Shape", "Size") and not borders.takes(node, slot, order):
                return 1.0
        return _AT_THE_END_OF_THE_GRAPH if value.is_graph_output() else 0.0


def to(frame: Permutation, order: Permutation) -> Permutation:
    """Takes a value of one frame to another order of the same axes."""
    return then(inverse(frame), order)


def find(graph: ir.Graph) -> list[Region]:
    """The regions around the graph's Transposes, in order."""
    static = static_values(graph)
    opset = graph.opset_imports.get("", 21) or 21
    carriers: dict[ir.Node, Carrier | None] = {}
    seen: set[ir.Value] = set()
    found: list[Region] = []
    for node in graph:
        if _moves(node, static) and node.outputs[0] not in seen:
            region = _grow(node, static, opset, carriers)
            seen.update(region.frames)
            if region.sound:
                found.append(region)
    return found


def static_values(graph: ir.Graph) -> set[ir.Value]:
    """Values made of constants and parameters alone."""
    found = set(graph.initializers.values())
    for node in graph:
        held = [value for value in node.inputs if value is not None]
        if held and node.op_type != "Shape" and all(value in found for value in held):
            found.update(node.outputs)
    return found


def _moves(node: ir.Node | None, static: set[ir.Value]) -> bool:
    return (
        values.is_operator(node, "Transpose")
        and node is not None
        and node.inputs[0] not in static
        and permutations.of_node(node) is not None
        and values.rank(node.inputs[0]) is not None
    )


def _grow(
    start: ir.Node, static: set[ir.Value], opset: int, carriers: dict[ir.Node, Carrier | None]
) -> Region:
    """Everything that hangs together with one Transpose."""
    region = Region()
    graph = start.graph
    first = start.inputs[0]
    assert first is not None
    _enter(region, first, permutations.identity(values.rank(first) or 0))
    waiting = deque([first])
    visited: set[ir.Node] = set()
    while waiting:
        value = waiting.popleft()
        around = [use.node for use in value.uses()]
        maker = value.producer()
        for node in [maker, *around] if maker is not None else around:
            if node in visited or node.graph is not graph:
                continue
            if _moves(node, static):
                visited.add(node)
                waiting.extend(_through_transpose(region, node))
                continue
            if node not in carriers:
                carriers[node] = None if _is_static(node, static) else carrier(node, static, opset)
            kind = carriers[node]
            if kind is not None and _is_data(node, kind, value):
                visited.add(node)
                waiting.extend(_through_carrier(region, node, kind, region.frames[value]))
    region.inside = {*region.carriers, *region.transposes}
    _name_tensors(region)
    return region


def _is_static(node: ir.Node, static: set[ir.Value]) -> bool:
    return all(value in static for value in node.inputs if value is not None)


def _is_data(node: ir.Node, kind: Carrier, value: ir.Value) -> bool:
    return value in node.outputs or any(node.inputs[slot] is value for slot in kind.data)


def _enter(region: Region, value: ir.Value, frame: Permutation) -> bool:
    """Take a value in; whether it is new. A value of two orders makes the region unsound."""
    if value in region.frames:
        region.sound = region.sound and region.frames[value] == frame
        return False
    region.frames[value] = frame
    return True


def _through_transpose(region: Region, node: ir.Node) -> list[ir.Value]:
    read, made = node.inputs[0], node.outputs[0]
    order = permutations.of_node(node)
    assert read is not None and order is not None
    region.transposes.append(node)
    if read in region.frames:
        return [made] if _enter(region, made, then(region.frames[read], order)) else []
    return [read] if _enter(region, read, then(region.frames[made], inverse(order))) else []


def _through_carrier(
    region: Region, node: ir.Node, kind: Carrier, frame: Permutation
) -> list[ir.Value]:
    region.carriers[node] = kind
    members = [node.inputs[slot] for slot in kind.data]
    members += [o for i, o in enumerate(node.outputs) if i == 0 or node.op_type == "Split"]
    return [value for value in members if value is not None and _enter(region, value, frame)]


def _name_tensors(region: Region) -> None:
    """Each value's tensor: the value that Transposes alone lead to it from."""
    transposes = set(region.transposes)
    for value in region.frames:
        chain, root = [value], value
        while root not in region.tensors and (maker := root.producer()) in transposes:
            assert maker is not None and maker.inputs[0] is not None
            root = maker.inputs[0]
            chain.append(root)
        root = region.tensors.get(root, root)
        region.tensors.update(dict.fromkeys(chain, root))
