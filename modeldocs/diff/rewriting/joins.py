"""Nested joins flattened: `a + (b + c)` as a sum of three, a nested Concat as one.

Ports differ in how they nest what is associative. A join that only joins of the same function
read becomes part of them; those are compared by all that they join.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

import msgspec

from modeldocs.diff.function.canonical_op import CanonicalOp, canonical_op
from modeldocs.diff.rewriting.topology import topological
from modeldocs.ir import Layer, LayerGraph, Operand, operators

_OPERATORS: Final = operators.named(associative=True)

_WIDEST: Final = 512
"""Operands beyond which a join stays nested: the bound on the size of the flat graph."""


@dataclass
class FlattenedJoins:
    """A graph without nested joins; `source` is the graph that was flattened.

    `inner` gives, by id, the layers of `source` that became part of a join; `nested` are the joins
    that have such parts. `leaves` gives what each part joins in the end; `operators` and `widths`
    the operator and the number of operands of all joins of `source`.
    """

    source: LayerGraph
    graph: LayerGraph
    inner: dict[str, tuple[str, ...]] = field(default_factory=dict)
    nested: frozenset[str] = frozenset()
    leaves: dict[str, tuple[str, ...]] = field(default_factory=dict)
    operators: dict[str, str] = field(default_factory=dict)
    widths: dict[str, int] = field(default_factory=dict)

    def ids(self, one: str) -> tuple[str, ...]:
        """The layers of `source` that a layer stands for, in their order."""
        return (*self.inner.get(one, ()), one)


def flatten(graph: LayerGraph) -> FlattenedJoins:
    """The graph with all operands of nested joins on the outermost one.

    Joins keep their ids; a graph without nested ones is given back as it is.

    Raises:
        ModeldocsError: as `topological` does.
    """
    joins = {layer.id: layer for layer in topological(graph) if layer.operator in _OPERATORS}
    reads_join = (o.value in joins for join in joins.values() for o in join.inputs)
    if any(reads_join):
        return _Flattening(graph, joins).run()
    return FlattenedJoins(graph, graph, operators=_operators(joins), widths=_widths(joins))


def _operators(joins: dict[str, Layer]) -> dict[str, str]:
    return {key: join.operator for key, join in joins.items()}


def _widths(joins: dict[str, Layer]) -> dict[str, int]:
    return {key: len(join.inputs) for key, join in joins.items()}


class _Flattening:
    def __init__(self, graph: LayerGraph, joins: dict[str, Layer]) -> None:
        self.graph, self.joins = graph, joins
        self.ops: dict[str, CanonicalOp] = {
            key: canonical_op(layer) for key, layer in joins.items()
        }
        self.readers: dict[str, list[str]] = defaultdict(list)
        """By join: the joins that it is nested in, "" for any other reader."""
        for layer in graph.layers:
            for operand in layer.inputs:
                if operand.value in joins:
                    nests = self._nests(layer, operand)
                    self.readers[operand.value].append(layer.id if nests else "")
        for output in graph.outputs:
            self.readers[output.source.value].append("")
        self.operands: dict[str, tuple[Operand, ...]] = {}
        self.absorbed: dict[str, str] = {}
        """The join that a join has become part of."""
        self.kept: set[str] = set()
        """Joins that would make another too wide."""

    def run(self) -> FlattenedJoins:
        for layer in self.joins.values():
            self.operands[layer.id] = self._operands(layer)
        for one in self.kept:
            self.absorbed.pop(one, None)
        inner: dict[str, list[str]] = defaultdict(list)
        for one in self.absorbed:
            inner[self._outermost(one)].append(one)
        flat = tuple(
            self._flat(layer) for layer in self.graph.layers if layer.id not in self.absorbed
        )
        nested = frozenset(
            key
            for key, layer in self.joins.items()
            if key not in self.absorbed and len(self.operands[key]) != len(layer.inputs)
        )
        return FlattenedJoins(
            source=self.graph,
            graph=msgspec.structs.replace(self.graph, layers=flat),
            inner={key: tuple(parts) for key, parts in inner.items()},
            nested=nested,
            leaves={
                key: tuple(operand.value for operand in self.operands[key]) for key in self.absorbed
            },
            operators=_operators(self.joins),
            widths=_widths(self.joins),
        )

    def _flat(self, layer: Layer) -> Layer:
        operands = self.operands.get(layer.id, layer.inputs)
        if operands is layer.inputs:
            return layer
        return msgspec.structs.replace(layer, inputs=operands)

    def _nests(self, layer: Layer, operand: Operand) -> bool:
        """Whether a layer joins what another join made, by the same function and as it is."""
        if layer.id not in self.joins or operand.steps or operand.output:
            return False
        outer, inner = self.ops[layer.id], self.ops[operand.value]
        plain = not outer.parameters and not inner.parameters
        return plain and outer.same_function(inner)

    def _operands(self, layer: Layer) -> tuple[Operand, ...]:
        """The operands of a join and of those nested in it, with new slots."""
        operands: list[Operand] = []
        absorbed: list[str] = []
        for operand in sorted(layer.inputs, key=lambda one: one.slot):
            inner = self.operands.get(operand.value, ())
            if not inner or not self._is_flattened(layer, operand):
                operands.append(operand)
                continue
            operands += inner
            if "" not in self.readers[operand.value]:
                absorbed.append(operand.value)
        if len(operands) > _WIDEST:
            self.kept.update(operand.value for operand in layer.inputs)
        if len(operands) == len(layer.inputs) or len(operands) > _WIDEST:
            return layer.inputs
        for one in absorbed:
            self.absorbed.setdefault(one, layer.id)
        return tuple(
            msgspec.structs.replace(operand, slot=slot) for slot, operand in enumerate(operands)
        )

    def _is_flattened(self, layer: Layer, operand: Operand) -> bool:
        """Whether an operand is a nested join; a sum that others read too stays as it is."""
        if operand.value not in self.joins or not self._nests(layer, operand):
            return False
        sole = len(self.readers[operand.value]) == 1
        return sole or not operators.of(self.ops[layer.id].operator).commutative

    def _outermost(self, one: str) -> str:
        while one in self.absorbed:
            one = self.absorbed[one]
        return one
