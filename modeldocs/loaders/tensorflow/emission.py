"""An operation while it is turned into ONNX nodes: what an emitter works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Dim, origin
from modeldocs.loaders.emission.builder import Builder
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


class Emission(Builder):
    """One operation, its inputs, and the nodes made for it so far."""

    domain = DOMAIN
    needs_rank = False

    def __init__(self, drawing: Drawing, operation: Operation) -> None:
        super().__init__(origin.Provenance(name=operation.name))
        self.drawing = drawing
        self.operation = operation
        self.padding: str | None = None
        self.operations = [operation]
        self._main: ir.Node | None = None

    def main(self) -> ir.Node | None:
        """The node that bears the operation's name: the one that was told, else the last."""
        return self._main or (self.nodes[-1] if self.nodes else None)

    def error(self, reason: str, fix: str) -> UnsupportedError:  # noqa: ARG002
        """The error to raise: the operation is then drawn as it is."""
        return UnsupportedError(reason)

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

    def listed(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers.

        Raises:
            UnsupportedError: it is something else.
        """
        found = self.attribute(name, list(default))
        if not isinstance(found, list) or not all(type(item) is int for item in found):
            raise UnsupportedError(f"has {name!r} that is no list of integers")
        return found

    def is_main(self, value: ir.Value) -> ir.Value:
        """Let the node that makes a value bear the operation's name."""
        self._main = value.producer()
        return value

    def shape_operand(self, slot: int) -> ir.Value:
        """A slot's integers as ONNX wants a shape: constant where known, else cast to int64."""
        known = self.maybe(slot)
        if known is not None:
            return self.integers([int(number) for number in known.reshape(-1)])
        return self.cast(self.value(slot), ir.DataType.INT64)

    def result(self, op: str, inputs: Sequence[ir.Value | None], **settings: Any) -> Results:
        """Add the node that gives the operation's only output."""
        shape = self.drawing.typed.shape((self.name, 0))
        return [self.node(op, inputs, shape=shape, dtype=self.made_dtype(), **settings)]

    def is_alone(self, slot: int) -> bool:
        """Whether only this operation reads what stands in a slot."""
        return self.drawing.is_read_once(self.ref(slot))
