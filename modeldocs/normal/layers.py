"""The layers of a graph in normal form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import (
    Body,
    GraphInput,
    GraphOutput,
    Layer,
    LayerGraph,
    Operand,
    Parameter,
    TensorType,
    operators,
    origin,
)
from modeldocs.ir.operators import weighted_slot
from modeldocs.ir.operators.operands import role
from modeldocs.normal import (
    affine_weights,
    cost,
    packing,
    recurrent,
    settings,
    types,
    values,
    weight_norm,
)
from modeldocs.normal.affine_weights import AS_STORED
from modeldocs.normal.bodies import OuterGraph
from modeldocs.normal.data_movement import offsets, tracing

MAX_NAME = 300
_SHOWN_AS_READ = ("weight", "bias", "scale", "mean", "var")
"""Roles of parameters that are shown in the shape that their layer reads."""

BodyReader = Callable[[ir.Node, OuterGraph], dict[str, Body]]
"""Reads the bodies of a node; the reader tells what they read of the graph around them."""


def read_graph(model: ir.Model, bodies_of: BodyReader) -> LayerGraph:
    """The layers of a model, in the order of its nodes; `bodies_of` reads those of a node."""
    reader = _LayerReader(model)
    inputs = tuple(
        GraphInput(
            id=f"input-{index}",
            name=str(value.name),
            type=types.tensor_type(value),
            origins=_origins(value),
        )
        for index, value in enumerate(reader.inputs, start=1)
    )
    layers = tuple(
        reader.layer(node, bodies_of(node, reader))
        for node in model.graph
        if not reader.is_plumbing(node)
    )
    outputs = tuple(
        GraphOutput(name=str(value.name), source=reader.operand(index, value))
        for index, value in enumerate(model.graph.outputs)
        if reader.is_data(value)
    )
    return LayerGraph(
        name=model.graph.name or "",
        inputs=inputs,
        layers=layers,
        outputs=outputs,
        notes=tuple(origin.notes(model)),
    )


def output_names(model: ir.Model) -> dict[str, str]:
    """The name of each layer's first output in the model, by the layer's id."""
    ids = _LayerReader(model).ids
    return {ids[id(n)]: str(n.outputs[0].name) for n in model.graph if id(n) in ids}


def _origins(value: ir.Value) -> tuple[Any, ...]:
    text = value.metadata_props.get(origin.KEY)
    return msgspec.json.decode(text, type=origin.Provenance).origins if text else ()


def _id_stem(node: ir.Node) -> str:
    is_standard = node.domain in values.DEFAULT_DOMAIN
    name = node.op_type if is_standard else f"{node.domain}-{node.op_type}"
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "layer"
    return f"op-{stem}" if stem == "input" else stem


class _LayerReader:
    """Converts nodes to layers, each with an id and the sources of its operands."""

    def __init__(self, model: ir.Model) -> None:
        self.shapes = tracing.shape_nodes(model.graph)
        self.arranged = tracing.arranged_parameters(model.graph)
        self.lengths = {id(one.length) for one in weight_norm.weight_norms(model.graph)}
        self.inputs = [v for v in model.graph.inputs if not values.is_parameter(v)]
        self.opset = model.graph.opset_imports.get("", 21) or 21
        self.sources: dict[int, tuple[str, int]] = {
            id(value): (f"input-{index}", 0) for index, value in enumerate(self.inputs, start=1)
        }
        counts: Counter[str] = Counter()
        self.ids: dict[int, str] = {}
        for node in model.graph:
            if not self.is_plumbing(node):
                stem = _id_stem(node)
                counts[stem] += 1
                self.ids[id(node)] = f"{stem}-{counts[stem]}"
                for index, value in enumerate(node.outputs):
                    self.sources[id(value)] = (self.ids[id(node)], index)

    def is_plumbing(self, node: ir.Node) -> bool:
        return tracing.is_plumbing(node, self.shapes) or id(node) in self.arranged

    def is_data(self, value: ir.Value | None) -> bool:
        """Whether a value is computed from the inputs, not a constant, parameter or shape."""
        return value is not None and id(tracing.trace(value).root) in self.sources

    def operand(self, slot: int, value: ir.Value) -> Operand:
        trace = tracing.trace(value)
        source, output = self.sources[id(trace.root)]
        tensor = types.tensor_type(value)
        return Operand(slot=slot, value=source, output=output, type=tensor, steps=trace.steps)

    def layer(self, node: ir.Node, bodies: dict[str, Body]) -> Layer:
        provenance = origin.read(node)
        operator = values.operator(node)
        inputs = self._operands(node)
        parameters = self._parameters(node, operator, bodies)
        outputs = tuple(types.tensor_type(value) for value in self._outputs(node))
        attributes = settings.attributes(node, self.opset)
        return Layer(
            id=self.ids[id(node)],
            name=(provenance.name or node.name or self.ids[id(node)])[:MAX_NAME],
            operator=operator,
            inputs=inputs,
            outputs=outputs,
            attributes=attributes | self._constants(node, operator),
            padding=provenance.padding,
            parameters=parameters,
            macs=cost.of_bodies(operator, bodies)
            if bodies
            else self._macs(node, attributes, inputs, parameters, outputs),
            activation_bytes=cost.activation_bytes(outputs),
            modules=provenance.modules,
            origins=provenance.origins,
            bodies=bodies,
        )

    def _outputs(self, node: ir.Node) -> list[ir.Value]:
        """The outputs up to the last that something reads: operands give their places."""
        read = [i for i, v in enumerate(node.outputs) if v.uses() or v.is_graph_output()]
        return list(node.outputs[: max(read, default=0) + 1])

    def _operands(self, node: ir.Node) -> tuple[Operand, ...]:
        own = [(slot, v) for slot, v in enumerate(node.inputs) if v is not None]
        captured = [(len(node.inputs), value) for value in settings.captured(node)]
        return tuple(self.operand(s, v) for s, v in own + captured if self.is_data(v))

    def _parameters(
        self, node: ir.Node, operator: str, bodies: dict[str, Body]
    ) -> tuple[Parameter, ...]:
        """Parameters in the node's slots, then those that its bodies read."""
        by_name: dict[str, Parameter] = {}
        for slot, value in enumerate(node.inputs):
            for parameter in self._operand_parameters(node, operator, slot, value):
                by_name.setdefault(parameter.name, parameter)
        for inner in (layer for body in bodies.values() for layer in body.layers):
            for parameter in inner.parameters:
                by_name.setdefault(parameter.name, parameter)
        return tuple(by_name.values())

    def _operand_parameters(
        self, node: ir.Node, operator: str, slot: int, value: ir.Value | None
    ) -> list[Parameter]:
        """The parameter in a slot, or those that its value is composed of."""
        if value is None:
            return []
        trace = tracing.trace(value)
        if values.is_parameter(trace.root):
            return [packing.unpacked(node, _parameter(node, operator, slot, trace))]
        parts = self.arranged.get(id(trace.root.producer()), ())
        forms = affine_weights.forms(value) if parts else {}
        stored = [
            msgspec.structs.replace(
                _stored(part, operator, slot), **forms.get(id(part), AS_STORED)._asdict()
            )
            for part in parts
        ]
        stored = [
            msgspec.structs.replace(one, role="weight_norm") if id(part) in self.lengths else one
            for one, part in zip(stored, parts, strict=True)
        ]
        if operator not in recurrent.OPERATORS:
            return stored
        orders = [recurrent.stored_axes(value, part) for part in parts]
        return [_permuted(*both) for both in zip(stored, orders, strict=True)]

    def _macs(
        self,
        node: ir.Node,
        attributes: Mapping[str, Any],
        inputs: tuple[Operand, ...],
        parameters: tuple[Parameter, ...],
        outputs: tuple[TensorType, ...],
    ) -> int | None:
        """Multiply-accumulates of a node without bodies.

        A weight that is composed of several counts in the shape that the layer reads.
        """
        operator = values.operator(node)
        slot = weighted_slot(operator)
        weights = [parameter for parameter in parameters if parameter.role == "weight"]
        shape = values.shape(values.operand(node, slot)) if slot is not None else None
        if weights and shape is not None and operator in ("Gemm", "Conv", "ConvTranspose"):
            if operator == "Gemm" and not values.attribute(node, "transB", 0):
                shape = tuple(reversed(shape))
            parameters = tuple(msgspec.structs.replace(p, shape=shape) for p in weights[:1])
        return cost.macs(operator, attributes, inputs, parameters, outputs)

    def _constants(self, node: ir.Node, operator: str) -> dict[str, Any]:
        """Constant operands, and the first index of parameters read in part, as attributes."""
        constants: dict[str, Any] = {}
        # Leading axes of size 1 make no difference to operands that are stretched.
        broadcasts = operators.of(operator).broadcasting
        for slot, value in enumerate(node.inputs):
            if value is None or self.is_data(value):
                continue
            if self._operand_parameters(node, operator, slot, value):
                first = offsets.start(value) if broadcasts else None
                if first is not None:
                    constants["indices"] = first
                continue
            name = role(operator, slot)
            if name == "training_mode" and values.scalar(tracing.trace(value).root):
                constants[name] = 1
            is_unread = name in ("mean", "var") and values.attribute(node, "training_mode", 0)
            if name not in settings.TRAINING_OR_STORAGE and not is_unread:
                root = tracing.trace(value).root
                constants[name] = settings.constant(root, broadcast=broadcasts)
        return constants


def _parameter(node: ir.Node, operator: str, slot: int, trace: tracing.TracedValue) -> Parameter:
    """A parameter in a slot, in normal order of its axes: that of a layer's weight."""
    value = trace.root
    dims = types.shape(value)
    permutation = trace.permutation
    if (
        operator == "Gemm"
        and slot == weighted_slot("Gemm")
        and not values.attribute(node, "transB", 0)
    ):
        permutation = tracing.composed(permutation, (1, 0))
    read_dims = values.shape(node.inputs[slot])
    if trace.reshaped and read_dims is not None and role(operator, slot) in _SHOWN_AS_READ:
        dims = read_dims
    if permutation and sorted(permutation) == list(range(len(dims))):
        dims = tuple(dims[axis] for axis in permutation)
    else:
        permutation = ()
    return msgspec.structs.replace(
        _stored(value, operator, slot), shape=dims, permutation=permutation
    )


def _permuted(parameter: Parameter, order: tuple[int, ...]) -> Parameter:
    """A stored parameter with its axes in the order in which its layer reads them."""
    shape = tuple(parameter.shape[axis] for axis in order)
    return (
        msgspec.structs.replace(parameter, shape=shape, permutation=order) if order else parameter
    )


def _stored(value: ir.Value, operator: str, slot: int) -> Parameter:
    """A parameter as it is stored, with its role in a slot of an operator."""
    return Parameter(
        name=str(value.name),
        role=role(operator, slot),
        shape=types.shape(value),
        dtype=types.dtype(value),
        trainable=origin.parameter_kind(value) == "trainable",
    )
