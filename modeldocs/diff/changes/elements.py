"""Matched layers that output the same elements, with their axes in other orders or merged.

Where one graph works on batch x heads x length and the other on batch x length x heads, all layers
in between read other shapes and compute the same. So do layers with the channels last instead of
second, and those that read the rows of an image as one axis.
"""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.operand_orders import known_sizes, seen
from modeldocs.diff.changes.order_rules import OperandOrders
from modeldocs.diff.changes.output_orders import Elements, output_orders, rearranges
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer, Operand, operators

_ROUNDS: Final = 8
"""Passes over the layers after which no other order is assumed: the bound on time. Each pass drops
the orders that a reader contradicts, and what was derived from them. With 1 or 4 no diff of
tests/diff or of the catalog changes."""


class Arranged:
    """The orders in which matched nodes output their elements.

    `orders` has, for (node of A, output), the order of A's elements in B's output, where the two
    orders differ. `same_elements` are the nodes of A that output the same elements as their
    counterparts, given the same inputs; `agreeing` are the attributes that differ only because of
    the order.
    """

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.orders: dict[tuple[int, int], Arrangement] = {}
        self.same_elements: set[int] = set()
        self.agreeing: dict[int, frozenset[str]] = {}
        self._reordered: set[int] = set()
        self._excluded: set[int] = set()
        """Nodes whose order is reported as a difference: none is derived for them."""
        self._sides = _Values(matching.a), _Values(matching.b)
        for _ in range(_ROUNDS):
            self._derive_orders()
            contradicted = self._contradicted()
            if not contradicted:
                return
            self._excluded |= contradicted
        self._excluded = set(range(len(matching.a)))
        self._derive_orders()

    def agreeing_in(self, node: int) -> frozenset[str] | None:
        """Attributes of a pair that differ only because of an order; None if it is not known."""
        return self.agreeing.get(node, frozenset()) if node in self.same_elements else None

    def by_node(self) -> dict[int, Arrangement]:
        """The orders of nodes all of whose outputs have the same other order."""
        by_node: dict[int, Arrangement] = {}
        for i in self._reordered:
            outputs = range(len(self.matching.a.output_types(i)))
            orders = {self.orders.get((i, output), KEPT) for output in outputs}
            if len(orders) == 1:
                by_node[i] = orders.pop()
        return by_node

    def laid_out(self, node: int) -> str | None:
        """How B's counterpart lays out the same elements: `turned`, `rows`; None if not known."""
        if node in self._reordered:
            return "turned"
        return "rows" if node in self.same_elements else None

    def _derive_orders(self) -> None:
        """Derive the orders of all nodes, from the inputs on."""
        self.orders.clear()
        self._reordered.clear()
        self.same_elements.clear()
        self.agreeing.clear()
        for i, j in sorted(self.matching.pairs()):
            elements = None if i in self._excluded else self._elements(i, j)
            if elements is None:
                continue
            self.same_elements.add(i)
            for output, order in enumerate(elements[0]):
                if order != KEPT:
                    self.orders[i, output] = order
                    self._reordered.add(i)
            if elements[1]:
                self.agreeing[i] = elements[1]

    def _elements(self, i: int, j: int) -> Elements | None:
        """The output orders of a pair; None where it does not output the same elements."""
        a, b = self.matching.a.nodes[i], self.matching.b.nodes[j]
        if not isinstance(a, Layer) or not isinstance(b, Layer) or self._in_one_order(i, j, a, b):
            return None
        reads = self._reads(i, a, b)
        if reads is None:
            return None
        forms = self.matching.a.ops[i], self.matching.b.ops[j]
        return output_orders(((a, forms[0]), (b, forms[1])), reads)

    def _in_one_order(self, i: int, j: int, a: Layer, b: Layer) -> bool:
        """Whether neither operands, steps nor attributes put elements in another order."""
        if any(source in self._reordered for _, source in self.matching.a.sources[i]):
            return False
        if [x.steps for x in a.inputs] != [y.steps for y in b.inputs]:
            return False
        forms = self.matching.a.ops[i], self.matching.b.ops[j]
        return forms[0].attributes == forms[1].attributes or not rearranges(a)

    def _reads(self, i: int, a: Layer, b: Layer) -> list[OperandOrders] | None:
        """What both read, slot by slot; None where it is not the same."""
        left = list(b.inputs)
        if len(a.inputs) != len(left):
            return None
        commutative = operators.of(self.matching.a.ops[i].operator).commutative
        reads = []
        for x in a.inputs:
            same = (y for y in left if self.same_value(x, y))
            y = next(same, None) if commutative else left[0]
            read = None if y is None else self.read(x, y)
            if y is None or read is None:
                return None
            left.remove(y)
            reads.append(read)
        return reads

    def same_value(self, x: Operand, y: Operand) -> bool:
        """Whether two operands are outputs of counterparts."""
        ours, theirs = self._sides[0].origin(x), self._sides[1].origin(y)
        return self.matching.to_b[ours[0]] == theirs[0] and ours[1] == theirs[1]

    def read(self, x: Operand, y: Operand) -> OperandOrders | None:
        """The order of A's elements in B's operand; None where it has other elements."""
        shapes = known_sizes(x.type.shape), known_sizes(y.type.shape)
        if shapes[0] is None or shapes[1] is None or not self.same_value(x, y):
            return None
        source = self.orders.get(self._sides[0].origin(x), KEPT)
        before, after = self._sides[0].seen(x), self._sides[1].seen(y, source)
        order = before and after and after.seen_from(before)
        return OperandOrders(shapes[0], shapes[1], order) if order else None

    def in_place(self, x: Operand, y: Operand) -> bool:
        """Whether two operands are known to have the same elements in the same order."""
        read = self.read(x, y)
        return read is not None and read.order == KEPT

    def _contradicted(self) -> set[int]:
        """Nodes in another order that some reader does not undo, seen from the last node on."""
        contradicted: set[int] = set()
        for i in sorted(self._reordered, reverse=True):
            if not self._undone_by_readers(i, contradicted):
                contradicted.add(i)
        return contradicted

    def _undone_by_readers(self, i: int, contradicted: set[int]) -> bool:
        """Whether the matched readers read the same; unmatched ones are reported anyway."""
        a, b = self.matching.a, self.matching.b
        if not self._outputs_agree(i):
            return False
        users = {user for _, user in a.users[i] if self.matching.to_b[user] >= 0}
        theirs = {
            user for _, user in b.users[self.matching.to_b[i]] if self.matching.to_a[user] >= 0
        }
        if {self.matching.to_b[user] for user in users} != theirs:
            return False
        left = users - (self.same_elements - contradicted)
        return all(self._seen_in_place(i, user) for user in left)

    def _outputs_agree(self, i: int) -> bool:
        """Whether the network's outputs of a node agree, or differ in shape anyway.

        A value that nothing reads counts as an output.
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
        """Whether a layer reads a node's output in the same order in both graphs."""
        a, b = self.matching.a.nodes[user], self.matching.b.nodes[self.matching.to_b[user]]
        assert isinstance(a, Layer) and isinstance(b, Layer)
        return all(
            any(self.in_place(x, y) for y in b.inputs)
            for x in a.inputs
            if self._sides[0].origin(x)[0] == i
        )


class _Values:
    """The values of one graph, past layers that pass their input on unchanged."""

    def __init__(self, graph: IndexedGraph) -> None:
        self._nodes = {node.id: place for place, node in enumerate(graph.nodes)}
        self._bypassed = {bypassed.layer.id: bypassed.layer for bypassed in graph.bypassed}

    def origin(self, operand: Operand) -> tuple[int, int]:
        """The node that outputs a value, and the number of the output."""
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
