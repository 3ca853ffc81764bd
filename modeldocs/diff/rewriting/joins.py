"""Joins of joins read as one: `a + (b + c)` as a sum of three, a nested Concat as a flat one.

Ports differ in how they nest what is associative. Each such layer is compared by all that it
joins; a layer that only joins of its own function read is part of them, and disappears.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

import msgspec

from modeldocs.diff.function.attributes import COMMUTATIVE
from modeldocs.diff.function.canonical_op import CanonicalOp, canonical_op
from modeldocs.diff.rewriting.topology import topological
from modeldocs.ir import Layer, LayerGraph, Operand

_OPERATORS: Final = frozenset({"Add", "Sum", "Mul", "Max", "Min", "Concat"})

_WIDEST: Final = 512
"""Operands beyond which a join is left nested: the bound on the size of the flat graph."""


@dataclass
class FlatGraph:
    """A graph without nested joins. `source` is the graph it was made of.

    `inner` gives, by id, the layers of `source` that a join stands for beside itself; `nested`
    are the joins that read further ones in `source`. `leaves` gives what each nested layer joins
    in the end; `operators` and `widths` the operator and the number of operands of all joins.
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


def flatten(graph: LayerGraph) -> FlatGraph:
    """The graph with all operands of nested joins on the outermost one.

    Layers that compute the same before and after keep their ids; a graph without nested joins is
    handed on as it is.

    Raises:
        ModeldocsError: as `topological` does.
    """
    joins = {layer.id: layer for layer in topological(graph) if layer.operator in _OPERATORS}
    reads_join = (o.value in joins for join in joins.values() for o in join.inputs)
    if any(reads_join):
        return _Flattening(graph, joins).run()
    return FlatGraph(graph, graph, operators=_operators(joins), widths=_widths(joins))


def _operators(joins: dict[str, Layer]) -> dict[str, str]:
    return {key: held.operator for key, held in joins.items()}


def _widths(joins: dict[str, Layer]) -> dict[str, int]:
    return {key: len(held.inputs) for key, held in joins.items()}


class _Flattening:
    def __init__(self, graph: LayerGraph, joins: dict[str, Layer]) -> None:
        self.graph, self.joins = graph, joins
        self.ops: dict[str, CanonicalOp] = {
            key: canonical_op(layer) for key, layer in joins.items()
        }
        self.readers: dict[str, list[str]] = defaultdict(list)
        """By join: the joins of its function that read it just as it is, "" for any other."""
        for layer in graph.layers:
            for operand in layer.inputs:
                if operand.value in joins:
                    same = self._nests(layer, operand)
                    self.readers[operand.value].append(layer.id if same else "")
        for output in graph.outputs:
            self.readers[output.source.value].append("")
        self.operands: dict[str, tuple[Operand, ...]] = {}
        self.absorbed: dict[str, str] = {}
        """The outer join that a layer has become a part of."""
        self.kept: set[str] = set()
        """Joins that a wide one reads as they are."""

    def run(self) -> FlatGraph:
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
        return FlatGraph(
            self.graph,
            msgspec.structs.replace(self.graph, layers=flat),
            {key: tuple(held) for key, held in inner.items()},
            frozenset(
                key
                for key, layer in self.joins.items()
                if key not in self.absorbed and len(self.operands[key]) != len(layer.inputs)
            ),
            {key: tuple(one.value for one in self.operands[key]) for key in self.absorbed},
            _operators(self.joins),
            _widths(self.joins),
        )

    def _flat(self, layer: Layer) -> Layer:
        operands = self.operands.get(layer.id, layer.inputs)
        if operands is layer.inputs:
            return layer
        return msgspec.structs.replace(layer, inputs=operands)

    def _nests(self, layer: Layer, operand: Operand) -> bool:
        """Whether a layer joins what another join made, by the same function."""
        if layer.id not in self.joins or operand.steps or operand.output:
            return False
        outer, inner = self.ops[layer.id], self.ops[operand.value]
        plain = not outer.parameters and not inner.parameters
        return plain and outer.same_function(inner)

    def _operands(self, layer: Layer) -> tuple[Operand, ...]:
        """All that a join joins, through the nested ones, numbered anew."""
        found: list[Operand] = []
        taken: list[str] = []
        for operand in sorted(layer.inputs, key=lambda one: one.slot):
            inner = self.operands.get(operand.value, ())
            if not inner or not self._opens(layer, operand):
                found.append(operand)
                continue
            found += inner
            if "" not in self.readers[operand.value]:
                taken.append(operand.value)
        if len(found) > _WIDEST:
            self.kept.update(operand.value for operand in layer.inputs)
        if len(found) == len(layer.inputs) or len(found) > _WIDEST:
            return layer.inputs
        for one in taken:
            self.absorbed.setdefault(one, layer.id)
        return tuple(
            msgspec.structs.replace(operand, slot=slot) for slot, operand in enumerate(found)
        )

    def _opens(self, layer: Layer, operand: Operand) -> bool:
        """Whether an operand is a nested join; a partial sum that others read stays one."""
        if operand.value not in self.joins or not self._nests(layer, operand):
            return False
        sole = len(self.readers[operand.value]) == 1
        return sole or self.ops[layer.id].operator not in COMMUTATIVE

    def _outermost(self, one: str) -> str:
        while one in self.absorbed:
            one = self.absorbed[one]
        return one
