"""One region put in one order of axes."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder, permuted
from modeldocs.normal.permutations import Permutation, inverse, text
from modeldocs.normal.transposes import borders
from modeldocs.normal.transposes.regions import Region, to


class Move:
    """Computes every tensor of `region` in the order `order` of the region's frame.

    A value that was in this order stays; of another, `kept` has what holds the same elements in
    this order. Those outside that read it get it back by one Transpose.
    """

    def __init__(
        self, region: Region, order: Permutation, builder: Builder, positions: dict[ir.Node, int]
    ) -> None:
        self.region, self.order, self.builder = region, order, builder
        self.nodes = sorted(region.inside, key=lambda node: positions[node])
        self.kept: dict[ir.Value, ir.Value] = {}
        self.given: dict[tuple[ir.Value, Permutation], ir.Value] = {}
        self.names = {value: str(value.name) for value in region.frames}
        self.readers = {value: self._readers(value) for value in region.frames}

    def _readers(self, value: ir.Value) -> list[tuple[ir.Node, int, bool]]:
        """Nodes outside that read a value, their slot, and whether they take any order of it."""
        order = self._away(value)
        found = self.region.readers(value)
        return [(node, slot, borders.takes(node, slot, order)) for node, slot in found]

    def apply(self) -> None:
        """Change the graph."""
        entries = self.region.entries()
        for value in entries:
            self._enter(value)
        for node in self.nodes:
            if node in self.region.carriers:
                self._carry(node)
            else:
                read = node.inputs[0]
                assert read is not None
                self.kept[node.outputs[0]] = self.kept[read]
        inside = set(entries)
        for value in self.region.frames:
            if value not in inside:
                self._leave(value)
        self._drop(entries)

    def _away(self, value: ir.Value) -> Permutation:
        """Takes a value of the graph as it was to the region's order."""
        return to(self.region.frames[value], self.order)

    def _enter(self, value: ir.Value) -> None:
        order = self._away(value)
        self.kept[value] = value
        if self.region.frames[value] == self.order:
            return
        gives = borders.gives(value, order)
        made = borders.make(value, order, self.builder) if gives else None
        made = made or self.builder.transpose(value, order)
        self.kept[value] = self.builder.after(value, made)
        self.given[self.kept[value], inverse(order)] = value

    def _carry(self, node: ir.Node) -> None:
        kind = self.region.carriers[node]
        order = self._away(node.outputs[0])
        for slot in kind.data:
            value = node.inputs[slot]
            assert value is not None
            node.replace_input_with(slot, self.kept[value])
        moves = order != tuple(range(len(order)))
        if moves:
            kind.move(node, order, self.builder)
        for output in node.outputs:
            self.kept[output] = output
            if moves and output in self.region.frames:
                self._stand_in(output, order)

    def _stand_in(self, output: ir.Value, order: Permutation) -> None:
        """The node's own output holds the moved tensor; the name stays with the order it had."""
        output.shape = permuted(output.shape, order)
        output.name = self.builder.name(f"{output.name}/{text(order)}")

    def _leave(self, value: ir.Value) -> None:
        """Give a value to those outside: as it is kept, or in the order that they know."""
        held, order = self.kept[value], self._away(value)
        moved = self.region.frames[value] != self.order
        if not moved and held is value:
            return
        for node, slot, takes in self.readers[value]:
            if moved and takes:
                borders.tell(node, order, self.builder)
            plain = held if takes or not moved else self._given_back(value)
            node.replace_input_with(slot, plain)
        outputs = self.builder.graph.outputs
        for index, output in enumerate(outputs):
            if output is value:
                outputs[index] = self._named(value, self._given_back(value) if moved else held)

    def _given_back(self, value: ir.Value) -> ir.Value:
        """The value in the order that it had in the graph."""
        back = inverse(self._away(value))
        key = (self.kept[value], back)
        if key not in self.given:
            made = self.builder.transpose(self.kept[value], back)
            made.outputs[0].name = self.names[value]
            self.given[key] = self.builder.after(self.kept[value], made)
        return self.given[key]

    def _named(self, value: ir.Value, held: ir.Value) -> ir.Value:
        """An output of the graph has the name that the graph gave it."""
        if held.name == self.names[value]:
            return held
        made = self.builder.node("Identity", [held], like=held)
        made.outputs[0].name = self.names[value]
        return self.builder.after(held, made)

    def _drop(self, entries: list[ir.Value]) -> None:
        """Take out the region's Transposes, and what made entries that nothing reads now."""
        makers = [maker for value in entries if (maker := value.producer()) is not None]
        gone = [node for node in self.nodes if node not in self.region.carriers]
        for node in [*reversed(gone), *makers]:
            plain = values.is_operator(node, "Transpose", "Reshape", "Unsqueeze")
            unread = not any(v.uses() or v.is_graph_output() for v in node.outputs)
            if plain and unread and node.graph is not None:
                self.builder.graph.remove(node, safe=True)
