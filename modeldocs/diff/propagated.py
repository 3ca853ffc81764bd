"""Differences that travel: where shapes part, and which layers only follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.diff.finding import Finding
from modeldocs.diff.pairing import Pairing, told_operator
from modeldocs.diff.parity import Pair
from modeldocs.diff.sides import Side
from modeldocs.diff.tensors import difference, ratio
from modeldocs.graph import GraphInput, TensorType

_MEANING = {"shape": "shape", "ones": "spelling", "dtype": "computes", "integers": "spelling"}


class Shapes:
    """Where the outputs of matched nodes part in shape or element type.

    `root[i]` is the node of A at which the difference of node i began, for all nodes whose
    outputs differ and for unmatched ones that carry a difference on.
    """

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        self.batches = (pairing.a.batch, pairing.b.batch)
        self.root: dict[int, int] = {}
        self.found: dict[int, tuple[str, TensorType, TensorType]] = {}
        self.followers: dict[int, set[int]] = {}
        for node in range(len(pairing.a)):
            self._follow(node)

    def _follow(self, node: int) -> None:
        sources = [source for _, source in self.pairing.a.sources[node]]
        upstream = next((self.root[source] for source in sources if source in self.root), None)
        if self.pairing.to_b[node] < 0:
            if upstream is not None:
                self.root[node] = upstream
            return
        found = self._parted(node)
        if found is None:
            return
        self.found[node] = found
        self.root[node] = self._begin(node) if upstream is None else upstream
        if self.root[node] != node:
            self.followers.setdefault(self.root[node], set()).add(node)

    def _begin(self, node: int) -> int:
        """The moved layer that made the difference, or the node itself."""
        pairing = self.pairing
        if node in pairing.moved:
            return node
        for _, source in pairing.a.sources[node]:
            if source in pairing.moved:
                return source
        for _, source in pairing.b.sources[pairing.to_b[node]]:
            if pairing.to_a[source] in pairing.moved:
                return pairing.to_a[source]
        return node

    def _parted(self, node: int) -> tuple[str, TensorType, TensorType] | None:
        other = self.pairing.to_b[node]
        ours, theirs = outputs(self.pairing.a, node), outputs(self.pairing.b, other)
        for a, b in zip(ours, theirs, strict=False):
            kind = difference(a, b, self.batches)
            if kind is not None:
                return kind, a, b
        return None

    def reads_other_shapes(self, node: int) -> bool:
        """Whether a matched layer of A sees operands of another shape than its counterpart."""
        ours = self.pairing.a.operands[node]
        theirs = self.pairing.b.operands[self.pairing.to_b[node]]
        return any(
            difference(x.type, y.type, self.batches) == "shape"
            for slot in ours
            for x, y in zip(ours[slot], theirs.get(slot, ()), strict=False)
        )

    def add_follower(self, node: int) -> bool:
        """Count a layer among those that follow from upstream; False where nothing is upstream."""
        for _, source in self.pairing.a.sources[node]:
            if source in self.root:
                root = self.root[source]
                self.followers.setdefault(root, set()).add(node)
                return True
        return node in self.root

    def findings(self) -> Iterator[Finding]:
        """One for each node where a difference began; batch sizes are told at the inputs."""
        for node, (kind, a, b) in self.found.items():
            if self.root[node] == node and node not in self.pairing.moved:
                yield self._finding(node, kind, a, b)
        yield from self._batch()

    def _finding(self, node: int, kind: str, a: TensorType, b: TensorType) -> Finding:
        by_type = kind in ("dtype", "integers")
        return Finding(
            kind="attribute" if by_type else "shape",
            consequence=_MEANING[kind],
            operator=told_operator(self.pairing, node),
            pair=self._pair(node),
            attribute="dtype" if by_type else None,
            before=a.dtype if by_type else a.shape,
            after=b.dtype if by_type else b.shape,
            alike=None if by_type else ratio(a.shape, b.shape),
            followers=len(self.followers.get(node, ())),
        )

    def _pair(self, node: int) -> Pair:
        other = self.pairing.to_b[node]
        return (self.pairing.a.nodes[node].id,), (self.pairing.b.nodes[other].id,)

    def _batch(self) -> Iterator[Finding]:
        """Inputs whose shape is told otherwise without being another one."""
        for i, j in self.pairing.pairs():
            a, b = self.pairing.a.nodes[i], self.pairing.b.nodes[j]
            if isinstance(a, GraphInput) and isinstance(b, GraphInput) and i not in self.found:
                before, after = _nameless(a.type), _nameless(b.type)
                if before != after:
                    pair = (a.id,), (b.id,)
                    yield Finding("shape", "spelling", "input", pair, None, before, after)


def outputs(side: Side, node: int) -> tuple[TensorType, ...]:
    """Types of the tensors a node makes."""
    entry = side.nodes[node]
    return (entry.type,) if isinstance(entry, GraphInput) else entry.outputs


def _nameless(kind: TensorType) -> Any:
    if kind.shape is None:
        return None
    return tuple(dim if isinstance(dim, int) else "?" for dim in kind.shape)
