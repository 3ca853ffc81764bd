"""One node of a TensorFlow graph while it is turned into ONNX: what an emitter works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.operation import Operation
from modeldocs.loaders.tensorflow.graph import TensorFlowGraph, UnsupportedError
from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.program import GraphNode, Ref

__all__ = [
    "EMITTERS",
    "Emitter",
    "Outputs",
    "TensorFlowOperation",
    "UnsupportedError",
    "emits",
    "renames",
]

Outputs = Sequence[ir.Value | None]
Emitter = Callable[["TensorFlowOperation"], Outputs]

EMITTERS = Emitters[Emitter]()
emits = EMITTERS.emits
renames = EMITTERS.renames


class TensorFlowOperation(Operation):
    """A node of the source, its inputs, and the ONNX nodes made for it so far.

    `sources` are the nodes that they stand for: with a bias that it took in, more than one.
    """

    domain = "tensorflow"
    needs_rank = False

    def __init__(self, graph: TensorFlowGraph, source: GraphNode) -> None:
        super().__init__(origin.Provenance(name=source.name))
        self.graph = graph
        self.source = source
        self.padding: str | None = None
        self.sources = [source]
        self._main: ir.Node | None = None

    @property
    def kind(self) -> str:
        """The operation's type."""
        return self.source.kind

    def main(self) -> ir.Node | None:
        """The node that bears the operation's name: the one set by `set_main`, else the last."""
        return self._main or (self.nodes[-1] if self.nodes else None)

    def set_main(self, value: ir.Value) -> ir.Value:
        """Let the node that computes a value bear the operation's name."""
        self._main = value.producer()
        return value

    def error(self, reason: str, fix: str) -> UnsupportedError:  # noqa: ARG002
        """The error to raise; the operation then becomes a node of TensorFlow's own domain."""
        return UnsupportedError(reason)

    def ref(self, slot: int) -> Ref:
        """The output that an input slot reads.

        Raises:
            UnsupportedError: there is no such slot.
        """
        count = len(self.source.inputs)
        if slot >= count:
            raise UnsupportedError(f"reads {count} values instead of {slot + 1}")
        return self.source.inputs[slot]

    def input(self, slot: int = 0) -> ir.Value:
        """The tensor in a slot: computed, a parameter, or a constant."""
        return self.graph.value(self.ref(slot))

    def values(self) -> list[ir.Value]:
        """All tensors that the operation reads."""
        return [self.input(slot) for slot in range(len(self.source.inputs))]

    def shape(self, index: int = 0, *, least: int = 0) -> Dims:
        """Dimensions of an input, which must have at least so many.

        Raises:
            UnsupportedError: its rank is not known.
        """
        return self.with_rank(self._known_rank(self.ref(index), "reads"), index, least)

    def output_shape(self, output: int = 0) -> Dims:
        """Dimensions of an output, as TensorFlow infers them.

        Raises:
            UnsupportedError: its rank is not known.
        """
        return self._known_rank((self.name, output), "makes")

    def _known_rank(self, ref: Ref, verb: str) -> Dims:
        shape = self.graph.typed.shape(ref)
        if shape is None:
            raise UnsupportedError(f"{verb} a tensor of unknown rank")
        return shape

    def dtype(self, slot: int) -> ir.DataType:
        """Type of the tensor in a slot."""
        return self._onnx_type(self.ref(slot))

    def output_dtype(self, output: int = 0) -> ir.DataType:
        """Type of an output."""
        return self._onnx_type((self.name, output))

    def _onnx_type(self, ref: Ref) -> ir.DataType:
        dtype = attributes.onnx_type(self.graph.typed.dtype(ref))
        if dtype is None:
            raise UnsupportedError("has a type that ONNX does not have")
        return dtype

    def static(self, slot: int) -> np.ndarray[Any, Any]:
        """The numbers in a slot that must be known beforehand, such as axes.

        Raises:
            UnsupportedError: they depend on the inputs.
        """
        array = self.graph.typed.static(self.ref(slot))
        if array is None:
            raise UnsupportedError("has a setting that another layer computes")
        return array

    def numbers(self, slot: int) -> list[int]:
        """The integers in a slot that must be known beforehand."""
        return [int(number) for number in self.static(slot).reshape(-1)]

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as plain Python, `default` where the node does not set it."""
        if name not in self.source.proto.attr:
            return default
        return attributes.value(self.source.proto.attr[name])

    def flag(self, name: str, *, default: bool = False) -> int:
        """A boolean attribute as ONNX has it: 0 or 1."""
        return int(bool(self.attribute(name, default)))

    def list_attribute(self, name: str) -> list[int]:
        """An attribute that is a list of integers; an empty one where the node does not set it.

        Raises:
            UnsupportedError: it is something else.
        """
        values = self.attribute(name, [])
        if not isinstance(values, list) or not all(type(item) is int for item in values):
            raise UnsupportedError(f"has {name!r} that is no list of integers")
        return values

    def shape_operand(self, slot: int) -> ir.Value:
        """A slot's integers as ONNX wants a shape: constant where known, else cast to int64."""
        array = self.graph.typed.static(self.ref(slot))
        if array is not None:
            return self.integers([int(number) for number in array.reshape(-1)])
        return self.cast(self.input(slot), ir.DataType.INT64)

    def result(self, op: str, inputs: Sequence[ir.Value | None], **settings: Any) -> Outputs:
        """Add the node that computes the operation's only output."""
        shape = self.graph.typed.shape((self.name, 0))
        return [self.node(op, inputs, shape=shape, dtype=self.output_dtype(), **settings)]

    def is_only_reader(self, slot: int) -> bool:
        """Whether no other operation reads what this one reads in a slot."""
        return self.graph.is_read_once(self.ref(slot))

    def opaque(self) -> Outputs:
        """The operation as one node of TensorFlow's own domain."""
        inputs = []
        for ref in self.source.inputs:
            try:
                inputs.append(self.graph.value(ref))
            except UnsupportedError:
                continue  # text, and handles of tables: no tensor of ONNX
        typed = self.graph.typed
        refs = [(self.name, index) for index in range(max(1, typed.count(self.name)))]
        shapes = [typed.shape(ref) for ref in refs]
        dtypes = [attributes.onnx_type(typed.dtype(ref)) for ref in refs]
        plain = attributes.plain(self.source.proto)
        settings = {n: v for n, v in plain.items() if isinstance(v, bool | int | float | str)}
        return self.foreign(self.kind, inputs, shapes, settings, dtypes)
