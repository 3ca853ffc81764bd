"""A network in normal form as parity runs it: its nodes, edges and weights by layer."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs import normal
from modeldocs.diff.function.canonical_op import transparent
from modeldocs.errors import ModeldocsError
from modeldocs.ir import GraphInput, Layer, LayerGraph, operators, origin
from modeldocs.ir.operators.operands import role
from modeldocs.normal import layers, settings, values, weight_norm
from modeldocs.normal.data_movement import tracing
from modeldocs.normal.weight_norm import WeightNorm
from modeldocs.numeric.parity import shapes
from modeldocs.numeric.parity.edge_path import EdgePath, path_to
from modeldocs.numeric.parity.expression import Values


@dataclass(frozen=True)
class RunnableEdge:
    """What a layer reads in a slot: the layer or input that produces it, and the path."""

    layer: str
    slot: int
    producer: str
    path: EdgePath


@dataclass(frozen=True)
class Weight:
    """A parameter in a layer's slot. `transposed`: normal order is its transpose (Gemm)."""

    layer: str
    role: str
    path: EdgePath
    transposed: bool = False

    @functools.cached_property
    def name(self) -> str:
        """Name of the stored parameter."""
        return str(self.path.root.name)

    @functools.cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape in normal order: OIHW for convolutions, out x in for dense layers."""
        read = values.shape(self.path.target) or ()
        return tuple(reversed(read)) if self.transposed else read

    @functools.cached_property
    def stored_shape(self) -> tuple[int, ...]:
        """Shape as the port stores it."""
        return values.shape(self.path.root) or ()

    def normal(self, stored: Values) -> Values:
        """Stored values in normal order."""
        read = self.path.forward(stored)
        return read.T if self.transposed else read

    def stored(self, array: Values) -> Values:
        """Values in normal order, in the order in which the port stores them."""
        return self.path.backward(array.T if self.transposed else array)


@dataclass
class RunnableGraph:
    """A network in normal form: its model, which nothing else may change, and its layer graph.

    Layers that compute nothing (Dropout) are bypassed: no edge goes through one. `inputs`, `nodes`,
    `edges` (those a layer reads), `weights` and `layers` are by input or layer id.
    """

    model: ir.Model
    layer_graph: LayerGraph
    nodes: dict[str, ir.Node] = field(default_factory=dict)
    inputs: dict[str, ir.Value] = field(default_factory=dict)
    """The network's inputs."""
    edges: dict[str, list[RunnableEdge]] = field(default_factory=dict)
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    readers: dict[str, list[RunnableEdge]] = field(default_factory=dict)
    """Edges by the name of the value that they start from."""
    captures: set[str] = field(default_factory=set)
    """Layers whose bodies (Loop, If) read values of the graph around them."""
    layers: dict[str, Layer] = field(default_factory=dict)
    composed: dict[str, ir.Value] = field(default_factory=dict)
    """Weights that layers read sliced from stored ones, or concatenated of them: the value that was
    read, by the name given to the weight."""
    output_layers: dict[str, str] = field(default_factory=dict)
    """The id of the layer or input of each network output, by the name of the value."""

    @property
    def by_id(self) -> dict[str, GraphInput | Layer]:
        """Inputs and layers by id."""
        inputs: dict[str, GraphInput | Layer] = {one.id: one for one in self.layer_graph.inputs}
        return inputs | self.layers

    @functools.cached_property
    def positions(self) -> dict[str, int]:
        """The place of each layer in the graph's order."""
        return {name: number for number, name in enumerate(self.layers)}

    @functools.cached_property
    def weight_norms(self) -> dict[int, WeightNorm]:
        """The normalized weights, by id of the value that they compute."""
        return {id(one.output): one for one in weight_norm.weight_norms(self.model.graph)}

    def value(self, name: str) -> ir.Value:
        """The value of an input, or the first output of a layer."""
        return self.inputs[name] if name in self.inputs else self.nodes[name].outputs[0]


def runnable_graph(model: ir.Model) -> RunnableGraph:
    """A model in normal form, ready for parity. The model is changed.

    Raises:
        ModeldocsError: a parameter's shape is unknown.
    """
    unknown = [value for value in model.graph.inputs if values.is_parameter(value)]
    if unknown:
        raise ModeldocsError(
            f"the shape of {str(unknown[0].name)!r} is not known without the input's",
            fix="give it with --input, or as `inputs` in model.yml",
        )
    network = RunnableGraph(model, normal.read(model))
    network.layers = {layer.id: layer for layer in network.layer_graph.layers}
    by_name = {str(v.name): v for node in model.graph for v in node.outputs}
    for name, value in layers.output_names(model).items():
        producer = by_name[value].producer()
        assert producer is not None
        network.nodes[name] = producer
    inputs = {str(value.name): value for value in model.graph.inputs}
    network.inputs = {one.id: inputs[one.name] for one in network.layer_graph.inputs}
    shapes.complete_shapes(model)
    _bypass(network)
    _declare_composed(network)
    _connect(network)
    return network


def _bypass(network: RunnableGraph) -> None:
    """Connect the readers of a layer that computes nothing to that layer's input."""
    for layer in network.layer_graph.layers:
        node = network.nodes[layer.id]
        if transparent(layer) and node.inputs[0] is not None:
            ir.convenience.replace_all_uses_with(
                node.outputs[0], node.inputs[0], replace_graph_outputs=True
            )


def _declare_composed(network: RunnableGraph) -> None:
    """Declare a parameter for each weight that is sliced from or concatenated of stored ones.

    Its layer then reads one weight; `stored_weights` goes from it to the stored ones and back.
    """
    model = network.model
    rearranging = tracing.arranged_parameters(model.graph)
    declared: dict[int, ir.Value] = {}
    for node in list(model.graph):
        if id(node) in rearranging:
            continue
        for slot, value in enumerate(node.inputs):
            root = path_to(value).root if value is not None else None
            is_composed = root is not None and id(root.producer()) in rearranging
            shape = values.shape(value)
            if value is None or not is_composed or shape is None:
                continue
            if id(value) not in declared:
                name = f"{value.name} as read by {node.outputs[0].name}/{slot}"
                dtype = value.dtype or ir.DataType.FLOAT
                declared[id(value)] = origin.declare_parameter(name, shape, dtype=dtype)
                model.graph.register_initializer(declared[id(value)])
                network.composed[name] = value
            node.replace_input_with(slot, declared[id(value)])


def _connect(network: RunnableGraph) -> None:
    """Fill in edges, weights, readers and outputs."""
    producers = {id(value): name for name, value in network.inputs.items()}
    for name, node in network.nodes.items():
        producers |= {id(value): name for value in node.outputs}
    readers: dict[str, list[RunnableEdge]] = defaultdict(list)
    for name, node in network.nodes.items():
        network.edges[name], network.weights[name] = [], []
        for slot, value in enumerate(node.inputs):
            if value is None:
                continue
            path = path_to(value)
            if slot == 0:
                features = operators.of(node.op_type).features
                path = dataclasses.replace(path, features=features)
            if id(path.root) in producers:
                edge = RunnableEdge(name, slot, producers[id(path.root)], path)
                network.edges[name].append(edge)
                readers[str(path.root.name)].append(edge)
            elif values.is_parameter(path.root):
                network.weights[name].append(_weight(network.layers[name], node, slot, path))
        network.weights[name] += _weights_inside(network.layers[name], node)
        if len(network.layers[name].inputs) > len(network.edges[name]):
            network.captures.add(name)
    network.readers = dict(readers)
    roots = [path_to(value).root for value in network.model.graph.outputs]
    network.output_layers = {
        str(root.name): producers[id(root)] for root in roots if id(root) in producers
    }


def _weight(layer: Layer, node: ir.Node, slot: int, path: EdgePath) -> Weight:
    transposed = node.op_type == "Gemm" and slot == 1 and not values.attribute(node, "transB", 0)
    return Weight(layer.id, role(layer.operator, slot), path, transposed)


def _weights_inside(layer: Layer, node: ir.Node) -> list[Weight]:
    """The parameters that the bodies of a node read, which are not in normal form."""
    weights: dict[str, Weight] = {}
    for inner in settings.inside(node):
        for slot, value in enumerate(inner.inputs):
            path = path_to(value) if value is not None else None
            if path is None or not values.is_parameter(path.root):
                continue
            weight = Weight(layer.id, role(inner.op_type, slot), path)
            is_dense = weight.role == "weight" and values.rank(value) == 2
            transposed = is_dense and (
                (inner.op_type == "Gemm" and not values.attribute(inner, "transB", 0))
                or inner.op_type == "MatMul"
            )
            weight = dataclasses.replace(weight, transposed=transposed)
            weights.setdefault(weight.name, weight)
    return list(weights.values())
