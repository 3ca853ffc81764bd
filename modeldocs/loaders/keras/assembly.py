"""The ONNX graph of a traced model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders import LoadRequest, dims
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import Names
from modeldocs.loaders.keras import framework, shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emitter_of
from modeldocs.loaders.keras.tracing import Trace, in_order, original

MAX_ELEMENTS = 2**60
"""Elements of the largest tensor: as many as 64 bits count. Its values are never made."""


class Assembly:
    """The graph so far: values by symbolic tensor, parameters by variable."""

    def __init__(self, trace: Trace, request: LoadRequest, model: Any) -> None:
        self.trace = trace
        self.request = request
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.notes: list[str] = []
        self.made: dict[int, ir.Value] = {}
        """The value of each symbolic tensor, by its id."""
        self.tensors: list[Any] = []
        """Symbolic tensors that have a value of the graph, in order."""
        self._trainable = {id(variable) for variable in model.trainable_weights}
        self.parameters: dict[int, ir.Value] = {}
        """The value of each variable, by its id."""
        self._names = Names(first=1)
        self._inputs: list[ir.Value] = []

    def add_input(self, tensor: Any, name: str, told: Origin) -> None:
        """A graph input for a symbolic tensor."""
        value = ir.Value(
            name=self.unique(name),
            shape=ir.Shape(tensor.shape),
            type=ir.TensorType(shapes.dtype(tensor.dtype)),
        )
        carried = origin.Provenance(origins=(told,), name=name)
        origin.attach(value, carried)
        self._inputs.append(value)
        self.made[id(tensor)] = value

    def add_calls(self, outputs: Sequence[Any]) -> None:
        """Nodes for every call that symbolic tensors depend on."""
        for node in in_order(outputs):
            if not all(id(tensor) in self.made for tensor in node.outputs):
                self._add_call(node)

    def _add_call(self, node: Any) -> None:
        call = Call(self, node, self.trace.modules(node))
        emit = emitter_of(node.operation)
        try:
            made = call.whole() if emit is None else emit(call)
        except ModeldocsError:
            raise
        except Exception as error:  # a setting that Keras takes and ONNX has no form for
            made = call.start_again(error).whole()
        values = [made] if isinstance(made, ir.Value) else list(made)
        kept = [self._keep(call, *pair) for pair in zip(node.outputs, values, strict=True)]
        call.give_names(self._names, kept)
        self.initializers += call.initializers
        self.notes += call.notes

    def _keep(self, call: Call, tensor: Any, value: ir.Value) -> ir.Value:
        """The value of an output, with the shape that Keras gives it and the layer's name."""
        fresh = not value.metadata_props.get("modeldocs.kept") and not value.is_graph_input()
        if not fresh or value.producer() is None:
            value = call.node("Identity", [value])
        self._check_shape(call.name, tensor.shape)
        value.shape = _sharper(tensor.shape, value.shape)
        value.type = ir.TensorType(shapes.dtype(tensor.dtype))
        value.name = self.unique(call.name)
        value.metadata_props["modeldocs.kept"] = "yes"
        self.made[id(tensor)] = value
        self.tensors.append(tensor)
        return value

    def _check_shape(self, name: str, shape: Dims) -> None:
        if dims.is_absurd(shape, MAX_ELEMENTS):
            raise ModeldocsError(
                f"{name} has the impossible shape {dims.said(shape)}",
                file=self.request.source,
                fix="check its settings",
            )

    def value_of(self, tensor: Any) -> ir.Value:
        """The value of a symbolic tensor: made before, or the variable that it stands in for.

        Raises:
            ModeldocsError: it belongs to another graph.
        """
        tensor = original(tensor)
        held = self.made.get(id(tensor))
        if held is not None:
            return held
        if id(tensor) in self.trace.constants:
            array = np.asarray(self.trace.constants[id(tensor)][1])
            return self.made.setdefault(id(tensor), self.constant(array, "constant"))
        variable = self.trace.stand_ins.variables.get(id(tensor))
        if variable is None:
            raise ModeldocsError(
                f"a layer reads a tensor of shape {tuple(tensor.shape)} that is none of the "
                "model's inputs",
                file=self.request.source,
                fix="let the layer take the tensor as an argument of its call",
            )
        return self.parameter(variable)

    def parameter(self, variable: Any) -> ir.Value:
        """The initializer of a variable, the same one each time."""
        held = self.parameters.get(id(variable))
        if held is None:
            held = self.parameters[id(variable)] = self._declared(variable)
            self.initializers.append(held)
        return held

    def _declared(self, variable: Any) -> ir.Value:
        name, shape = self.unique(variable.path), tuple(variable.shape)
        self._check_shape(name, shape)
        dtype = shapes.dtype(variable._dtype)
        trainable = id(variable) in self._trainable
        return origin.declare_parameter(name, shape, dtype=dtype, trainable=trainable)

    def constant(self, array: np.ndarray[Any, Any], name: str) -> ir.Value:
        """An initializer that is no parameter."""
        value = onnx_model.constant(array, self.unique(name))
        self.initializers.append(value)
        return value

    def function(self, function: Any, inputs: Sequence[ir.Value], call: Call) -> list[ir.Value]:
        """Nodes for any function of tensors, such as an activation that a port wrote."""
        keras_tensor = framework.imported().KerasTensor
        tensors = []
        for value in inputs:
            tensor = keras_tensor(shapes.dims(value), shapes.named(value.dtype))
            self.made[id(tensor)] = value
            self.tensors.append(tensor)
            tensors.append(tensor)
        modules = (*call.provenance.modules, Module(path=call.name, kind=call.told.operator))
        outputs = self.trace.of_function(function, tensors, modules)
        self.add_calls(outputs)
        return [self.value_of(output) for output in outputs]

    def unique(self, name: str, space: str = "") -> str:
        """`name`, or with the first number that makes it differ from those before."""
        return self._names.unique(name, space)

    def model(self, outputs: Sequence[tuple[str, Any]]) -> ir.Model:
        """The whole as a model; `outputs` are names and symbolic tensors."""
        values = [self._output(name, tensor) for name, tensor in outputs]
        for value in (value for node in self.nodes for value in node.outputs):
            value.metadata_props.clear()
        return onnx_model.finished(
            self.request.name,
            self._inputs,
            values,
            nodes=self.nodes,
            initializers=self.initializers,
            notes=list(dict.fromkeys([*self.trace.notes, *self.notes])),
        )

    def _output(self, name: str, tensor: Any) -> ir.Value:
        """The value of an output; an input or parameter goes out through a node of its own."""
        value = self.value_of(tensor)
        if value.producer() is None or value.metadata_props.get("modeldocs.output"):
            value, node = onnx_model.output(value, name or f"{value.name}_output", self._names)
            self.nodes.append(node)
        elif name and name != value.name:
            value.name = self.unique(name)
        value.metadata_props["modeldocs.output"] = "yes"
        return value


def _sharper(told: Sequence[int | None], inferred: ir.Shape | None) -> ir.Shape:
    """The shape that Keras tells, its open sizes as they were inferred."""
    if inferred is None or len(inferred) != len(told):
        return ir.Shape(told)
    return ir.Shape(b if a is None else a for a, b in zip(told, inferred, strict=True))
