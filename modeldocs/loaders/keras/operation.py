"""A call of a Keras layer or operation while it is turned into ONNX: what an emitter works with."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.emission.builder import MAX_CONSTANT
from modeldocs.loaders.emission.operation import Operation
from modeldocs.loaders.keras import emitters, framework, functions, masking, origins, shapes
from modeldocs.loaders.keras.graph import KerasGraph
from modeldocs.loaders.keras.shapes import Dims


class KerasOperation(Operation):
    """A call: the layer or operation, its arguments as values, and the nodes made for it.

    `source` is Keras' layer or operation, `call` the node that Keras recorded of the call, and
    `outputs` are the symbolic tensors that it returns.
    """

    domain = "keras"
    needs_rank = False

    def __init__(self, graph: KerasGraph, call: Any, modules: Sequence[Module]) -> None:
        self.graph = graph
        self.call = call
        self.source = call.operation
        self.outputs: list[Any] = call.outputs
        self._first_node = len(graph.nodes)
        self._keras = framework.imported()
        self._is_layer = isinstance(self.source, self._keras.layers.Layer)
        source = origins.origin_of(self.source, graph.request, {})
        name = self._path(modules)
        super().__init__(origin.Provenance(origins=(source,), modules=tuple(modules), name=name))
        self.arguments = self._bind()
        """Arguments by name with defaults: values, and constants as Keras has them."""
        if not self._is_layer:
            source = origins.origin_of(self.source, graph.request, self._constant_arguments())
            self.provenance = msgspec.structs.replace(self.provenance, origins=(source,))

    @property
    def origin(self) -> Origin:
        """The layer or operation as the port defines it."""
        return self.provenance.origins[0]

    @property
    def kind(self) -> str:
        """The name of Keras' class, which a port's may derive from."""
        return str((emitters.known_class(self.source) or type(self.source)).__name__)

    def _path(self, modules: Sequence[Module]) -> str:
        """Path of a layer or operation inside of the model.

        Keras numbers operations throughout the process, which means nothing inside of a module.
        """
        if not modules:
            return str(self.source.name)
        path = modules[-1].path
        if self._is_layer:
            return f"{path}/{self.source.name}"
        return self.graph.names.unique(f"{path}/{origins.function_name(self.source)}", "call ")

    def _add(self, *args: Any, **kwargs: Any) -> ir.Node:
        # Nodes of a function that the operation calls come between its own.
        node = super()._add(*args, **kwargs)
        self.graph.nodes.append(node)
        return node

    @property
    def output_dtype(self) -> ir.DataType:
        """The type of the first output."""
        return shapes.dtype(self.outputs[0].dtype)

    def promote(self, value: ir.Value) -> ir.Value:
        """The value in the type of the output, to which Keras promotes operands."""
        return self.cast(value, self.output_dtype)

    def as_float(self, value: ir.Value) -> ir.Value:
        """The value, in float32 where its type is none of floats."""
        is_float = value.dtype is not None and value.dtype.is_floating_point()
        return value if is_float else self.cast(value, ir.DataType.FLOAT)

    def number(self, value: Any, dtype: ir.DataType | None = None, name: str = "") -> ir.Value:
        """A constant, of the output's type where no other is given."""
        return self.constant(value, dtype or self.output_dtype, name or "constant")

    def causal(self, steps: int, positions: int) -> ir.Value:
        """A constant (1, 1, steps, positions): true at the positions that a step may read."""
        if steps * positions > MAX_CONSTANT:
            raise self.error(
                f"masks {steps:,} x {positions:,} steps", fix="make its sequences shorter"
            )
        allowed = np.tril(np.ones((1, 1, steps, positions), dtype=bool))
        return self.constant(allowed, role="causal")

    def _bind(self) -> dict[str, Any]:
        arguments = self.call.arguments
        args = [self._value(argument) for argument in arguments.args]
        kwargs = {name: self._value(value) for name, value in arguments.kwargs.items()}
        signature = inspect.signature(self.source.call)
        if "training" not in signature.parameters:
            kwargs.pop("training", None)  # a functional model passes it to every layer
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if functions.is_function(self.source):
            return dict(bound.arguments["arguments"])
        return dict(bound.arguments)

    def _value(self, argument: Any) -> Any:
        """An argument with values in place of symbolic tensors and variables."""
        if isinstance(argument, self._keras.KerasTensor):
            return self._cast_input(self.graph.value_of(argument))
        if isinstance(argument, self._keras.Variable):
            return self.weight(argument)
        if isinstance(argument, list | tuple):
            return type(argument)(self._value(item) for item in argument)
        if isinstance(argument, dict):
            return {key: self._value(item) for key, item in argument.items()}
        return np.asarray(argument) if self._keras.ops.is_tensor(argument) else argument

    def _cast_input(self, value: ir.Value) -> ir.Value:
        """The value in the type that a layer computes in, to which it casts floats."""
        layer = self.source
        if not self._is_layer or not layer._convert_input_args or not layer.autocast:
            return value
        dtype = shapes.dtype(layer.input_dtype)
        is_float = value.dtype is not None and value.dtype.is_floating_point()
        return self.cast(value, dtype) if is_float and dtype.is_floating_point() else value

    def _constant_arguments(self) -> dict[str, Any]:
        """The arguments of an operation that are no tensors."""
        return {
            name: value
            for name, value in self.arguments.items()
            if not _contains_value(value) and value is not None
        }

    def argument(self, name: str) -> ir.Value:
        """A tensor argument; a number becomes a constant of the output's type."""
        argument = self.arguments[name]
        return argument if isinstance(argument, ir.Value) else self.number(argument)

    def boolean(self, name: str) -> ir.Value:
        """A mask among the arguments, computed or constant."""
        argument = self.arguments[name]
        if not isinstance(argument, ir.Value):
            return self.number(argument, ir.DataType.BOOL, name)
        return self.cast(argument, ir.DataType.BOOL)

    def arguments_of(self, name: str) -> list[ir.Value]:
        """A list of tensor arguments."""
        argument = self.arguments[name]
        items = argument if isinstance(argument, list | tuple) else [argument]
        return [item if isinstance(item, ir.Value) else self.number(item) for item in items]

    def input(self, index: int = 0) -> ir.Value:
        """An argument by its place."""
        return self.argument([*self.arguments][index])

    def shape(self, index: int = 0, *, least: int = 0) -> Dims:
        """Dimensions of an argument."""
        return self.with_rank(shapes.dims(self.input(index)), index, least)

    def shape_of(self, value: ir.Value) -> Dims:
        """Dimensions of a value."""
        return shapes.dims(value)

    def output_shape(self, index: int = 0) -> Dims:
        """Dimensions of an output, as Keras infers them."""
        return tuple(self.outputs[index].shape)

    def mask(self) -> ir.Value | None:
        """The mask that Keras passes along with the first input tensor."""
        tensors = self.call.arguments.keras_tensors
        mask = masking.of(tensors[0]) if tensors else None
        return self.graph.value_of(mask) if mask is not None else None

    def size(self, dim: int | None) -> int:
        """A dimension that must be a number.

        Raises:
            ModeldocsError: it is open.
        """
        if dim is None:
            raise self.error(
                "needs every size of its input, which is left open",
                fix="give the shape under `inputs:` in model.yml, or pass --input NAME=1,…",
            )
        return dim

    def weight(self, variable: Any) -> ir.Value:
        """The parameter of a variable, in the type that the layer computes in."""
        value = self.graph.parameter(variable)
        if not self._is_layer or value.dtype is None or not value.dtype.is_floating_point():
            return value
        dtype = shapes.dtype(self.source.compute_dtype)
        autocast = self.source.autocast and dtype.is_floating_point()
        return self.cast(value, dtype) if autocast else value

    def bias(self) -> ir.Value | None:
        """The bias of a layer that may have one."""
        return self.weight(self.source.bias) if self.source.use_bias else None

    def function(self, function: Any, inputs: Sequence[ir.Value]) -> list[ir.Value]:
        """Nodes for any function of tensors, such as an activation that a port defines."""
        module = Module(path=self.name, kind=self.origin.operator)
        return self.graph.function(function, inputs, (*self.provenance.modules, module))

    def opaque(self) -> list[ir.Value]:
        """The call as one node of Keras' own domain, with its parameters and settings."""
        tensors = [self.graph.value_of(t) for t in self.call.arguments.keras_tensors]
        parameters = [self.graph.parameter(v) for v in getattr(self.source, "weights", ())]
        return self.foreign(
            str(self.origin.operator).split(".")[-1].split(">")[-1],
            [*tensors, *parameters],
            [tensor.shape for tensor in self.outputs],
            {name: value for name, value in self.origin.attributes.items() if name.isidentifier()},
            [shapes.dtype(tensor.dtype) for tensor in self.outputs],
        )

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, at the line that made the layer."""
        file = self.origin.file or self.graph.request.source
        return ModeldocsError(f"{self.name!r} {reason}", file=file, line=self.origin.line, fix=fix)

    def restart(self, error: Exception) -> KerasOperation:
        """The same call without nodes, after an emitter failed; a note says why."""
        del self.graph.nodes[self._first_node :]
        reason = str(error).strip("'\"") or type(error).__name__
        self.graph.notes.append(
            f"{self.origin.operator} {self.name!r} is drawn as one layer of its own: {reason[:160]}"
        )
        return KerasOperation(self.graph, self.call, self.provenance.modules)


def _contains_value(argument: Any) -> bool:
    if isinstance(argument, list | tuple):
        return any(_contains_value(item) for item in argument)
    if isinstance(argument, dict):
        return any(_contains_value(item) for item in argument.values())
    return isinstance(argument, ir.Value)
