"""A layer graph as numbered nodes and edges, without names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from modeldocs.diff.function.canonical_op import CanonicalOp, transparent
from modeldocs.diff.indexing.edges import Edge, postorder, readers
from modeldocs.diff.indexing.node_kinds import (
    ANCHOR_LEVELS,
    ANCHOR_WEIGHT,
    EXACT,
    LAYER_LEVELS,
    OPERATOR,
    RADII,
    NodeKind,
    NodeKinds,
)
from modeldocs.diff.indexing.weighted_groups import AnchorGroups, anchor_groups
from modeldocs.diff.indexing.weisfeiler_lehman import (
    EdgeArrays,
    WLLabels,
    digest,
    downstream,
    upstream,
)
from modeldocs.diff.rewriting.topology import topological
from modeldocs.ir import Dim, GraphInput, Layer, LayerGraph, Operand, TensorType, operators

_OUTPUTS = 1 << 12
"""An edge's code is slot * _OUTPUTS + output; the slots of commutative operators count as 0."""

_Place = tuple[int, int]
"""(node, output) that stands for a layer; output -1 where the layer is the node itself."""


@dataclass(slots=True)
class Bypassed:
    """A layer that passes its input on (Dropout), matched after the others by its operand."""

    layer: Layer
    source: int


@dataclass
class IndexedGraph:
    """A graph's inputs and layers, numbered in an order in which names take no part.

    Node i is `nodes[i]`; `sources[i]` and `users[i]` are its edges, sorted by code; `depths[i]`
    is the length of the longest path from an input. Layers that pass their input on are no nodes:
    edges lead past them, to their operands.
    """

    graph: LayerGraph
    nodes: list[Layer | GraphInput] = field(default_factory=list)
    kinds: list[NodeKind] = field(default_factory=list)
    sources: list[list[Edge]] = field(default_factory=list)
    users: list[list[Edge]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    bypassed: list[Bypassed] = field(default_factory=list)
    outputs: list[Edge] = field(default_factory=list)
    parts: Mapping[str, int] = field(default_factory=dict)
    """By id of a part of a split layer: its number among the parts."""
    contexts: tuple[list[int], list[int]] = ([], [])
    """Labels of all ancestors of each node, and of all descendants."""
    fingerprint: bytes = b""
    """Equal for graphs of equal structure, whatever the order of their layers."""
    ordered_fingerprint: bytes = b""
    """Equal for graphs whose numbered nodes and edges are the same, one by one."""

    @property
    def rank(self) -> tuple[bytes, bytes]:
        """The place of a graph among others, by its structure alone."""
        return self.fingerprint, self.ordered_fingerprint

    @cached_property
    def batch_size(self) -> Dim:
        """The first dimension of the first input, None where there is none."""
        shape = self.graph.inputs[0].type.shape if self.graph.inputs else None
        return shape[0] if shape else None

    @cached_property
    def output_nodes(self) -> frozenset[int]:
        """The nodes whose outputs are outputs of the network."""
        return frozenset(node for _, node in self.outputs)

    @cached_property
    def ops(self) -> list[CanonicalOp]:
        """The function of each node."""
        return [kind.op for kind in self.kinds]

    @cached_property
    def groups(self) -> AnchorGroups:
        """The anchor operators, each with its epilogue."""
        return anchor_groups(self.kinds, self.sources)

    @cached_property
    def edge_arrays(self) -> EdgeArrays:
        """The edges between all nodes."""
        return EdgeArrays(self.sources, self.users)

    @cached_property
    def anchor_labels(self) -> list[int]:
        """Labels of anchors by their weight and the operators of their epilogue."""
        operators = [kind.label_digests[OPERATOR] for kind in self.kinds]
        epilogues = self.groups.epilogue_digests(operators)
        own = self.labels[ANCHOR_WEIGHT].own
        return [hash(pair) for pair in zip(own, epilogues, strict=True)]

    @cached_property
    def postorder(self) -> list[int]:
        """The place of each node in a depth-first walk from the outputs up, operand by operand."""
        return postorder(self.sources, self.users)

    @cached_property
    def labels(self) -> list[WLLabels]:
        """The Weisfeiler-Lehman labels of the nodes at each level."""
        between_anchors = EdgeArrays(self.groups.sources, self.groups.users)
        labels = [
            WLLabels([kind.label_digests[level] for kind in self.kinds], edges, RADII[level])
            for levels, edges in (
                (LAYER_LEVELS, self.edge_arrays),
                (ANCHOR_LEVELS, between_anchors),
            )
            for level in levels
        ]
        labels[EXACT].upstream, labels[EXACT].downstream = self.contexts
        return labels

    def operands(self, node: int) -> dict[int, list[Operand]]:
        """The operands of a layer by slot; all in slot 0 if their order does not matter."""
        by_slot: dict[int, list[Operand]] = defaultdict(list)
        commutative = operators.of(self.ops[node].operator).commutative
        for operand in getattr(self.nodes[node], "inputs", ()):
            by_slot[0 if commutative else operand.slot].append(operand)
        return by_slot

    def neighbours(self, node: int) -> list[int]:
        """The sources and users of a node."""
        return [other for _, other in (*self.sources[node], *self.users[node])]

    def output_types(self, node: int) -> tuple[TensorType, ...]:
        """The types of a node's outputs."""
        entry = self.nodes[node]
        return (entry.type,) if isinstance(entry, GraphInput) else entry.outputs

    def __len__(self) -> int:
        return len(self.nodes)


def index_graph(
    graph: LayerGraph, kinds: NodeKinds, parts: Mapping[str, int] | None = None
) -> IndexedGraph:
    """Number the nodes of a graph; `kinds` are shared by the two graphs that are compared.

    `parts` are the numbers of layers that are parts of a split layer, by id.

    Raises:
        ModeldocsError: two layers share an id, an operand reads an id that is not there, or the
            layers read each other in a circle.
    """
    indexed = IndexedGraph(graph, parts=parts or {})
    batch = indexed.batch_size
    places: dict[str, _Place] = {}
    for entry in graph.inputs:
        places[entry.id] = (_add(indexed, entry, kinds.of_input(entry, batch), []), -1)
    for layer in topological(graph):
        if layer.inputs and transparent(layer):
            _bypass(indexed, layer, places)
        else:
            kind = kinds.of_layer(layer, batch, _bodies(layer, kinds) if layer.bodies else ())
            edges = _edges(layer, operators.of(kind.op.operator).commutative, places)
            places[layer.id] = (_add(indexed, layer, kind, edges), -1)
    indexed.outputs = [_edge(output.source, places) for output in graph.outputs]
    return _renumber(indexed)


def _bodies(layer: Layer, kinds: NodeKinds) -> tuple[bytes, ...]:
    """Fingerprints of the graphs inside of a layer, by the order of their names."""
    graphs = (LayerGraph.of_body(layer, name) for name in sorted(layer.bodies))
    return tuple(index_graph(graph, kinds).fingerprint for graph in graphs)


def _add(
    indexed: IndexedGraph, entry: Layer | GraphInput, kind: NodeKind, edges: list[Edge]
) -> int:
    """Append a node; its number."""
    depths = indexed.depths
    indexed.nodes.append(entry)
    indexed.kinds.append(kind)
    indexed.sources.append(edges)
    if len(edges) == 1:
        depths.append(depths[edges[0][1]] + 1)
    else:
        depths.append(max([depths[source] + 1 for _, source in edges], default=bool(edges)))
    return len(depths) - 1


def _edges(layer: Layer, commutative: bool, places: dict[str, _Place]) -> list[Edge]:
    edges = []
    for operand in layer.inputs:
        source, output = places[operand.value]
        output = operand.output if output < 0 else output
        edges.append((output if commutative else operand.slot * _OUTPUTS + output, source))
    return edges


def _edge(operand: Operand, places: dict[str, _Place]) -> Edge:
    """(output, source node) of an operand; a bypassed layer's output is its source's."""
    node, output = places[operand.value]
    return (operand.output if output < 0 else output, node)


def _bypass(indexed: IndexedGraph, layer: Layer, places: dict[str, _Place]) -> None:
    first = min(layer.inputs, key=lambda operand: operand.slot)
    output, source = _edge(first, places)
    places[layer.id] = (source, output)
    indexed.bypassed.append(Bypassed(layer, source))


def _renumber(indexed: IndexedGraph) -> IndexedGraph:
    """Number nodes by depth, then by labels of ancestors and descendants, then as listed."""
    size = len(indexed)
    own = [kind.label_digests[EXACT] for kind in indexed.kinds]
    above = upstream(own, indexed.sources)
    below = downstream(own, readers(indexed.sources, size))
    order = np.lexsort((below, above, indexed.depths)).tolist()
    places = [0] * size
    for new, old in enumerate(order):
        places[old] = new
    indexed.nodes = [indexed.nodes[i] for i in order]
    indexed.kinds = [indexed.kinds[i] for i in order]
    indexed.depths = [indexed.depths[i] for i in order]
    indexed.sources = [_renumbered(indexed.sources[i], places) for i in order]
    indexed.users = readers(indexed.sources, size)
    indexed.outputs = [(output, places[node]) for output, node in indexed.outputs]
    for bypassed in indexed.bypassed:
        bypassed.source = places[bypassed.source]
    indexed.bypassed.sort(key=lambda bypassed: bypassed.source)
    indexed.contexts = [above[i] for i in order], [below[i] for i in order]
    indexed.fingerprint = digest(np.array(indexed.contexts, np.int64).tobytes())
    indexed.ordered_fingerprint = digest(indexed.fingerprint + indexed.edge_arrays.encoded())
    return indexed


def _renumbered(edges: list[Edge], places: list[int]) -> list[Edge]:
    if len(edges) == 1:
        code, node = edges[0]
        return [(code, places[node])]
    return sorted([(code, places[node]) for code, node in edges])
