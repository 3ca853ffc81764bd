"""Matched layers that make the same elements, with their axes in other orders or merged.

Where one graph works on batch x heads x length and the other on batch x length x heads, every layer
in between reads other shapes and computes the same. So do layers with the channels last instead of
second, and those that read the rows of an image as one axis.
"""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.operand_orders import seen, whole
from modeldocs.diff.changes.order_rules import Read
from modeldocs.diff.changes.output_orders import Elements, output_orders, rearranges
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.function.attributes import COMMUTATIVE
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer, Operand

_ROUNDS: Final = 8
"""How often layers are looked through again before no other order is believed."""


class Arranged:
    """What is known of the order of elements of matched nodes.

    `orders` has, for (node of A, output), the order in which B's holds the elements of A's, where
    it is another. `alike` are nodes of A that were looked at and make the same elements of the
    same; `agreeing` names the attributes in which the two differ by that order alone.
    """

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.orders: dict[tuple[int, int], Arrangement] = {}
        self.alike: set[int] = set()
        self.agreeing: dict[int, frozenset[str]] = {}
        self._turned: set[int] = set()
        self._told: set[int] = set()
        self._sides = _Values(matching.a), _Values(matching.b)
        for _ in range(_ROUNDS):
            self._look_through()
            contradicted = self._contradicted()
            if not contradicted:
                return
            self._told |= contradicted
        self._told = set(range(len(matching.a)))
        self._look_through()

    def agreeing_in(self, node: int) -> frozenset[str] | None:
        """Attributes in which a pair differs by an order alone; None if it may be by more."""
        return self.agreeing.get(node, frozenset()) if node in self.alike else None

    def by_node(self) -> dict[int, Arrangement]:
        """The order of nodes all outputs of which stand in one other order."""
        found: dict[int, Arrangement] = {}
        for i in self._turned:
            made = range(len(self.matching.a.output_types(i)))
            orders = {self.orders.get((i, output), KEPT) for output in made}
            if len(orders) == 1:
                found[i] = orders.pop()
        return found

    def laid_out(self, node: int) -> str | None:
        """How B's counterpart of a node makes the same elements: `turned`, `rows`, or unknown."""
        if node in self._turned:
            return "turned"
        return "rows" if node in self.alike else None

    def _look_through(self) -> None:
        """Follow the orders from the inputs on."""
        self.orders.clear()
        self._turned.clear()
        self.alike.clear()
        self.agreeing.clear()
        for i, j in sorted(self.matching.pairs()):
            found = None if i in self._told else self._made(i, j)
            if found is None:
                continue
            self.alike.add(i)
            for output, order in enumerate(found[0]):
                if order != KEPT:
                    self.orders[i, output] = order
                    self._turned.add(i)
            if found[1]:
                self.agreeing[i] = found[1]

    def _made(self, i: int, j: int) -> Elements | None:
        """What a pair makes of what it reads; None where it does not make the same elements."""
        a, b = self.matching.a.nodes[i], self.matching.b.nodes[j]
        if not isinstance(a, Layer) or not isinstance(b, Layer) or self._plain(i, j, a, b):
            return None
        reads = self._reads(i, a, b)
        if reads is None:
            return None
        forms = self.matching.a.ops[i], self.matching.b.ops[j]
        return output_orders(((a, forms[0]), (b, forms[1])), reads)

    def _plain(self, i: int, j: int, a: Layer, b: Layer) -> bool:
        """Whether nothing suggests that elements stand in another order."""
        if any(source in self._turned for _, source in self.matching.a.sources[i]):
            return False
        if [x.steps for x in a.inputs] != [y.steps for y in b.inputs]:
            return False
        forms = self.matching.a.ops[i], self.matching.b.ops[j]
        return forms[0].attributes == forms[1].attributes or not rearranges(a)

    def _reads(self, i: int, a: Layer, b: Layer) -> list[Read] | None:
        """What both read, slot by slot; None where it is not the same."""
        facing = list(b.inputs)
        if len(a.inputs) != len(facing):
            return None
        free = self.matching.a.ops[i].operator in COMMUTATIVE
        found = []
        for x in a.inputs:
            y = next((y for y in facing if self.same_value(x, y)), None) if free else facing[0]
            read = None if y is None else self.read(x, y)
            if y is None or read is None:
                return None
            facing.remove(y)
            found.append(read)
        return found

    def same_value(self, x: Operand, y: Operand) -> bool:
        """Whether two operands are made by counterparts."""
        ours, theirs = self._sides[0].origin(x), self._sides[1].origin(y)
        return self.matching.to_b[ours[0]] == theirs[0] and ours[1] == theirs[1]

    def read(self, x: Operand, y: Operand) -> Read | None:
        """How B's operand has the elements of A's; None where it has others."""
        shapes = whole(x.type.shape), whole(y.type.shape)
        if shapes[0] is None or shapes[1] is None or not self.same_value(x, y):
            return None
        source = self.orders.get(self._sides[0].origin(x), KEPT)
        before, after = self._sides[0].seen(x), self._sides[1].seen(y, source)
        order = before and after and after.seen_from(before)
        return Read(shapes[0], shapes[1], order) if order else None

    def in_place(self, x: Operand, y: Operand) -> bool:
        """Whether two operands are known to have the same elements in the same order."""
        read = self.read(x, y)
        return read is not None and read.order == KEPT

    def _contradicted(self) -> set[int]:
        """Nodes in another order that some reader does not undo, the last ones first."""
        found: set[int] = set()
        for i in sorted(self._turned, reverse=True):
            if not self._undone_by_readers(i, found):
                found.add(i)
        return found

    def _undone_by_readers(self, i: int, contradicted: set[int]) -> bool:
        """Whether matched readers read the same; unmatched ones are reported by themselves."""
        a, b = self.matching.a, self.matching.b
        if not self._outputs_agree(i):
            return False
        users = {user for _, user in a.users[i] if self.matching.to_b[user] >= 0}
        theirs = {
            user for _, user in b.users[self.matching.to_b[i]] if self.matching.to_a[user] >= 0
        }
        if {self.matching.to_b[user] for user in users} != theirs:
            return False
        left = users - (self.alike - contradicted)
        return all(self._seen_in_place(i, user) for user in left)

    def _outputs_agree(self, i: int) -> bool:
        """Whether the outputs of the network that a node makes agree, or differ in shape anyway.

        What nothing reads counts as an output.
        """
        a, b, j = self.matching.a, self.matching.b, self.matching.to_b[i]
        ours = [out.source for out in a.graph.outputs if self._sides[0].origin(out.source)[0] == i]
        theirs = [
            out.source for out in b.graph.outputs if self._sides[1].origin(out.source)[0] == j
        ]
        if not a.users[i] and not ours and not theirs:
            return a.output_types(i) != b.output_types(j)
        return len(ours) == len(theirs) and all(
            self.in_place(x, y) or x.type.shape != y.type.shape
            for x, y in zip(ours, theirs, strict=True)
        )

    def _seen_in_place(self, i: int, user: int) -> bool:
        """Whether a layer reads what a node makes in the same order in both graphs."""
        a, b = self.matching.a.nodes[user], self.matching.b.nodes[self.matching.to_b[user]]
        assert isinstance(a, Layer) and isinstance(b, Layer)
        return all(
            any(self.in_place(x, y) for y in b.inputs)
            for x in a.inputs
            if self._sides[0].origin(x)[0] == i
        )


class _Values:
    """The values of one graph, past layers that pass their input on."""

    def __init__(self, graph: IndexedGraph) -> None:
        self._nodes = {node.id: place for place, node in enumerate(graph.nodes)}
        self._bypassed = {held.layer.id: held.layer for held in graph.bypassed}

    def origin(self, operand: Operand) -> tuple[int, int]:
        """The node that makes a value, and which of its outputs it is."""
        while operand.value in self._bypassed:
            operand = _passed(self._bypassed[operand.value])
        return self._nodes[operand.value], operand.output

    def seen(self, operand: Operand, source: Arrangement = KEPT) -> Arrangement | None:
        """The order in which an operand reads the elements of its value."""
        if operand.value in self._bypassed:
            before = self.seen(_passed(self._bypassed[operand.value]), source)
            return before and seen(operand, before)
        return seen(operand, source)


def _passed(layer: Layer) -> Operand:
    return min(layer.inputs, key=lambda operand: operand.slot)
