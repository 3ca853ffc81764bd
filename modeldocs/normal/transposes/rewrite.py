"""Rewriting of one region to one order of axes."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder, permuted
from modeldocs.normal.data_movement.permutations import Permutation, inverse, text
from modeldocs.normal.transposes import borders
from modeldocs.normal.transposes.regions import AxisRegion, to


class RegionRewrite:
    """Computes every tensor of `region` in the order `order` of the region's frame.

    `rewritten` has, for each value, the value with the same elements in this order. Readers outside
    of the region get the former order back by one Transpose.
    """

    def __init__(
        self,
        region: AxisRegion,
        order: Permutation,
        builder: GraphBuilder,
        positions: dict[ir.Node, int],
    ) -> None:
        self.region, self.order, self.builder = region, order, builder
        self.nodes = sorted(region.inside, key=lambda node: positions[node])
        self.rewritten: dict[ir.Value, ir.Value] = {}
        self.restored: dict[tuple[ir.Value, Permutation], ir.Value] = {}
        self.names = {value: str(value.name) for value in region.frames}
        self.readers = {value: self._readers(value) for value in region.frames}

    def _readers(self, value: ir.Value) -> list[tuple[ir.Node, int, bool]]:
        """Nodes outside that read a value, their slots, and whether they absorb the new order."""
        order = self._permutation(value)
        readers = self.region.readers(value)
        return [(node, slot, borders.absorbs(node, slot, order)) for node, slot in readers]

    def apply(self) -> None:
        """Change the graph."""
        entries = self.region.entries()
        for value in entries:
            self._enter(value)
        for node in self.nodes:
            if node in self.region.permutable:
                self._permute(node)
            else:
                source = node.inputs[0]
                assert source is not None
                self.rewritten[node.outputs[0]] = self.rewritten[source]
        entered = set(entries)
        for value in self.region.frames:
            if value not in entered:
                self._leave(value)
        self._remove_unread(entries)

    def _permutation(self, value: ir.Value) -> Permutation:
        """The permutation from the former order of a value to the new one."""
        return to(self.region.frames[value], self.order)

    def _enter(self, value: ir.Value) -> None:
        """Permute a value that comes from outside."""
        order = self._permutation(value)
        self.rewritten[value] = value
        if self.region.frames[value] == self.order:
            return
        if borders.produces(value, order):
            node = borders.produce(value, order, self.builder)
        else:
            node = self.builder.transpose(value, order)
        self.rewritten[value] = self.builder.after(value, node)
        self.restored[self.rewritten[value], inverse(order)] = value

    def _permute(self, node: ir.Node) -> None:
        op = self.region.permutable[node]
        order = self._permutation(node.outputs[0])
        for slot in op.data:
            value = node.inputs[slot]
            assert value is not None
            node.replace_input_with(slot, self.rewritten[value])
        is_moved = order != tuple(range(len(order)))
        if is_moved:
            op.permute(node, order, self.builder)
        for output in node.outputs:
            self.rewritten[output] = output
            if is_moved and output in self.region.frames:
                self._permute_output(output, order)

    def _permute_output(self, output: ir.Value, order: Permutation) -> None:
        """Change an output's shape and name: the former name belongs to the former order."""
        output.shape = permuted(output.shape, order)
        output.name = self.builder.name(f"{output.name}/{text(order)}")

    def _leave(self, value: ir.Value) -> None:
        """Let readers outside read a value: rewritten where they absorb that, else restored."""
        rewritten, order = self.rewritten[value], self._permutation(value)
        is_moved = self.region.frames[value] != self.order
        if not is_moved and rewritten is value:
            return
        for node, slot, absorbs in self.readers[value]:
            if is_moved and absorbs:
                borders.absorb(node, order, self.builder)
            keeps = absorbs or not is_moved
            node.replace_input_with(slot, rewritten if keeps else self._restore(value))
        outputs = self.builder.graph.outputs
        for index, output in enumerate(outputs):
            if output is value:
                source = self._restore(value) if is_moved else rewritten
                outputs[index] = self._named_output(value, source)

    def _restore(self, value: ir.Value) -> ir.Value:
        """The value in its former order."""
        back = inverse(self._permutation(value))
        key = (self.rewritten[value], back)
        if key not in self.restored:
            transpose = self.builder.transpose(self.rewritten[value], back)
            transpose.outputs[0].name = self.names[value]
            self.restored[key] = self.builder.after(self.rewritten[value], transpose)
        return self.restored[key]

    def _named_output(self, value: ir.Value, source: ir.Value) -> ir.Value:
        """An output of the graph under its former name."""
        if source.name == self.names[value]:
            return source
        identity = self.builder.node("Identity", [source], like=source)
        identity.outputs[0].name = self.names[value]
        return self.builder.after(source, identity)

    def _remove_unread(self, entries: list[ir.Value]) -> None:
        """Remove the region's Transposes and the producers of entries that nothing reads now."""
        producers = [node for value in entries if (node := value.producer()) is not None]
        transposes = [node for node in self.nodes if node not in self.region.permutable]
        for node in [*reversed(transposes), *producers]:
            is_move = values.is_operator(node, "Transpose", "Reshape", "Unsqueeze")
            is_read = any(v.uses() or v.is_graph_output() for v in node.outputs)
            if is_move and not is_read and node.graph is not None:
                self.builder.graph.remove(node, safe=True)
