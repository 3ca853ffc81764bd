"""Which tensors of a graph are parameters: its variables, and the weights of a frozen one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.tensorflow import attributes, constants, roles
from modeldocs.loaders.tensorflow.program import HANDLES, Operation, Program, Ref
from modeldocs.loaders.tensorflow.roles import Kind
from modeldocs.loaders.tensorflow.typing import Typed

if TYPE_CHECKING:
    from modeldocs.loaders.tensorflow.drawing import Drawing

_STATISTICS = ("mean", "var")


class Parameters:
    """The parameters of a graph, made when a node first reads them."""

    def __init__(self, program: Program, typed: Typed) -> None:
        self.program = program
        self.typed = typed
        self.kinds = self._told_by_values(roles.kinds(typed))
        typed.hide(self.kinds)
        self.made: dict[str, ir.Value] = {}
        """What the operations of variables and of frozen weights became, by their names."""

    @classmethod
    def within(cls, outer: Parameters, typed: Typed) -> Parameters:
        """The same parameters, for a graph within the graph."""
        made = cls(outer.program, typed)
        made.kinds = {**made.kinds, **outer.kinds}
        made.made = outer.made
        return made

    def _told_by_values(self, kinds: dict[str, Kind]) -> dict[str, Kind]:
        """Without the scales of ones that a normalisation without one reads: in a graph that has
        variables, they are none of them.
        """
        operations = self.typed.flat.operations
        if not any(operation.kind in HANDLES for operation in operations.values()):
            return kinds
        return {name: kind for name, kind in kinds.items() if not _is_ones(operations[name])}

    def value(self, drawing: Drawing, ref: Ref) -> ir.Value | None:
        """The parameter that an operation holds, None where it holds none."""
        operation = self.typed.flat.operations.get(ref[0])
        if operation is None or not self._is_parameter(operation):
            return None
        if operation.name not in self.made:
            self.made[operation.name] = made = self._make(operation, drawing)
            drawing.initializers.append(made)
        return self.made[operation.name]

    def holds(self, ref: Ref) -> bool:
        """Whether an output is a parameter itself."""
        operation = self.typed.flat.operations.get(ref[0])
        return operation is not None and self._is_parameter(operation)

    def holder(self, ref: Ref) -> Operation | None:
        """The operation of the variable that an output is, at most read or cast."""
        operation = roles.source(self.typed, ref)
        return operation if operation is not None and operation.kind in HANDLES else None

    def _is_parameter(self, operation: Operation) -> bool:
        if operation.kind in HANDLES:
            return True
        return operation.kind == "Const" and operation.name in self.kinds

    def _make(self, operation: Operation, drawing: Drawing) -> ir.Value:
        told = self.program.variables.get(operation.name)
        shared = attributes.value(attributes.get(operation.proto, "shared_name"))
        name = drawing.names.unique(told.name if told else shared or operation.name)
        trainable = told.trainable if told else None
        if trainable is None:
            trainable = not self.is_statistic(operation)
        if operation.kind == "Const":
            return self._frozen(operation, name, trainable=trainable)
        shape, dtype = self.shape(operation), self.dtype(operation)
        return origin.declare_parameter(name, shape, dtype=dtype, trainable=trainable)

    def _frozen(self, operation: Operation, name: str, *, trainable: bool) -> ir.Value:
        array = constants.array(operation)
        if array is None:
            raise self.program.error(
                f"the constant {operation.name!r} cannot be read",
                at=operation.name,
                fix="save the graph again",
            )
        return _real(name, array, trainable=trainable)

    def shape(self, operation: Operation) -> tuple[int, ...]:
        """The shape of a variable.

        Raises:
            ModeldocsError: the graph does not tell it.
        """
        shape = attributes.dims(attributes.get(operation.proto, "shape").shape)
        sizes = tuple(size for size in shape or () if isinstance(size, int))
        if shape is None or len(sizes) != len(shape) or math.prod(sizes) >= 2**36:
            raise self.program.error(
                f"the variable {operation.name!r} has no shape that can be drawn",
                at=operation.name,
                fix="build it with its input's shape known, and save it again",
            )
        return sizes

    def dtype(self, operation: Operation) -> ir.DataType:
        """The type of a variable's elements."""
        number = attributes.get(operation.proto, "dtype").type
        return attributes.onnx_type(number) or ir.DataType.FLOAT

    def is_statistic(self, operation: Operation) -> bool:
        """Whether a parameter is a running mean or variance."""
        return self.kind(operation) in _STATISTICS

    def kind(self, operation: Operation) -> Kind:
        """What a parameter is for: by its name, else by who reads it, else by its rank."""
        told = self.program.variables.get(operation.name)
        ending = (told.name if told else operation.name).split("/")[-1].rstrip("_0123456789")
        read = self.kinds.get(operation.name)
        if read is not None and read != "weight":
            return read
        if ending in roles.ENDINGS:
            return roles.ENDINGS[ending]
        rank = len(attributes.get(operation.proto, "shape").shape.dim)
        return read or ("weight" if rank > 1 else "bias")


def _is_ones(operation: Operation) -> bool:
    values = constants.array(operation) if operation.kind == "Const" else None
    return values is not None and values.ndim == 1 and bool((values == 1).all())


def _real(name: str, array: np.ndarray[Any, Any], *, trainable: bool) -> ir.Value:
    tensor = ir.tensor(array, name=name)
    value = ir.Value(
        name=name,
        shape=ir.Shape(array.shape),
        type=ir.TensorType(tensor.dtype),
        const_value=tensor,
    )
    origin.mark_parameter(value, trainable=trainable)
    return value
