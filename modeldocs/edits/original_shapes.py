"""The shapes that a network had before all edits."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import settings, values

Shape = tuple[int, ...]


class OriginalShapes:
    """The shapes of values before all edits, and those that nodes read in their slots.

    What a node read is kept by the node: an edit may have put another value into the slot.
    """

    def __init__(self, graph: ir.Graph) -> None:
        made = [value for node in graph for value in node.outputs]
        held = [*graph.inputs, *graph.initializers.values(), *made]
        self._values = {id(value): values.shape(value) for value in held}
        self._reads = {id(node): tuple(map(values.shape, operands(node))) for node in graph}
        self._held: list[object] = [*held, *graph]  # so that no id is given again

    def of(self, value: ir.Value | None) -> Shape | None:
        """The shape of a value; None where it is new, or was not known."""
        return self._values.get(id(value))

    def read(self, node: ir.Node, slot: int) -> Shape | None:
        """The shape of what a node read in a slot; None where it is new, or was not known."""
        own = self._reads.get(id(node), ())
        return own[slot] if slot < len(own) else None

    def is_new(self, node: ir.Node) -> bool:
        """Whether an edit put a node in, which is no copy of another."""
        return id(node) not in self._reads

    def changed(self, node: ir.Node) -> bool:
        """Whether a node reads another shape than before in any slot, or is new."""
        return self._reads.get(id(node)) != tuple(map(values.shape, operands(node)))

    def copy(self, node: ir.Node, original: ir.Node) -> None:
        """Keep that a node reads what another one read, and gives what that gave."""
        self._held.append(node)
        self._reads[id(node)] = self._reads[id(original)]
        for value, other in zip(node.outputs, original.outputs, strict=True):
            self.copy_value(value, other)

    def copy_value(self, value: ir.Value, original: ir.Value) -> None:
        """Keep that a value had the shape of another one."""
        self._held.append(value)
        self._values[id(value)] = self.of(original)

    def hold(self, node: ir.Node) -> None:
        """Keep a node that is removed, so that no other gets its id."""
        self._held.append(node)


def operands(node: ir.Node) -> list[ir.Value | None]:
    """What a node reads: its operands, then what its bodies read of the graph around them."""
    return [*node.inputs, *settings.captured(node)]
