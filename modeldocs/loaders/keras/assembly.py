"""The ONNX model of a traced Keras model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders import LoadRequest, dims
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.builder import FLOAT
from modeldocs.loaders.emission.element_types import element_name
from modeldocs.loaders.emission.graph import EmittedGraph
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.keras import calls, constants, framework, program, shapes, source, weights
from modeldocs.loaders.keras.emitters import emitter_of
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.program import TracedModel
from modeldocs.loaders.keras.shapes import Dims

MAX_ELEMENTS = 2**60
"""Elements of the largest tensor, which 64 bits can count. Its values are never allocated."""

_NAMED = "modeldocs.named"


def load(request: LoadRequest) -> ir.Model:
    """The model without weights.

    Its variables get no values, which saves most of the time. A port that needs them (as it sets
    weights, for example) is run once more with values.

    Raises:
        ModeldocsError: the source cannot be loaded.
    """
    try:
        with program.session(request, values=False):
            return assemble(program.trace(request), request).finish()
    except ModeldocsError:
        if source.is_saved(request):
            raise
    with program.session(request, values=True):
        return assemble(program.trace(request), request).finish()


def assemble(traced: TracedModel, request: LoadRequest) -> KerasAssembly:
    """The ONNX graph of a traced model."""
    assembly = KerasAssembly(traced, request)
    for name, tensor, input_origin in traced.feed.graph_inputs:
        assembly.add_symbolic_input(tensor, name, input_origin)
    assembly.add_calls([tensor for _, tensor in traced.outputs])
    read = {*assembly.parameters, *assembly.constants}
    assembly.notes += weights.unread_notes(weights.unread(traced.model, read))
    return assembly


class KerasAssembly(EmittedGraph):
    """The graph so far: values by the id of symbolic tensors, parameters by that of variables."""

    def __init__(self, traced: TracedModel, request: LoadRequest) -> None:
        super().__init__(UniqueNames(first=1))
        self.request = request
        self.notes += traced.notes
        self.values: dict[int, ir.Value] = {}
        self.parameters: dict[int, ir.Value] = {}
        self._program = traced
        self.constants: dict[int, ir.Value] = {}
        """Variables whose values are a constant of the function, by id."""
        self._declared = constants.declared(traced.model)
        self._trainable = {id(variable) for variable in traced.model.trainable_weights}
        self._tensors: list[Any] = []
        """Symbolic tensors with a value, kept so that their ids are not used again."""

    def add_symbolic_input(self, tensor: Any, name: str, input_origin: Origin) -> None:
        """Add a graph input for a symbolic tensor."""
        value = self.add_input(name, tensor.shape, shapes.dtype(tensor.dtype))
        origin.attach(value, origin.Provenance(origins=(input_origin,), name=name))
        self.values[id(tensor)] = value

    def add_calls(self, outputs: Sequence[Any]) -> None:
        """Add nodes for every call that symbolic tensors depend on."""
        for call in calls.in_order(outputs):
            if not all(id(tensor) in self.values for tensor in call.outputs):
                self._add_call(call)

    def _add_call(self, call: Any) -> None:
        op = KerasOperation(self, call, self._program.trace.modules(call))
        emit = emitter_of(op.source)
        try:
            results = op.opaque() if emit is None else emit(op)
        except ModeldocsError:
            raise
        except Exception as error:  # a setting of Keras that ONNX does not have
            op = op.restart(error)
            results = op.opaque()
        values = [results] if isinstance(results, ir.Value) else list(results)
        outputs = [self._named(op, *pair) for pair in zip(call.outputs, values, strict=True)]
        op.give_names(self.names, outputs)
        self.initializers += op.initializers
        self.notes += op.notes

    def _named(self, op: KerasOperation, tensor: Any, value: ir.Value) -> ir.Value:
        """The value of an output, with the shape that Keras infers and the layer's name."""
        if value.metadata_props.get(_NAMED) or value.producer() is None:
            value = op.node("Identity", [value])
        self._check_shape(op.name, tensor.shape)
        value.shape = _completed(tensor.shape, value.shape)
        value.type = ir.TensorType(shapes.dtype(tensor.dtype))
        value.name = self.names.unique(op.name)
        value.metadata_props[_NAMED] = "yes"
        self.values[id(tensor)] = value
        self._tensors.append(tensor)
        return value

    def _check_shape(self, name: str, shape: Dims) -> None:
        if dims.is_absurd(shape, MAX_ELEMENTS):
            raise ModeldocsError(
                f"{name} has the impossible shape {dims.as_text(shape)}",
                file=self.request.source,
                fix="check its settings",
            )

    def value_of(self, tensor: Any) -> ir.Value:
        """The value of a symbolic tensor: of a call, a constant, or the variable of a stand-in.

        Raises:
            ModeldocsError: it belongs to another graph.
        """
        tensor = calls.original(tensor)
        value = self.values.get(id(tensor))
        if value is not None:
            return value
        trace = self._program.trace
        if id(tensor) in trace.constants:
            array = np.asarray(trace.constants[id(tensor)][1])
            value = onnx_model.constant(array, self.names.unique("constant"))
            self.values[id(tensor)] = value
            self.initializers.append(value)
            return value
        variable = trace.stand_ins.variables.get(id(tensor))
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
        value = self.parameters.get(id(variable)) or self._constant(variable)
        if value is None:
            name, shape = self.names.unique(variable.path), tuple(variable.shape)
            self._check_shape(name, shape)
            dtype, trainable = shapes.dtype(variable._dtype), id(variable) in self._trainable
            value = origin.declare_parameter(name, shape, dtype=dtype, trainable=trainable)
            self.parameters[id(variable)] = value
            self.initializers.append(value)
        return value

    def _constant(self, variable: Any) -> ir.Value | None:
        """The constant of a variable whose values its layer makes; None for other variables."""
        if id(variable) in self.constants or id(variable) not in self._declared:
            return self.constants.get(id(variable))
        array = constants.values(framework.imported(), variable)
        if array is None:
            return None
        value = onnx_model.constant(array, self.names.unique(variable.path))
        self.constants[id(variable)] = value
        self.initializers.append(value)
        return value

    def function(
        self, function: Any, inputs: Sequence[ir.Value], modules: Sequence[Module]
    ) -> list[ir.Value]:
        """Nodes for a function of tensors called inside of some modules; its outputs."""
        keras_tensor = framework.imported().KerasTensor
        tensors = []
        for value in inputs:
            tensor = keras_tensor(shapes.dims(value), element_name(value.dtype or FLOAT))
            self.values[id(tensor)] = value
            tensors.append(tensor)
        self._tensors += tensors
        outputs = self._program.trace.of_function(function, tensors, modules)
        self.add_calls(outputs)
        return [self.value_of(output) for output in outputs]

    def finish(self) -> ir.Model:
        """The graph so far as a model with the outputs of the program."""
        outputs = [self._output(name, tensor) for name, tensor in self._program.outputs]
        for value in (value for node in self.nodes for value in node.outputs):
            value.metadata_props.clear()
        self.notes = list(dict.fromkeys([*self._program.trace.notes, *self.notes]))
        return self.model(self.request.name, outputs)

    def _output(self, name: str, tensor: Any) -> ir.Value:
        """The value of an output, under the name that the model has for it."""
        value = self.value_of(tensor)
        output = self.output(value, name or f"{value.name}_output")
        if output is value and name and name != value.name:
            value.name = self.names.unique(name)
        return output


def _completed(shape: Dims, inferred: ir.Shape | None) -> ir.Shape:
    """The shape that Keras infers, with open sizes as ONNX infers them."""
    if inferred is None or len(inferred) != len(shape):
        return ir.Shape(shape)
    return ir.Shape(b if a is None else a for a, b in zip(shape, inferred, strict=True))
