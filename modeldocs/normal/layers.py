"""The last pass: read the layers off a graph whose idioms are whole and pads explicit."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import (
    GraphInput,
    GraphOutput,
    Layer,
    LayerGraph,
    Operand,
    Parameter,
    TensorType,
    origin,
)
from modeldocs.ir.operators import WEIGHTED_SLOTS, role
from modeldocs.normal import cost, offsets, plumbing, settings, types, values

MAX_NAME = 300
_BROADCAST = (
    *("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "Where", "And", "Or"),
    *("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"),
)
"""Operators that spread their operands over each other: leading axes of one element say nothing."""
_SHOWN_AS_SEEN = ("weight", "bias", "scale", "mean", "var")
"""Roles of parameters that are told in the shape that their layer reads them in."""


def read_graph(model: ir.Model) -> LayerGraph:
    """The layers of a model, in the order of its nodes."""
    reader = _Reader(model)
    inputs = tuple(
        GraphInput(
            id=f"input-{index}",
            name=str(value.name),
            type=types.tensor_type(value),
            origins=_origins(value),
        )
        for index, value in enumerate(reader.inputs, start=1)
    )
    layers = tuple(reader.layer(node) for node in model.graph if not reader.is_plumbing(node))
    outputs = tuple(
        GraphOutput(name=str(value.name), source=reader.operand(index, value))
        for index, value in enumerate(model.graph.outputs)
        if reader.is_data(value)
    )
    told = model.metadata_props.get(origin.NOTES_KEY, "[]")
    notes = msgspec.json.decode(told, type=tuple[str, ...])
    return LayerGraph(
        name=model.graph.name or "", inputs=inputs, layers=layers, outputs=outputs, notes=notes
    )


def output_names(model: ir.Model) -> dict[str, str]:
    """The name of each layer's first output in the model, by the layer's id."""
    reader = _Reader(model)
    held = {reader.ids[id(node)]: node for node in model.graph if id(node) in reader.ids}
    return {name: str(node.outputs[0].name) for name, node in held.items()}


def _origins(value: ir.Value) -> tuple[Any, ...]:
    text = value.metadata_props.get(origin.KEY)
    return msgspec.json.decode(text, type=origin.Provenance).origins if text else ()


def _id_stem(node: ir.Node) -> str:
    named = (
        f"{node.domain}-{node.op_type}"
        if node.domain not in values.DEFAULT_DOMAIN
        else node.op_type
    )
    stem = re.sub(r"[^a-z0-9]+", "-", named.lower()).strip("-")[:40] or "layer"
    return f"op-{stem}" if stem == "input" else stem


class _Reader:
    """Turns nodes into layers, giving each an id and looking up who made what it reads."""

    def __init__(self, model: ir.Model) -> None:
        self.shapes = plumbing.shape_nodes(model.graph)
        self.arranged = plumbing.arranged_parameters(model.graph)
        self.inputs = [v for v in model.graph.inputs if not values.is_parameter(v)]
        self.opset = model.graph.opset_imports.get("", 21) or 21
        self.makers: dict[int, tuple[str, int]] = {
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
                    self.makers[id(value)] = (self.ids[id(node)], index)

    def is_plumbing(self, node: ir.Node) -> bool:
        return plumbing.is_plumbing(node, self.shapes) or id(node) in self.arranged

    def is_data(self, value: ir.Value | None) -> bool:
        """Whether a value is computed from the inputs, not a constant, parameter or shape."""
        return value is not None and id(plumbing.trace(value).root) in self.makers

    def operand(self, slot: int, value: ir.Value) -> Operand:
        found = plumbing.trace(value)
        maker, output = self.makers[id(found.root)]
        return Operand(
            slot=slot, value=maker, output=output, type=types.tensor_type(value), steps=found.steps
        )

    def layer(self, node: ir.Node) -> Layer:
        carried = origin.read(node)
        standard = node.domain in values.DEFAULT_DOMAIN
        operator = node.op_type if standard else f"{node.domain}::{node.op_type}"
        inputs = self._operands(node)
        parameters = self._parameters(node, operator)
        outputs = tuple(types.tensor_type(value) for value in self._outputs(node))
        return Layer(
            id=self.ids[id(node)],
            name=(carried.name or node.name or self.ids[id(node)])[:MAX_NAME],
            operator=operator,
            inputs=inputs,
            outputs=outputs,
            attributes=settings.attributes(node, self.opset) | self._constants(node, operator),
            padding=carried.padding,
            parameters=parameters,
            macs=self._macs(node, operator, inputs, parameters, outputs),
            activation_bytes=cost.activation_bytes(outputs),
            modules=carried.modules,
            origins=carried.origins,
        )

    def _outputs(self, node: ir.Node) -> list[ir.Value]:
        """The first output, and those that something reads."""
        return [v for i, v in enumerate(node.outputs) if i == 0 or v.uses() or v.is_graph_output()]

    def _operands(self, node: ir.Node) -> tuple[Operand, ...]:
        own = [(slot, v) for slot, v in enumerate(node.inputs) if v is not None]
        captured = [(len(node.inputs) + i, v) for i, v in enumerate(settings.captured(node))]
        return tuple(self.operand(s, v) for s, v in own + captured if self.is_data(v))

    def _parameters(self, node: ir.Node, operator: str) -> tuple[Parameter, ...]:
        """Those in its slots, then those that its bodies read."""
        found: dict[str, Parameter] = {}
        for slot, value in enumerate(node.inputs):
            for made in self._operand_parameters(node, operator, slot, value):
                found.setdefault(made.name, made)
        for slot, value in enumerate(settings.captured(node), start=len(node.inputs)):
            root = plumbing.trace(value).root
            if values.is_parameter(root):
                found.setdefault(str(root.name), _stored(root, operator, slot))
        return tuple(found.values())

    def _operand_parameters(
        self, node: ir.Node, operator: str, slot: int, value: ir.Value | None
    ) -> list[Parameter]:
        """The parameter in a slot, or those that were cut and joined to what stands there."""
        if value is None:
            return []
        found = plumbing.trace(value)
        if values.is_parameter(found.root):
            return [_parameter(node, operator, slot, found)]
        joined = self.arranged.get(id(found.root.producer()), ())
        return [_stored(root, operator, slot) for root in joined]

    def _macs(
        self,
        node: ir.Node,
        operator: str,
        inputs: tuple[Operand, ...],
        parameters: tuple[Parameter, ...],
        outputs: tuple[TensorType, ...],
    ) -> int | None:
        """Of a layer whose weight was joined of several, by the weight that it reads.

        How often a body runs, and which, is not known.
        """
        if any(inner.op_type in cost.COUNTED for inner in settings.inside(node)):
            return None
        slot = WEIGHTED_SLOTS.get(operator)
        held = [parameter for parameter in parameters if parameter.role == "weight"]
        seen = values.shape(values.operand(node, slot)) if slot is not None else None
        whole = operator in ("Conv", "ConvTranspose") or (operator == "Gemm" and len(held) > 1)
        if seen is not None and whole:
            if operator == "Gemm" and not values.attribute(node, "transB", 0):
                seen = tuple(reversed(seen))
            parameters = tuple(msgspec.structs.replace(p, shape=seen) for p in held[:1])
        return cost.macs(operator, inputs, parameters, outputs)

    def _constants(self, node: ir.Node, operator: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot, value in enumerate(node.inputs):
            if value is None or self.is_data(value):
                continue
            if self._operand_parameters(node, operator, slot, value):
                first = offsets.start(value) if operator in _BROADCAST else None
                if first is not None:
                    found["indices"] = first
                continue
            name = role(operator, slot)
            if name not in settings.TRAINING_OR_STORAGE:
                root = plumbing.trace(value).root
                found[name] = settings.constant(root, spread=operator in _BROADCAST)
        return found


def _parameter(node: ir.Node, operator: str, slot: int, found: plumbing.Trace) -> Parameter:
    value = found.root
    dims = types.shape(value)
    permutation = found.permutation
    if (
        operator == "Gemm"
        and slot == WEIGHTED_SLOTS["Gemm"]
        and not values.attribute(node, "transB", 0)
    ):
        permutation = plumbing.composed(permutation, (1, 0))
    seen = values.shape(node.inputs[slot])
    if found.reshaped and seen is not None and role(operator, slot) in _SHOWN_AS_SEEN:
        dims = seen
    if permutation and sorted(permutation) == list(range(len(dims))):
        dims = tuple(dims[axis] for axis in permutation)
    else:
        permutation = ()
    return msgspec.structs.replace(
        _stored(value, operator, slot), shape=dims, permutation=permutation
    )


def _stored(value: ir.Value, operator: str, slot: int) -> Parameter:
    """A parameter as it is stored, read in a slot of an operator."""
    return Parameter(
        name=str(value.name),
        role=role(operator, slot),
        shape=types.shape(value),
        dtype=types.dtype(value),
        trainable=origin.parameter_kind(value) == "trainable",
    )
