"""An operation while it is turned into ONNX nodes: what an emitter works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.program import Operation, Ref

if TYPE_CHECKING:
    from modeldocs.loaders.tensorflow.drawing import Drawing

Dims = tuple[Dim, ...]
Results = Sequence[ir.Value | None]
Emitter = Callable[["Emission"], Results]
DOMAIN = "tensorflow"

EMITTERS = Emitters[Emitter]()
emits = EMITTERS.emits


class UnsupportedError(Exception):
    """Raised by an emitter for a case that ONNX has no operators for, with the reason."""


class Emission:
    """One operation, its inputs, and the nodes made for it so far."""

    def __init__(self, drawing: Drawing, operation: Operation) -> None:
        self.drawing = drawing
        self.operation = operation
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.padding: str | None = None
        self.operations = [operation]
        self._main: ir.Node | None = None

    def main(self) -> ir.Node | None:
        """The node that bears the operation's name: the one that was told, else the last."""
        return self._main or (self.nodes[-1] if self.nodes else None)

    @property
    def name(self) -> str:
        """The operation's own name."""
        return self.operation.name

    def ref(self, slot: int) -> Ref:
        """What stands in a slot.

        Raises:
            UnsupportedError: nothing does.
        """
        if slot >= len(self.operation.inputs):
            raise UnsupportedError(
                f"reads {len(self.operation.inputs)} values, it takes {slot + 1}"
            )
        return self.operation.inputs[slot]

    def value(self, slot: int) -> ir.Value:
        """The tensor in a slot: computed, a parameter, or a constant."""
        return self.drawing.value(self.ref(slot))

    def values(self) -> list[ir.Value]:
        """All tensors that the operation reads."""
        return [self.value(slot) for slot in range(len(self.operation.inputs))]

    def shape(self, slot: int) -> Dims:
        """Dimensions of the tensor in a slot.

        Raises:
            UnsupportedError: not even the rank is known.
        """
        shape = self.drawing.typed.shape(self.ref(slot))
        if shape is None:
            raise UnsupportedError("reads a tensor of which not even the rank is known")
        return shape

    def dtype(self, slot: int) -> ir.DataType:
        """Type of the tensor in a slot."""
        return self._known_type(self.drawing.typed.dtype(self.ref(slot)))

    def made_shape(self, output: int = 0) -> Dims:
        """Dimensions of an output, as TensorFlow infers them."""
        shape = self.drawing.typed.shape((self.name, output))
        if shape is None:
            raise UnsupportedError("makes a tensor of which not even the rank is known")
        return shape

    def made_dtype(self, output: int = 0) -> ir.DataType:
        """Type of an output."""
        return self._known_type(self.drawing.typed.dtype((self.name, output)))

    @staticmethod
    def _known_type(number: int) -> ir.DataType:
        held = attributes.onnx_type(number)
        if held is None:
            raise UnsupportedError("has a type that ONNX lacks")
        return held

    def static(self, slot: int) -> np.ndarray[Any, Any]:
        """The numbers in a slot that must be known ahead, such as axes.

        Raises:
            UnsupportedError: they depend on the inputs.
        """
        found = self.drawing.typed.static(self.ref(slot))
        if found is None:
            raise UnsupportedError("is set by what another layer computes")
        return found

    def numbers(self, slot: int) -> list[int]:
        """The integers in a slot that must be known ahead."""
        return [int(number) for number in self.static(slot).reshape(-1)]

    def maybe(self, slot: int) -> np.ndarray[Any, Any] | None:
        """The numbers in a slot, where they are known ahead."""
        return self.drawing.typed.static(self.ref(slot))

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as plain Python, `default` where the node does not set it."""
        if name not in self.operation.proto.attr:
            return default
        return attributes.value(self.operation.proto.attr[name])

    def integers(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers.

        Raises:
            UnsupportedError: it is something else.
        """
        found = self.attribute(name, list(default))
        if not isinstance(found, list) or not all(type(item) is int for item in found):
            raise UnsupportedError(f"has {name!r} that is no list of integers")
        return found

    def add(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        *,
        shape: Dims | None = None,
        dtype: ir.DataType | None = None,
        domain: str = "",
        **settings: Any,
    ) -> ir.Value:
        """Add a node with one output; its type is the first input's unless it is told."""
        return self.add_all(op, inputs, [shape], [dtype], domain=domain, **settings)[0]

    def add_all(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        shapes: Sequence[Dims | None],
        dtypes: Sequence[ir.DataType | None],
        *,
        domain: str = "",
        **settings: Any,
    ) -> list[ir.Value]:
        """Add a node with an output for each shape."""
        first = next((value.dtype for value in inputs if value is not None), None)
        outputs = [
            _made(shape, dtype or first) for shape, dtype in zip(shapes, dtypes, strict=True)
        ]
        given = {name: value for name, value in settings.items() if value is not None}
        node = ir.node(op, list(inputs), given, domain=domain, outputs=outputs)
        self.nodes.append(node)
        return outputs

    def is_main(self, value: ir.Value) -> ir.Value:
        """Let the node that makes a value bear the operation's name."""
        self._main = value.producer()
        return value

    def transpose(self, value: ir.Value, permutation: Sequence[int]) -> ir.Value:
        """Turn the axes of a value."""
        held = list(value.shape) if value.shape is not None else None
        shape = tuple(plain_dim(held[axis]) for axis in permutation) if held is not None else None
        return self.add("Transpose", [value], shape=shape, perm=list(permutation))

    def reshape(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """Give a value another shape; -1 stands for what is left."""
        known = tuple(shape) if min(shape, default=0) >= 0 else None
        return self.add("Reshape", [value, self.vector(shape)], shape=known)

    def constant(self, array: Any, dtype: ir.DataType | None = None) -> ir.Value:
        """A constant of the graph, of a type where it is told."""
        held = np.asarray(array)
        held = held.astype(dtype.numpy()) if dtype is not None else held
        value = self.drawing.constant(f"{self.name}/const", held)
        self.initializers.append(value)
        return value

    def vector(self, numbers: Sequence[int]) -> ir.Value:
        """A constant vector of int64, as Reshape and Slice read it."""
        return self.constant(np.array(list(numbers), np.int64).reshape(-1))

    def shape_operand(self, slot: int) -> ir.Value:
        """A slot's integers as ONNX wants a shape: constant where known, else cast to int64."""
        known = self.maybe(slot)
        if known is not None:
            return self.vector([int(number) for number in known.reshape(-1)])
        return self.add("Cast", [self.value(slot)], dtype=ir.DataType.INT64, to=7)

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """The value in another type, itself where it has that already."""
        if value.dtype == dtype:
            return value
        shape = tuple(plain_dim(d) for d in value.shape) if value.shape is not None else None
        return self.add("Cast", [value], shape=shape, dtype=dtype, to=int(dtype))

    def result(self, op: str, inputs: Sequence[ir.Value | None], **settings: Any) -> Results:
        """Add the node that gives the operation's only output."""
        return [self.add(op, inputs, dtype=self.made_dtype(), **settings)]

    def is_alone(self, slot: int) -> bool:
        """Whether only this operation reads what stands in a slot."""
        return self.drawing.is_read_once(self.ref(slot))


def _made(shape: Dims | None, dtype: ir.DataType | None) -> ir.Value:
    return ir.Value(
        shape=ir.Shape(shape) if shape is not None else None,
        type=ir.TensorType(dtype) if dtype is not None else None,
    )


def plain_dim(dim: Any) -> Dim:
    """A dimension of a value as a number, a name, or None."""
    return dim if isinstance(dim, int) else getattr(dim, "value", None)
