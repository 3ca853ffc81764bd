"""One of the two networks as parity runs it: in normal form, its edges and weights by layer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs import normal
from modeldocs.diff.function.canonical_op import transparent
from modeldocs.errors import ModeldocsError
from modeldocs.ir import GraphInput, Layer, LayerGraph, origin
from modeldocs.ir.operators import role
from modeldocs.normal import layers, plumbing, values
from modeldocs.parity import shapes
from modeldocs.parity.recipe import Values
from modeldocs.parity.route import Route, route


@dataclass(frozen=True)
class Edge:
    """What a layer reads in a slot: the layer or input that makes it, and the way from there."""

    layer: str
    slot: int
    maker: str
    route: Route


@dataclass(frozen=True)
class Weight:
    """A parameter in a layer's slot. `turned` tells that normal order is its transpose (Gemm)."""

    layer: str
    role: str
    route: Route
    turned: bool = False

    @property
    def name(self) -> str:
        """Name of the stored parameter."""
        return str(self.route.root.name)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in normal order (convolutions OIHW, dense layers out x in)."""
        seen = values.shape(self.route.seen) or ()
        return tuple(reversed(seen)) if self.turned else seen

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """Shape as the port keeps it."""
        return values.shape(self.route.root) or ()

    def normal(self, stored: Values) -> Values:
        """Stored values in normal order."""
        seen = self.route.forward(stored)
        return seen.T if self.turned else seen

    def stored(self, array: Values) -> Values:
        """Values in normal order, as the port keeps them."""
        return self.route.backward(array.T if self.turned else array)


@dataclass
class Side:
    """A network in normal form. `model` is its own: nothing else may change it.

    Layers that compute nothing (Dropout) are bypassed: no edge goes through one.
    """

    model: ir.Model
    graph: LayerGraph
    nodes: dict[str, ir.Node] = field(default_factory=dict)
    entries: dict[str, ir.Value] = field(default_factory=dict)
    """The network's inputs by id."""
    edges: dict[str, list[Edge]] = field(default_factory=dict)
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    readers: dict[str, list[Edge]] = field(default_factory=dict)
    """Edges by the value that they come from, by its name."""
    captures: set[str] = field(default_factory=set)
    """Layers with bodies that read values of the graph around them."""
    layers: dict[str, Layer] = field(default_factory=dict)
    lifted: dict[str, ir.Value] = field(default_factory=dict)
    """Weights that are cut or joined of stored ones: by the name that each has as one, what is
    read."""
    returned: dict[str, str] = field(default_factory=dict)
    """The network's outputs: the maker of each, by the name of the value that it makes."""

    @property
    def named(self) -> dict[str, GraphInput | Layer]:
        """Inputs and layers by id."""
        held: dict[str, GraphInput | Layer] = {one.id: one for one in self.graph.inputs}
        return held | self.layers

    def value(self, name: str) -> ir.Value:
        """What an input is, or a layer gives first."""
        return self.entries[name] if name in self.entries else self.nodes[name].outputs[0]


def side(model: ir.Model) -> Side:
    """A network as parity runs it. `model` is in normal form, and is changed on the way.

    Raises:
        ModeldocsError: a parameter has a shape that is not known.
    """
    unknown = [value for value in model.graph.inputs if values.is_parameter(value)]
    if unknown:
        raise ModeldocsError(
            f"the shape of {str(unknown[0].name)!r} is not known without the input's",
            mend="give it with --input, or as `inputs` in model.yml",
        )
    made = Side(model, normal.read(model))
    made.layers = {layer.id: layer for layer in made.graph.layers}
    by_name = {str(v.name): v for node in model.graph for v in node.outputs}
    for name, value in layers.output_names(model).items():
        producer = by_name[value].producer()
        assert producer is not None
        made.nodes[name] = producer
    inputs = {str(value.name): value for value in model.graph.inputs}
    made.entries = {one.id: inputs[one.name] for one in made.graph.inputs}
    shapes.fix(model)
    _bypass(made)
    _lift_joined(made)
    _connect(made)
    return made


def _bypass(made: Side) -> None:
    for layer in made.graph.layers:
        node = made.nodes[layer.id]
        if transparent(layer) and node.inputs[0] is not None:
            ir.convenience.replace_all_uses_with(
                node.outputs[0], node.inputs[0], replace_graph_outputs=True
            )


def _lift_joined(made: Side) -> None:
    """Let weights that are cut and joined of several be one, as their layer reads them."""
    model = made.model
    arranged = plumbing.arranged_parameters(model.graph)
    known: dict[int, ir.Value] = {}
    for node in list(model.graph):
        if id(node) in arranged:
            continue
        for slot, value in enumerate(node.inputs):
            found = route(value).root if value is not None else None
            joined = found is not None and id(found.producer()) in arranged
            shape = values.shape(value)
            if value is None or not joined or shape is None:
                continue
            if id(value) not in known:
                name = f"{value.name} as read by {node.outputs[0].name}/{slot}"
                kind = value.dtype or ir.DataType.FLOAT
                known[id(value)] = origin.declare_parameter(name, shape, dtype=kind)
                model.graph.register_initializer(known[id(value)])
                made.lifted[name] = value
            node.replace_input_with(slot, known[id(value)])


def _connect(made: Side) -> None:
    makers = {id(value): name for name, value in made.entries.items()}
    for name, node in made.nodes.items():
        makers |= {id(value): name for value in node.outputs}
    readers: dict[str, list[Edge]] = defaultdict(list)
    for name, node in made.nodes.items():
        made.edges[name], made.weights[name] = [], []
        for slot, value in enumerate(node.inputs):
            if value is None:
                continue
            found = route(value)
            if id(found.root) in makers:
                edge = Edge(name, slot, makers[id(found.root)], found)
                made.edges[name].append(edge)
                readers[str(found.root.name)].append(edge)
            elif values.is_parameter(found.root):
                made.weights[name].append(_weight(made.layers[name], node, slot, found))
        if len(made.layers[name].inputs) > len(made.edges[name]):
            made.captures.add(name)
    made.readers = dict(readers)
    ends = [route(value).root for value in made.model.graph.outputs]
    made.returned = {str(end.name): makers[id(end)] for end in ends if id(end) in makers}


def _weight(layer: Layer, node: ir.Node, slot: int, found: Route) -> Weight:
    turned = node.op_type == "Gemm" and slot == 1 and not values.attribute(node, "transB", 0)
    return Weight(layer.id, role(layer.operator, slot), found, turned)
