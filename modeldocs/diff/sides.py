"""One graph as the matching sees it: numbered nodes, edges with slots, no names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from modeldocs.diff.attributes import COMMUTATIVE
from modeldocs.diff.digests import Edge, contexts, digest
from modeldocs.diff.forms import INPUT, Form, form, transparent
from modeldocs.diff.labels import Label, labels
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Dim, GraphInput, Layer, LayerGraph, Operand

_OUTPUTS = 1 << 12
"""An edge's code is slot * _OUTPUTS + output; the slots of commutative operators count as 0."""


@dataclass(slots=True)
class Bypassed:
    """A layer that hands its input on (Dropout): matched after the others, by what it reads."""

    layer: Layer
    source: int


@dataclass(slots=True)
class Side:
    """A graph's inputs and layers, numbered in an order that no name has a part in.

    Node i is `nodes[i]`; `sources[i]` and `users[i]` are its edges, sorted by code; `depths[i]`
    is the longest way from an input. Layers that compute nothing are left out of the edges.
    """

    graph: LayerGraph
    nodes: list[Layer | GraphInput] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    labels: list[tuple[Label, ...]] = field(default_factory=list)
    operands: list[dict[int, list[Operand]]] = field(default_factory=list)
    sources: list[list[Edge]] = field(default_factory=list)
    users: list[list[Edge]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    bypassed: list[Bypassed] = field(default_factory=list)
    outputs: list[Edge] = field(default_factory=list)
    known_forms: dict[object, Form] = field(default_factory=dict)
    fingerprint: bytes = b""
    """Equal for graphs of equal structure, whatever the order of their layers."""
    positional: bytes = b""
    """Equal for graphs whose numbered nodes and edges are the same, one by one."""

    def form_of(self, layer: Layer) -> Form:
        """The layer's form; layers that are told alike share one."""
        key = (
            layer.operator,
            repr(layer.attributes),
            tuple((p.role, p.shape) for p in layer.parameters),
            next((operand.type.shape for operand in layer.inputs if operand.slot == 0), None),
            layer.outputs[0].shape if layer.outputs else None,
        )
        if key not in self.known_forms:
            self.known_forms[key] = form(layer)
        return self.known_forms[key]

    @property
    def batch(self) -> Dim:
        """The batch size: first dimension of the first input, None where there is none."""
        shape = self.graph.inputs[0].type.shape if self.graph.inputs else None
        return shape[0] if shape else None

    def __len__(self) -> int:
        return len(self.nodes)


def side(graph: LayerGraph) -> Side:
    """Number the nodes of a graph.

    Raises:
        ModeldocsError: two layers share an id, an operand reads an id that is not there, or the
            layers read each other in a circle.
    """
    made = Side(graph)
    ordered = _topological(graph)
    places: dict[str, tuple[int, int]] = {}
    for entry in graph.inputs:
        places[entry.id] = (_add_input(made, entry), 0)
    for layer in ordered:
        if transparent(layer) and layer.inputs:
            _bypass(made, layer, places)
        else:
            places[layer.id] = (_add_layer(made, layer, places), -1)
    made.outputs = [_edge(output.source, places) for output in graph.outputs]
    _connect(made)
    return _renumber(made)


def _topological(graph: LayerGraph) -> list[Layer]:
    """The layers, each after those it reads; the given order where it is one already."""
    by_id = _by_id(graph)
    waiting = {layer.id: 0 for layer in graph.layers}
    users: dict[str, list[Layer]] = defaultdict(list)
    for layer in graph.layers:
        for operand in layer.inputs:
            if isinstance(_known(operand, by_id, layer.id), Layer):
                waiting[layer.id] += 1
                users[operand.value].append(layer)
    ordered = [layer for layer in graph.layers if not waiting[layer.id]]
    for layer in ordered:
        for user in users[layer.id]:
            waiting[user.id] -= 1
            if not waiting[user.id]:
                ordered.append(user)
    if len(ordered) < len(graph.layers):
        stuck = next(layer.id for layer in graph.layers if waiting[layer.id])
        raise ModeldocsError(
            f"the layers of {graph.name!r} read each other in a circle, {stuck!r} among them",
            mend="load the port again: a layer graph must be acyclic",
        )
    for output in graph.outputs:
        _known(output.source, by_id, f"output {output.name}")
    return ordered


def _by_id(graph: LayerGraph) -> dict[str, Layer | GraphInput]:
    by_id: dict[str, Layer | GraphInput] = {}
    entries: tuple[Layer | GraphInput, ...] = (*graph.inputs, *graph.layers)
    for entry in entries:
        if entry.id in by_id:
            raise ModeldocsError(
                f"two layers of {graph.name!r} have the id {entry.id!r}",
                mend="load the port again: ids must be unique",
            )
        by_id[entry.id] = entry
    return by_id


def _known(
    operand: Operand, by_id: dict[str, Layer | GraphInput], reader: str
) -> Layer | GraphInput:
    found = by_id.get(operand.value)
    if found is None:
        raise ModeldocsError(
            f"{reader!r} reads {operand.value!r}, which the graph does not have",
            mend="load the port again: every operand must name a layer or an input",
        )
    return found


def _add_input(made: Side, entry: GraphInput) -> int:
    made.nodes.append(entry)
    made.forms.append(Form(INPUT, (), (), ()))
    made.labels.append(labels(made.forms[-1], entry.type.shape, made.batch))
    made.operands.append({})
    made.sources.append([])
    made.depths.append(0)
    return len(made) - 1


def _add_layer(made: Side, layer: Layer, places: dict[str, tuple[int, int]]) -> int:
    told = made.form_of(layer)
    shape = layer.outputs[0].shape if layer.outputs else None
    free = told.operator in COMMUTATIVE
    operands: dict[int, list[Operand]] = defaultdict(list)
    edges: list[Edge] = []
    for operand in layer.inputs:
        output, source = _edge(operand, places)
        slot = 0 if free else operand.slot
        edges.append((slot * _OUTPUTS + output, source))
        operands[slot].append(operand)
    made.nodes.append(layer)
    made.forms.append(told)
    made.labels.append(labels(told, shape, made.batch))
    made.operands.append(dict(operands))
    made.sources.append(edges)
    made.depths.append(1 + max((made.depths[source] for _, source in edges), default=0))
    return len(made) - 1


def _edge(operand: Operand, places: dict[str, tuple[int, int]]) -> Edge:
    """(output, source node) of an operand; a bypassed layer's output is its source's."""
    node, output = places[operand.value]
    return (operand.output if output < 0 else output, node)


def _bypass(made: Side, layer: Layer, places: dict[str, tuple[int, int]]) -> None:
    first = min(layer.inputs, key=lambda operand: operand.slot)
    output, source = _edge(first, places)
    places[layer.id] = (source, output)
    made.bypassed.append(Bypassed(layer, source))


def _connect(made: Side) -> None:
    made.users = [[] for _ in made.nodes]
    for node, edges in enumerate(made.sources):
        for code, source in edges:
            made.users[source].append((code, node))


def _renumber(made: Side) -> Side:
    """Nodes by depth, then by a hash of all they read and feed, then as they came."""
    context = contexts(made.labels, made.sources, made.users)
    order = sorted(range(len(made)), key=lambda i: (made.depths[i], context[i]))
    number = {old: new for new, old in enumerate(order)}
    made.nodes = [made.nodes[i] for i in order]
    made.forms = [made.forms[i] for i in order]
    made.labels = [made.labels[i] for i in order]
    made.operands = [made.operands[i] for i in order]
    made.depths = [made.depths[i] for i in order]
    made.sources = [_moved(made.sources[i], number) for i in order]
    made.users = [_moved(made.users[i], number) for i in order]
    made.outputs = [(output, number[node]) for output, node in made.outputs]
    for bypassed in made.bypassed:
        bypassed.source = number[bypassed.source]
    made.bypassed.sort(key=lambda bypassed: bypassed.source)
    made.fingerprint = digest(b"".join(context[i] for i in order))
    made.positional = digest(made.fingerprint + repr(made.sources).encode())
    return made


def _moved(edges: list[Edge], number: dict[int, int]) -> list[Edge]:
    return sorted((code, number[node]) for code, node in edges)
