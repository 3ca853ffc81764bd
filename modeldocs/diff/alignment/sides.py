"""One graph as the matching sees it: numbered nodes, edges with slots, no names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from modeldocs.diff.alignment.colours import Colours, Wires
from modeldocs.diff.alignment.digests import Edge, digest, downstream, upstream
from modeldocs.diff.alignment.groups import Groups, grouped
from modeldocs.diff.alignment.kinds import Kind, Kinds
from modeldocs.diff.alignment.labels import EXACT, LAYERS, NAMED, OUTLINE, PRINCIPALS, RADII
from modeldocs.diff.alignment.order import ranked, topological
from modeldocs.diff.function.attributes import COMMUTATIVE
from modeldocs.diff.function.forms import Form, transparent
from modeldocs.ir import Dim, GraphInput, Layer, LayerGraph, Operand, TensorType

_OUTPUTS = 1 << 12
"""An edge's code is slot * _OUTPUTS + output; the slots of commutative operators count as 0."""


@dataclass(slots=True)
class Bypassed:
    """A layer that hands its input on (Dropout): matched after the others, by what it reads."""

    layer: Layer
    source: int


@dataclass
class Side:
    """A graph's inputs and layers, numbered in an order that no name has a part in.

    Node i is `nodes[i]`; `sources[i]` and `users[i]` are its edges, sorted by code; `depths[i]`
    is the longest way from an input. Layers that compute nothing are left out of the edges.
    """

    graph: LayerGraph
    nodes: list[Layer | GraphInput] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    sources: list[list[Edge]] = field(default_factory=list)
    users: list[list[Edge]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    """The place of each node in the order in which the graph lists its layers."""
    bypassed: list[Bypassed] = field(default_factory=list)
    outputs: list[Edge] = field(default_factory=list)
    contexts: tuple[list[int], list[int]] = ([], [])
    """Digests of all that each node reads, and of all that it feeds, names apart."""
    fingerprint: bytes = b""
    """Equal for graphs of equal structure, whatever the order of their layers."""
    positional: bytes = b""
    """Equal for graphs whose numbered nodes and edges are the same, one by one."""

    @cached_property
    def batch(self) -> Dim:
        """The batch size: first dimension of the first input, None where there is none."""
        shape = self.graph.inputs[0].type.shape if self.graph.inputs else None
        return shape[0] if shape else None

    @cached_property
    def ends(self) -> frozenset[int]:
        """The nodes that the network hands out values of."""
        return frozenset(node for _, node in self.outputs)

    @cached_property
    def forms(self) -> list[Form]:
        """The function of each node."""
        return [kind.form for kind in self.kinds]

    @cached_property
    def groups(self) -> Groups:
        """The nodes in groups: a principal layer with the layers that hang on it alone."""
        return grouped(self.kinds, self.sources)

    @cached_property
    def wires(self) -> Wires:
        """The edges between all nodes."""
        return Wires(self.sources, self.users)

    @cached_property
    def grouped(self) -> list[int]:
        """Colours of principals by their weight and the operators that follow them."""
        told = self.groups.followers([kind.numbers[NAMED] for kind in self.kinds])
        own = self.colours[OUTLINE].own
        return [hash(pair) for pair in zip(own, told, strict=True)]

    @cached_property
    def ranks(self) -> list[int]:
        """The place of each node in a walk from the outputs up, operand by operand."""
        return ranked(self.sources, self.users)

    @cached_property
    def colours(self) -> list[Colours]:
        """The colours of the nodes at each level."""
        between = Wires(self.groups.sources, self.groups.users)
        found = [
            Colours([kind.numbers[level] for kind in self.kinds], wires, RADII[level])
            for levels, wires in ((LAYERS, self.wires), (PRINCIPALS, between))
            for level in levels
        ]
        found[EXACT].forward, found[EXACT].backward = self.contexts
        return found

    def operands(self, node: int) -> dict[int, list[Operand]]:
        """What a layer reads by slot; all in slot 0 where they may stand in any order."""
        found: dict[int, list[Operand]] = defaultdict(list)
        free = self.forms[node].operator in COMMUTATIVE
        for operand in getattr(self.nodes[node], "inputs", ()):
            found[0 if free else operand.slot].append(operand)
        return found

    def beside(self, node: int) -> Iterator[int]:
        """What a node reads, and what reads it."""
        return (other for _, other in (*self.sources[node], *self.users[node]))

    def made(self, node: int) -> tuple[TensorType, ...]:
        """Types of the tensors a node makes."""
        entry = self.nodes[node]
        return (entry.type,) if isinstance(entry, GraphInput) else entry.outputs

    def __len__(self) -> int:
        return len(self.nodes)


def side(graph: LayerGraph, kinds: Kinds) -> Side:
    """Number the nodes of a graph; `kinds` are those of both graphs that are to be aligned.

    Raises:
        ModeldocsError: two layers share an id, an operand reads an id that is not there, or the
            layers read each other in a circle.
    """
    made = Side(graph)
    batch = made.batch
    places: dict[str, tuple[int, int]] = {}
    for entry in graph.inputs:
        places[entry.id] = (_add(made, entry, kinds.of_input(entry, batch), []), -1)
    for layer in topological(graph):
        if layer.inputs and transparent(layer):
            _bypass(made, layer, places)
        else:
            kind = kinds.of_layer(layer, batch)
            edges = _edges(layer, kind.form.operator in COMMUTATIVE, places)
            places[layer.id] = (_add(made, layer, kind, edges), -1)
    made.outputs = [_edge(output.source, places) for output in graph.outputs]
    return _renumber(made)


def _add(made: Side, entry: Layer | GraphInput, kind: Kind, edges: list[Edge]) -> int:
    depths = made.depths
    made.nodes.append(entry)
    made.kinds.append(kind)
    made.sources.append(edges)
    if len(edges) == 1:
        depths.append(depths[edges[0][1]] + 1)
    else:
        depths.append(max([depths[source] + 1 for _, source in edges], default=bool(edges)))
    return len(depths) - 1


def _edges(layer: Layer, free: bool, places: dict[str, tuple[int, int]]) -> list[Edge]:
    edges = []
    for operand in layer.inputs:
        output, source = _edge(operand, places)
        edges.append((output if free else operand.slot * _OUTPUTS + output, source))
    return edges


def _edge(operand: Operand, places: dict[str, tuple[int, int]]) -> Edge:
    """(output, source node) of an operand; a bypassed layer's output is its source's."""
    node, output = places[operand.value]
    return (operand.output if output < 0 else output, node)


def _bypass(made: Side, layer: Layer, places: dict[str, tuple[int, int]]) -> None:
    first = min(layer.inputs, key=lambda operand: operand.slot)
    output, source = _edge(first, places)
    places[layer.id] = (source, output)
    made.bypassed.append(Bypassed(layer, source))


def _readers(sources: Iterable[list[Edge]], size: int) -> list[list[Edge]]:
    """The edges the other way round, sorted by code and by who reads."""
    users: list[list[Edge]] = [[] for _ in range(size)]
    for node, edges in enumerate(sources):
        for code, source in edges:
            users[source].append((code, node))
    for read in users:
        if len(read) > 1:
            read.sort()
    return users


def _renumber(made: Side) -> Side:
    """Nodes by depth, then by a digest of all they read and feed, then as they came."""
    size = len(made)
    own = [kind.numbers[EXACT] for kind in made.kinds]
    above = upstream(own, made.sources)
    below = downstream(own, _readers(made.sources, size))
    order = np.lexsort((below, above, made.depths)).tolist()
    made.given = order
    places = [0] * size
    for new, old in enumerate(order):
        places[old] = new
    made.nodes = [made.nodes[i] for i in order]
    made.kinds = [made.kinds[i] for i in order]
    made.depths = [made.depths[i] for i in order]
    made.sources = [_moved(made.sources[i], places) for i in order]
    made.users = _readers(made.sources, size)
    made.outputs = [(output, places[node]) for output, node in made.outputs]
    for bypassed in made.bypassed:
        bypassed.source = places[bypassed.source]
    made.bypassed.sort(key=lambda bypassed: bypassed.source)
    made.contexts = [above[i] for i in order], [below[i] for i in order]
    made.fingerprint = digest(np.array(made.contexts, np.int64).tobytes())
    made.positional = digest(made.fingerprint + made.wires.told())
    return made


def _moved(edges: list[Edge], places: list[int]) -> list[Edge]:
    if len(edges) == 1:
        code, node = edges[0]
        return [(code, places[node])]
    return sorted([(code, places[node]) for code, node in edges])
