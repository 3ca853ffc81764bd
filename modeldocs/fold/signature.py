"""Signatures: equal for groups of layers that are the same but for their names and weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from modeldocs.fold.dataflow import Dataflow
from modeldocs.ir import Layer, LayerGraph, Operand, operators

SHAPE_ATTRIBUTES = ("kernel_shape",)
"""Attributes that instances have in common even where the others vary."""

SYMMETRIC = operators.named(commutative=True) | {"Concat"}
"""Operators whose operands are alike to a reader: branches that end in one can be drawn once."""


@dataclass(frozen=True)
class Signature:
    """What a group of layers is, and the values that it reads from outside.

    `function` holds operators, attributes, shapes and the edges between the layers, by their
    place in the group. `reads` are the values (node, output) that come from outside, in the order
    in which they are first read; `writes` are the places whose values are read outside.
    """

    function: Hashable
    reads: tuple[tuple[int, int], ...]
    writes: tuple[int, ...]

    def is_like(self, other: Signature) -> bool:
        """Whether both are the same by themselves, and are read from outside at the same places."""
        return self.function == other.function and self.writes == other.writes


class Signatures:
    """Signatures of groups of one graph's layers; `exact` compares all settings and shapes."""

    def __init__(self, graph: LayerGraph, flow: Dataflow, *, exact: bool) -> None:
        self._flow = flow
        self._layers: list[Layer | None] = [None] * flow.inputs + list(graph.layers)
        self._number = {identity: node for node, identity in enumerate(flow.ids)}
        self._outputs = {self._number[output.source.value] for output in graph.outputs}
        self._exact = exact
        self._own = [
            self._layer(layer) if layer else flow.ids[n] for n, layer in enumerate(self._layers)
        ]

    def of(self, nodes: Sequence[int]) -> Signature:
        """The signature of layers, in topological order."""
        place = {node: index for index, node in enumerate(nodes)}
        reads: dict[tuple[int, int], int] = {}
        rows: list[Hashable] = []
        names: dict[str, int] = {}
        for node in nodes:
            layer = self._layers[node]
            if layer is None:
                rows.append(self._flow.ids[node])
                continue
            edges = tuple(self._edge(operand, place, reads) for operand in layer.inputs)
            shared = tuple(names.setdefault(p.name, len(names)) for p in layer.parameters)
            rows.append((self._own[node], edges, shared))
        writes = tuple(
            index
            for index, node in enumerate(nodes)
            if node in self._outputs or not place.keys() >= set(self._flow.after[node])
        )
        return Signature(tuple(rows), tuple(reads), writes)

    def are_interchangeable(self, groups: Sequence[Sequence[int]]) -> bool:
        """Whether all that groups of nodes write is read by one and the same symmetric layer."""
        readers = {
            reader
            for nodes in groups
            for node in nodes
            for reader in self._flow.after[node]
            if reader not in nodes
        }
        layer = self._layers[readers.pop()] if len(readers) == 1 else None
        return layer is not None and layer.operator in SYMMETRIC

    def _edge(
        self, operand: Operand, place: dict[int, int], reads: dict[tuple[int, int], int]
    ) -> Hashable:
        node = self._number[operand.value]
        inside = place.get(node)
        if inside is None:
            source: Hashable = ("outside", reads.setdefault((node, operand.output), len(reads)))
        else:
            source = (inside, operand.output)
        steps = tuple(type(step).__name__ for step in operand.steps)
        if not self._exact:
            return (operand.slot, source, steps)
        return (operand.slot, source, operand.steps, operand.type)

    def _layer(self, layer: Layer | None) -> Hashable:
        """What a layer is by itself."""
        if layer is None:
            return None
        if not self._exact:
            kept = {name: layer.attributes.get(name) for name in SHAPE_ATTRIBUTES}
            is_grouped = layer.number("group", 1) != 1
            return (layer.operator, repr(kept), is_grouped, len(layer.outputs))
        parameters = [(p.role, p.shape, p.dtype, p.trainable) for p in layer.parameters]
        attributes = [(name, layer.attributes[name]) for name in sorted(layer.attributes)]
        inside = [(name, [one.operator for one in b.layers]) for name, b in layer.bodies.items()]
        return repr((layer.operator, attributes, layer.padding, layer.outputs, parameters, inside))
