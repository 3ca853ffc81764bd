"""Differences of shape: the layers where they begin, and those that only follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from modeldocs.diff.alignment.matching import Matching, operators_of
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.tensors import difference, ratio
from modeldocs.diff.parity import Pair
from modeldocs.ir import GraphInput, TensorType

_MEANING: Final = {
    "shape": "shape",
    "ones": "spelling",
    "rows": "spelling",
    "turned": "spelling",
    "dtype": "computes",
    "integers": "spelling",
}

LAID_OUT: Final = {
    "rows": "rows and columns as one axis on one side",
    "turned": "axes in another order",
}
"""Layouts in which layers compute the same with other shapes, as text in titles."""

Cause = tuple[str, int]
"""Where a difference begins: ("a", a node of A) or ("b", a node that only B has)."""


class Shapes:
    """Where the outputs of matched nodes differ in shape or element type.

    `cause[i]` is where the difference of node i of A begins, for all nodes whose outputs differ
    and for unmatched ones, which may pass a difference on or begin one. `differences` has the kind
    and both types of each difference. `followers` are the nodes of A that differ only because of a
    cause.
    """

    def __init__(self, matching: Matching, arranged: Arranged) -> None:
        self.matching = matching
        self._arranged = arranged
        self.batches = (matching.a.batch_size, matching.b.batch_size)
        self.cause: dict[int, Cause] = {}
        self.differences: dict[int, tuple[str, TensorType, TensorType]] = {}
        self.followers: dict[Cause, set[int]] = {}
        for node in range(len(matching.a)):
            self._follow(node)

    def _follow(self, node: int) -> None:
        if self.matching.to_b[node] < 0:
            self.cause[node] = self._passed_on(node) or ("a", node)
            return
        difference = self._difference(node)
        if difference is None:
            return
        self.differences[node] = difference
        self.cause[node] = self._upstream(node) or ("a", self._begin(node))
        if self.cause[node] != ("a", node):
            self.followers.setdefault(self.cause[node], set()).add(node)

    def _passed_on(self, node: int) -> Cause | None:
        """Where the difference of a node's operands begins; None if there is none."""
        for _, source in self.matching.a.sources[node]:
            if source in self.differences:
                return self.cause[source]
        return None

    def _upstream(self, node: int) -> Cause | None:
        """The cause of operands of another shape or type of a matched node; else None."""
        carried = self._passed_on(node)
        if carried is not None or not self.reads_other_shapes(node):
            return carried
        matching = self.matching
        for _, source in matching.a.sources[node]:
            if matching.to_b[source] < 0:
                return self.cause[source]
        for _, source in matching.b.sources[matching.to_b[node]]:
            if matching.to_a[source] < 0:
                return "b", source
        return None

    def _begin(self, node: int) -> int:
        """The moved layer that begins the difference, or the node itself."""
        matching = self.matching
        if node in matching.moved:
            return node
        for _, source in matching.a.sources[node]:
            if source in matching.moved:
                return source
        for _, source in matching.b.sources[matching.to_b[node]]:
            if matching.to_a[source] in matching.moved:
                return matching.to_a[source]
        return node

    def _difference(self, node: int) -> tuple[str, TensorType, TensorType] | None:
        other = self.matching.to_b[node]
        ours, theirs = self.matching.a.output_types(node), self.matching.b.output_types(other)
        if ours == theirs:
            return None
        for a, b in zip(ours, theirs, strict=False):
            kind = difference(a, b, self.batches)
            if kind == "shape" and a.elements == b.elements:
                kind = self._arranged.laid_out(node) or kind
            if kind is not None:
                return kind, a, b
        return None

    def reads_other_shapes(self, node: int) -> bool:
        """Whether a matched layer of A reads operands of another shape than its counterpart."""
        ours = self.matching.a.operands(node)
        theirs = self.matching.b.operands(self.matching.to_b[node])
        return any(
            difference(x.type, y.type, self.batches) == "shape"
            for slot in ours
            for x, y in zip(ours[slot], theirs.get(slot, ()), strict=False)
        )

    def add_follower(self, node: int) -> bool:
        """Add a layer to the followers of its cause; False where it has none."""
        cause = self._upstream(node)
        if cause is not None:
            self.followers.setdefault(cause, set()).add(node)
        return cause is not None or node in self.differences

    def count(self, cause: Cause) -> int:
        """The number of nodes of A that follow a cause."""
        return len(self.followers.get(cause, ()))

    def begun(self) -> Iterator[tuple[int, Finding]]:
        """(node of A, finding) for each matched node where a difference begins."""
        for node, (kind, a, b) in self.differences.items():
            if self.cause[node] == ("a", node) and node not in self.matching.moved:
                yield node, self._finding(node, kind, a, b)

    def _finding(self, node: int, kind: str, a: TensorType, b: TensorType) -> Finding:
        by_type = kind in ("dtype", "integers")
        laid_out = kind in LAID_OUT and not isinstance(self.matching.a.nodes[node], GraphInput)
        operator, operator_b = ("", "") if laid_out else operators_of(self.matching, node)
        return Finding(
            kind="attribute" if by_type else "shape",
            consequence=_MEANING[kind],
            operator=operator,
            operator_b=operator_b,
            pair=self._pair(node),
            attribute="dtype" if by_type else None,
            before=a.dtype if by_type else a.shape,
            after=b.dtype if by_type else b.shape,
            merge_key=None if by_type else _alike(kind, a, b),
            followers=self.count(("a", node)),
        )

    def _pair(self, node: int) -> Pair:
        other = self.matching.to_b[node]
        return (self.matching.a.nodes[node].id,), (self.matching.b.nodes[other].id,)

    def batch(self) -> Iterator[Finding]:
        """Findings on inputs whose shapes are written differently but compatible."""
        for i, j in self.matching.pairs():
            a, b = self.matching.a.nodes[i], self.matching.b.nodes[j]
            if (
                isinstance(a, GraphInput)
                and isinstance(b, GraphInput)
                and i not in self.differences
            ):
                before, after = _nameless(a.type), _nameless(b.type)
                if before != after:
                    pair = (a.id,), (b.id,)
                    yield Finding("shape", "spelling", "input", pair, None, before, after)


def _alike(kind: str, a: TensorType, b: TensorType) -> Any:
    """The merge key of a difference of shape: its kind, or the ratio of the shapes."""
    return ratio(a.shape, b.shape) if kind == "shape" else kind


def _nameless(kind: TensorType) -> Any:
    if kind.shape is None:
        return None
    return tuple(dim if isinstance(dim, int) else "?" for dim in kind.shape)
