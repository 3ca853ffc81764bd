"""One call of a layer or operation while it is turned into ONNX: what an emitter works with."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.emission.builder import MAX_CONSTANT, Builder
from modeldocs.loaders.keras import describing, framework, functions, masking, shapes
from modeldocs.loaders.keras.shapes import Dims

if TYPE_CHECKING:
    from modeldocs.loaders.keras.assembly import Assembly

DOMAIN = "keras"


class Call(Builder):
    """A call: the operation, its arguments as values of the graph, and the nodes made for it."""

    domain = DOMAIN
    needs_rank = False

    def __init__(self, assembly: Assembly, node: Any, modules: Sequence[Module]) -> None:
        self.assembly = assembly
        self.made_by = node
        self.operation = node.operation
        self.outputs: list[Any] = node.outputs
        """Symbolic tensors of what the call gives."""
        self._mark = len(assembly.nodes)
        self._keras = framework.imported()
        self._is_layer = isinstance(self.operation, self._keras.layers.Layer)
        told = describing.origin_of(self.operation, assembly.request, {})
        name = _path(self.operation, modules, assembly, is_layer=self._is_layer)
        super().__init__(origin.Provenance(origins=(told,), modules=tuple(modules), name=name))
        self.arguments = self._bound()
        """Arguments by name, defaults filled in: values, constants as Keras has them."""
        if not self._is_layer:
            told = describing.origin_of(self.operation, assembly.request, self._given())
            self.provenance = msgspec.structs.replace(self.provenance, origins=(told,))

    @property
    def told(self) -> Origin:
        """The layer or operation as the source tells it."""
        return self.provenance.origins[0]

    def _add(self, *args: Any, **kwargs: Any) -> ir.Node:
        # A layer may look into a function, whose calls come between its own nodes.
        node = super()._add(*args, **kwargs)
        self.assembly.nodes.append(node)
        return node

    def number(self, value: Any, dtype: ir.DataType | None = None, name: str = "") -> ir.Value:
        """A constant, of the output's type where no other is asked for."""
        wanted = dtype or shapes.dtype(self.outputs[0].dtype)
        return self.constant(value, wanted, name or "constant")

    def causal(self, steps: int, seen: int) -> ir.Value:
        """A constant that is true where a step may read another."""
        if steps * seen > MAX_CONSTANT:
            raise self.error(f"masks {steps:,} x {seen:,} steps", fix="make its sequences shorter")
        return self.constant(np.tril(np.ones((1, 1, steps, seen), dtype=bool)), role="causal")

    def _bound(self) -> dict[str, Any]:
        arguments = self.made_by.arguments
        args = [self._value(argument) for argument in arguments.args]
        kwargs = {name: self._value(value) for name, value in arguments.kwargs.items()}
        signature = inspect.signature(self.operation.call)
        if "training" not in signature.parameters:
            kwargs.pop("training", None)  # a functional model hands it to every layer
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if functions.is_one(self.operation):
            return dict(bound.arguments["given"])
        return dict(bound.arguments)

    def _value(self, argument: Any) -> Any:
        """An argument with values of the graph in place of symbolic tensors and variables."""
        if isinstance(argument, self._keras.KerasTensor):
            return self._cast_input(self.assembly.value_of(argument))
        if isinstance(argument, self._keras.Variable):
            return self.weight(argument)
        if isinstance(argument, list | tuple):
            return type(argument)(self._value(item) for item in argument)
        if isinstance(argument, dict):
            return {key: self._value(item) for key, item in argument.items()}
        return np.asarray(argument) if self._keras.ops.is_tensor(argument) else argument

    def _cast_input(self, value: ir.Value) -> ir.Value:
        """A layer casts what goes in to the type that it computes in."""
        layer = self.operation
        if not self._is_layer or not layer._convert_input_args or not layer.autocast:
            return value
        wanted = shapes.dtype(layer.input_dtype)
        floating = value.dtype is not None and value.dtype.is_floating_point()
        if not floating or value.dtype == wanted or not wanted.is_floating_point():
            return value
        return self.cast(value, wanted)

    def _given(self) -> dict[str, Any]:
        """Constant arguments of an operation: what the call says beside its tensors."""
        return {
            name: value
            for name, value in self.arguments.items()
            if not _has_value(value) and value is not None
        }

    def value(self, name: str) -> ir.Value:
        """A tensor argument; a number becomes a constant of the type that the call computes in."""
        found = self.arguments[name]
        return found if isinstance(found, ir.Value) else self.number(found)

    def boolean(self, name: str) -> ir.Value:
        """A mask among the arguments, computed or constant."""
        found = self.arguments[name]
        if not isinstance(found, ir.Value):
            return self.number(found, ir.DataType.BOOL, name)
        return self.cast(found, ir.DataType.BOOL)

    def values(self, name: str) -> list[ir.Value]:
        """A list of tensor arguments."""
        found = self.arguments[name]
        items = found if isinstance(found, list | tuple) else [found]
        return [item if isinstance(item, ir.Value) else self.number(item) for item in items]

    @property
    def input(self) -> ir.Value:
        """The first argument."""
        return self.value(next(iter(self.arguments)))

    def shape(self, value: ir.Value | None = None) -> Dims:
        """Dimensions of a value, or of the input."""
        return shapes.dims(self.input if value is None else value)

    def output_shape(self, index: int = 0) -> Dims:
        """Dimensions that Keras gives an output."""
        return tuple(self.outputs[index].shape)

    def mask(self, index: int = 0) -> ir.Value | None:
        """The mask that Keras carries along with an input tensor."""
        tensors = self.made_by.arguments.keras_tensors
        mask = masking.of(tensors[index]) if index < len(tensors) else None
        return self.assembly.value_of(mask) if mask is not None else None

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
        held = self.assembly.parameter(variable)
        if not self._is_layer or held.dtype is None or not held.dtype.is_floating_point():
            return held
        wanted = shapes.dtype(self.operation.compute_dtype)
        autocast = self.operation.autocast and wanted.is_floating_point()
        return self.cast(held, wanted) if autocast and held.dtype != wanted else held

    def whole(self) -> list[ir.Value]:
        """The call as one node of Keras' domain, with its parameters and settings."""
        tensors = [self.assembly.value_of(t) for t in self.made_by.arguments.keras_tensors]
        parameters = [self.assembly.parameter(v) for v in getattr(self.operation, "weights", ())]
        return self.foreign(
            str(self.told.operator).split(".")[-1].split(">")[-1],
            [*tensors, *parameters],
            [tensor.shape for tensor in self.outputs],
            {name: value for name, value in self.told.attributes.items() if name.isidentifier()},
            [shapes.dtype(tensor.dtype) for tensor in self.outputs],
        )

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, at the line that made the layer."""
        file = self.told.file or self.assembly.request.source
        return ModeldocsError(f"{self.name!r} {reason}", file=file, line=self.told.line, fix=fix)

    def start_again(self, error: Exception) -> Call:
        """Drop what was made; said in a note, since it is drawn as it is."""
        del self.assembly.nodes[self._mark :]
        said = str(error).strip("'\"") or type(error).__name__
        self.assembly.notes.append(
            f"{self.told.operator} {self.name!r} is drawn as one layer of its own: {said[:160]}"
        )
        return Call(self.assembly, self.made_by, self.provenance.modules)


def _path(operation: Any, modules: Sequence[Module], assembly: Assembly, *, is_layer: bool) -> str:
    """Path of a layer or operation inside of the model.

    Keras numbers operations through the whole process; inside of a module that says nothing.
    """
    if not modules:
        return str(operation.name)
    path = modules[-1].path
    if is_layer:
        return f"{path}/{operation.name}"
    return assembly.unique(f"{path}/{describing.spelt(operation)}", "call ")


def _has_value(argument: Any) -> bool:
    if isinstance(argument, list | tuple):
        return any(_has_value(item) for item in argument)
    if isinstance(argument, dict):
        return any(_has_value(item) for item in argument.values())
    return isinstance(argument, ir.Value)
