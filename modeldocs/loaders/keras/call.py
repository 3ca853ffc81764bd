"""One call of a layer or operation while it is turned into ONNX: what an emitter works with."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs import origin
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Module
from modeldocs.loaders.keras import describing, framework, inference, lines, masking, shapes
from modeldocs.loaders.keras.shapes import Dims

if TYPE_CHECKING:
    from modeldocs.loaders.keras.assembly import Assembly

DOMAIN = "keras"
OPSET = 21
MAX_CONSTANT = 2**22
"""Elements of the largest constant that a graph is given."""


class Call:
    """A call: the operation, its arguments as values of the graph, and the nodes made for it."""

    def __init__(self, assembly: Assembly, node: Any, modules: Sequence[Module]) -> None:
        self.assembly = assembly
        self.node = node
        self.operation = node.operation
        self.modules = tuple(modules)
        self.outputs: list[Any] = node.outputs
        """Symbolic tensors of what the call gives."""
        self._mark = len(assembly.nodes)
        self._keras = framework.imported()
        self._is_layer = isinstance(self.operation, self._keras.layers.Layer)
        self.name = self._path()
        self._origin = describing.origin_of(self.operation, assembly.request, {})
        self.arguments = self._bound()
        """Arguments by name, defaults filled in: values, constants as Keras has them."""
        if not self._is_layer:
            told = self._given()
            self._origin = describing.origin_of(self.operation, assembly.request, told)

    def _path(self) -> str:
        """Path of the layer or operation inside of the model.

        Keras numbers operations through the whole process; inside of a module that says nothing.
        """
        if not self.modules:
            return str(self.operation.name)
        path = self.modules[-1].path
        if self._is_layer:
            return f"{path}/{self.operation.name}"
        return self.assembly.unique(f"{path}/{describing.spelt(self.operation)}", "call ")

    def _bound(self) -> dict[str, Any]:
        arguments = self.node.arguments
        args = [self._value(argument) for argument in arguments.args]
        kwargs = {name: self._value(value) for name, value in arguments.kwargs.items()}
        signature = inspect.signature(self.operation.call)
        if "training" not in signature.parameters:
            kwargs.pop("training", None)  # a functional model hands it to every layer
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
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
        tensors = self.node.arguments.keras_tensors
        mask = masking.of(tensors[index]) if index < len(tensors) else None
        return self.assembly.value_of(mask) if mask is not None else None

    def size(self, dim: int | None) -> int:
        """A dimension that must be a number.

        Raises:
            ModeldocsError: it is open.
        """
        if dim is None:
            raise self.error(
                f"{self.name!r} needs every size of its input, which is left open",
                mend="give the shape under `inputs:` in model.yml, or pass --input NAME=1,…",
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

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """The value in another type; itself where it has that."""
        return value if value.dtype == dtype else self.add("Cast", value, to=dtype, dtype=dtype)

    def add(
        self,
        op: str,
        *inputs: ir.Value | None,
        label: str = "",
        shape: Sequence[int | None] | None = None,
        dtype: ir.DataType | None = None,
        padding: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> ir.Value:
        """A node with one output: of the first input's type, its shape inferred if not given.

        `label` names a step of a layer that takes several.
        """
        return self.add_all(
            op,
            *inputs,
            label=label,
            outputs=[(shape, dtype or _first_dtype(inputs))],
            padding=padding,
            domain=domain,
            **attributes,
        )[0]

    def add_all(
        self,
        op: str,
        *inputs: ir.Value | None,
        outputs: Sequence[tuple[Sequence[int | None] | None, ir.DataType | None]],
        label: str = "",
        padding: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> list[ir.Value]:
        """A node with several outputs, each of a shape and type."""
        name = f"{self.name}/{label}" if label else self.name
        made = [
            ir.Value(
                name=self.assembly.unique(f"{self.name}/{label or op}"),
                shape=ir.Shape(shape) if shape is not None else None,
                type=ir.TensorType(dtype) if dtype is not None else None,
            )
            for shape, dtype in outputs
        ]
        given = {key: value for key, value in attributes.items() if value is not None}
        node = ir.node(op, list(inputs), given, domain=domain, outputs=made)
        node.name = self.assembly.unique(name, "node ")
        told = origin.Provenance(
            origins=(self._origin,), modules=self.modules, padding=padding, name=name
        )
        origin.attach(node, told)
        self.assembly.nodes.append(node)
        inference.complete(node, OPSET)
        return made

    def number(self, value: Any, dtype: ir.DataType | None = None, name: str = "") -> ir.Value:
        """A constant: of the output's type where it is floating and no other is asked for."""
        array = np.asarray(value)
        self._check_size(array.size)
        wanted = dtype or shapes.dtype(self.outputs[0].dtype)
        return self.assembly.constant(
            array.astype(wanted.numpy()), f"{self.name}/{name or 'constant'}"
        )

    def full(self, fill: Any, shape: Sequence[int], name: str) -> ir.Value:
        """A constant of one number throughout."""
        self._check_size(math.prod(shape))
        return self.number(np.full(tuple(shape), fill), name=name)

    def causal(self, steps: int, seen: int) -> ir.Value:
        """A constant that is true where a step may read another."""
        self._check_size(steps * seen)
        mask = np.tril(np.ones((1, 1, steps, seen), dtype=bool))
        return self.number(mask, ir.DataType.BOOL, "causal")

    def _check_size(self, size: int) -> None:
        if size > MAX_CONSTANT:
            raise self.error(
                f"{self.name!r} takes a constant of {size:,} elements",
                mend="make it smaller, or a weight of a layer",
            )

    def integers(self, values: Sequence[int], name: str) -> ir.Value:
        """A constant list of int64: axes, sizes, pads."""
        return self.number(np.asarray(values, dtype=np.int64), ir.DataType.INT64, name)

    def transpose(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        """The value with its axes in another order; itself where that is the same."""
        if list(order) == sorted(order):
            return value
        shape = shapes.permuted(shapes.dims(value), order) if value.shape is not None else None
        return self.add("Transpose", value, perm=list(order), shape=shape)

    def reshape(self, value: ir.Value, shape: Sequence[int | None]) -> ir.Value:
        """The value in another shape, at most one of its sizes open."""
        target = self.integers([-1 if size is None else size for size in shape], "shape")
        return self.add("Reshape", value, target, shape=shape)

    def activated(self, value: ir.Value, function: Any) -> ir.Value:
        """What a layer's `activation=` makes of a value."""
        from modeldocs.loaders.keras.activations import activate

        return activate(self, value, function)

    def whole(self) -> list[ir.Value]:
        """The call as one node of Keras' domain, with its parameters and settings."""
        tensors = [self.assembly.value_of(t) for t in self.node.arguments.keras_tensors]
        parameters = [self.assembly.parameter(v) for v in getattr(self.operation, "weights", ())]
        settings = {k: _attribute(v) for k, v in self._origin.attributes.items()}
        return self.add_all(
            str(self._origin.operator).split(".")[-1].split(">")[-1],
            *tensors,
            *parameters,
            outputs=[(tensor.shape, shapes.dtype(tensor.dtype)) for tensor in self.outputs],
            domain=DOMAIN,
            **{k: v for k, v in settings.items() if k.isidentifier() and v is not None},
        )

    def start_again(self, error: Exception) -> Call:
        """Drop what was made; said in a note, since it is drawn as it is."""
        del self.assembly.nodes[self._mark :]
        said = str(error).strip("'\"") or type(error).__name__
        self.assembly.notes.append(
            f"{self._origin.operator} {self.name!r} is drawn as one layer of its own: {said[:160]}"
        )
        return Call(self.assembly, self.node, self.modules)

    def error(self, reason: str, mend: str | None = None) -> ModeldocsError:
        """The error to raise, at the line that made the layer."""
        request = self.assembly.request
        made = lines.of(self.operation)
        file = request.relative(made[0]) if made else request.source
        return ModeldocsError(reason, file=file, line=made[1] if made else None, mend=mend)


def _first_dtype(inputs: Sequence[ir.Value | None]) -> ir.DataType | None:
    return next((value.dtype for value in inputs if value is not None), None)


def _has_value(argument: Any) -> bool:
    if isinstance(argument, list | tuple):
        return any(_has_value(item) for item in argument)
    if isinstance(argument, dict):
        return any(_has_value(item) for item in argument.values())
    return isinstance(argument, ir.Value)


def _attribute(value: Any) -> Any:
    """A setting as an ONNX attribute; what is no list of one kind of number, as JSON."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | str) or value is None:
        return value if not isinstance(value, int) or -(2**63) <= value < 2**63 else str(value)
    plain = isinstance(value, list) and value and len({type(item) for item in value}) == 1
    if plain and isinstance(value[0], int | float | str) and not isinstance(value[0], bool):
        return value
    return json.dumps(value, sort_keys=True, default=str)
