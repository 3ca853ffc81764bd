"""The parameters of a graph: its variables, and the weights of a frozen one."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.tensorflow import roles
from modeldocs.loaders.tensorflow.graphdef import attributes, constants
from modeldocs.loaders.tensorflow.graphdef.typed_graph import TypedGraph
from modeldocs.loaders.tensorflow.program import HANDLES, GraphDefProgram, GraphNode, Ref
from modeldocs.loaders.tensorflow.roles import Role

MAX_ELEMENTS = 2**36
_STATISTICS = ("mean", "var")


class Parameters:
    """The parameters of a graph, each declared as an initializer when it is first read."""

    def __init__(self, program: GraphDefProgram, typed: TypedGraph, names: UniqueNames) -> None:
        self.program = program
        self.typed = typed
        self.names = names
        self.initializers: list[ir.Value] = []
        self.roles = self._without_ones(roles.roles(typed))
        typed.hide(self.roles)
        self.values: dict[str, ir.Value] = {}
        """The value of each parameter, by the name of the node that holds it."""

    @classmethod
    def within(cls, outer: Parameters, typed: TypedGraph) -> Parameters:
        """The same parameters, for a graph inside of the graph."""
        parameters = cls(outer.program, typed, outer.names)
        parameters.roles |= outer.roles
        parameters.initializers, parameters.values = outer.initializers, outer.values
        return parameters

    def _without_ones(self, known: dict[str, Role]) -> dict[str, Role]:
        """Roles without constants of ones, where the graph has variables.

        A normalisation without a scale reads such a constant, which is no parameter.
        """
        nodes = self.typed.flat.nodes
        if not any(node.kind in HANDLES for node in nodes.values()):
            return known
        return {name: role for name, role in known.items() if not _is_ones(nodes[name])}

    def value(self, ref: Ref) -> ir.Value | None:
        """The parameter that an output is, None where it is none."""
        node = self.typed.flat.nodes.get(ref[0])
        if node is None or not self._is_parameter(node):
            return None
        if node.name not in self.values:
            self.values[node.name] = value = self._declare(node)
            self.initializers.append(value)
        return self.values[node.name]

    def holds(self, ref: Ref) -> bool:
        """Whether an output is a parameter itself."""
        node = self.typed.flat.nodes.get(ref[0])
        return node is not None and self._is_parameter(node)

    def variable(self, ref: Ref) -> GraphNode | None:
        """The node of the variable that an output is a value of, possibly cast."""
        node = roles.source(self.typed, ref)
        return node if node is not None and node.kind in HANDLES else None

    def _is_parameter(self, node: GraphNode) -> bool:
        return node.kind in HANDLES or (node.kind == "Const" and node.name in self.roles)

    def _declare(self, node: GraphNode) -> ir.Value:
        variable = self.program.variables.get(node.name)
        shared_name = attributes.value(attributes.get(node.proto, "shared_name"))
        name = self.names.unique(variable.name if variable else shared_name or node.name)
        trainable = variable.trainable if variable else None
        if trainable is None:
            trainable = not self.is_statistic(node)
        if node.kind == "Const":
            return self._frozen(node, name, trainable=trainable)
        dtype = attributes.onnx_type(attributes.get(node.proto, "dtype").type)
        return origin.declare_parameter(
            name, self._shape(node), dtype=dtype or ir.DataType.FLOAT, trainable=trainable
        )

    def _frozen(self, node: GraphNode, name: str, *, trainable: bool) -> ir.Value:
        array = constants.array(node)
        if array is None:
            raise self.program.error(
                f"the constant {node.name!r} cannot be read",
                at=node.name,
                fix="save the graph again",
            )
        value = onnx_model.constant(array, name)
        origin.mark_parameter(value, trainable=trainable)
        return value

    def _shape(self, node: GraphNode) -> tuple[int, ...]:
        shape = attributes.dims(attributes.get(node.proto, "shape").shape)
        sizes = tuple(size for size in shape or () if isinstance(size, int))
        if shape is None or len(sizes) != len(shape) or math.prod(sizes) >= MAX_ELEMENTS:
            raise self.program.error(
                f"the variable {node.name!r} has no shape that can be drawn",
                at=node.name,
                fix="build it with its input's shape known, and save it again",
            )
        return sizes

    def is_statistic(self, node: GraphNode) -> bool:
        """Whether a parameter is a running mean or variance."""
        return self._role(node) in _STATISTICS

    def _role(self, node: GraphNode) -> Role:
        """What a parameter is for: by its reader, else by its name, else by its rank."""
        role = self.roles.get(node.name)
        if role is not None and role != "weight":
            return role
        variable = self.program.variables.get(node.name)
        by_name = roles.by_name(variable.name if variable else node.name)
        if by_name is not None:
            return by_name
        rank = len(attributes.get(node.proto, "shape").shape.dim)
        return role or ("weight" if rank > 1 else "bias")


def _is_ones(node: GraphNode) -> bool:
    values = constants.array(node) if node.kind == "Const" else None
    return values is not None and values.ndim == 1 and bool((values == 1).all())
