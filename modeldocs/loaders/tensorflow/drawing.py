"""The operations of a graph drawn as ONNX nodes, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import Names
from modeldocs.loaders.tensorflow import attributes, constants, opaque, parameters
from modeldocs.loaders.tensorflow.emission import (
    EMITTERS,
    Emission,
    Results,
    UnsupportedError,
)
from modeldocs.loaders.tensorflow.program import HANDLES, Operation, Program, Ref
from modeldocs.loaders.tensorflow.typing import SOURCES, Typed

PASSING = (
    *constants.THROUGH, "PlaceholderWithDefault", "ReadVariableOp", "DisableCopyOnRead",
    "RefIdentity", "Enter", "PlaceholderV2WithDefault",
)  # fmt: skip
"""Plumbing: the output is the first input, and no node is drawn."""

_RESHAPES = ("Reshape", "Squeeze", "ExpandDims", "Cast")


class Drawing:
    """The nodes so far, and the value that each output of an operation became."""

    def __init__(
        self, program: Program, typed: Typed, held: parameters.Parameters, names: Names
    ) -> None:
        self.program = program
        self.typed = typed
        self.parameters = held
        self.names = names
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.values: dict[Ref, ir.Value] = {}
        self.opaque: dict[str, list[str]] = {}
        self._readers = typed.flat.readers()
        self.drawn: dict[str, Emission] = {}

    def within(self, typed: Typed, held: parameters.Parameters) -> Drawing:
        """A drawing of a graph within this one: constants and names are this one's."""
        made = Drawing(self.program, typed, held, self.names)
        made.initializers, made.opaque = self.initializers, self.opaque
        return made

    def draw(self) -> None:
        """Draw every operation that is not a source, a constant, a parameter, or known ahead."""
        for operation in self.typed.flat.operations.values():
            if not self._is_known(operation):
                self._draw(operation)

    def _is_known(self, operation: Operation) -> bool:
        if operation.kind in (*SOURCES, *HANDLES, *PASSING, "Const") and not operation.settings:
            return True
        return (
            self.typed.count(operation.name) == 1
            and self.typed.static((operation.name, 0)) is not None
        )

    def _draw(self, operation: Operation) -> None:
        emission = Emission(self, operation)
        try:
            results = _emitter(operation)(emission)
        except UnsupportedError as reason:
            emission = Emission(self, operation)
            results = opaque.draw(emission)
            told = str(reason).removeprefix(f"{operation.kind} ")
            self.opaque.setdefault(f"{operation.kind} {told}", []).append(operation.name)
        self._keep(emission, results)

    def _keep(self, emission: Emission, results: Results) -> None:
        operation = emission.operation
        for index, value in enumerate(results):
            if value is None:
                continue
            ref = (operation.name, index)
            self.values[ref] = value
            if value.name is None:
                value.name = self.names.unique(f"{ref[0]}:{index}" if index else ref[0])
            self._type(value, ref)
        operations = [*emission.operations, *self._placed_elsewhere(emission.operations)]
        merged = self._provenance(operations, emission.padding)
        for node in emission.nodes:
            node.name = merged.name
            if node is not emission.main():
                node.name += f"/{node.op_type}"
            origin.attach(node, merged)
            for value in node.outputs:
                value.name = value.name or self.names.unique(f"{operation.name}/{node.op_type}")
        for value in emission.initializers:
            value.name = value.name and self.names.unique(value.name)
        self.nodes += emission.nodes
        self.drawn[operation.name] = emission
        self.initializers += emission.initializers

    def _placed_elsewhere(self, operations: Sequence[Operation]) -> list[Operation]:
        """Variables that some operations read and that the source puts on a device of their own."""
        found: list[Operation] = []
        for operation in operations:
            for ref in operation.inputs:
                held = self.parameters.holder(ref)
                if held is not None and held.proto.device and held not in found:
                    found.append(held)
        return found

    def _type(self, value: ir.Value, ref: Ref) -> None:
        shape, dtype = self.typed.shape(ref), attributes.onnx_type(self.typed.dtype(ref))
        if shape is not None:
            value.shape = ir.Shape(shape)
        if dtype is not None:
            value.type = ir.TensorType(dtype)

    def value(self, ref: Ref) -> ir.Value:
        """The tensor that an output is."""
        followed = self._followed(ref)
        held = self.values.get(followed)
        if held is None:
            held = self.parameters.value(self, followed)
        if held is None:
            array = self.typed.static(followed)
            if array is None:
                raise UnsupportedError(f"reads {ref[0]!r}, which gives no tensor")
            held = self.constant(followed[0], array)
            self.initializers.append(held)
        self.values[followed] = held
        return held

    def _followed(self, ref: Ref) -> Ref:
        """Past plumbing that renames."""
        while ref not in self.values:
            operation = self.typed.flat.operations.get(ref[0])
            if operation is None or operation.kind not in PASSING or not operation.inputs:
                break
            if operation.settings:
                break
            ref = operation.inputs[0]
        return ref

    def constant(self, name: str, array: np.ndarray[Any, Any]) -> ir.Value:
        """A constant, which is no parameter.

        Raises:
            UnsupportedError: ONNX has no such type.
        """
        if array.dtype.kind in "OSU":
            raise UnsupportedError("reads text")
        try:
            return onnx_model.constant(array, self.names.unique(name))
        except (TypeError, ValueError):
            raise UnsupportedError(f"reads a constant of {array.dtype}") from None

    def is_read_once(self, ref: Ref) -> bool:
        """Whether one operation alone reads an output."""
        return len(self._readers.get(ref, ())) == 1 and ref not in self.typed.flat.outputs

    def is_parameter(self, ref: Ref) -> bool:
        """Whether an output is a parameter, at most in another shape."""
        for _ in range(16):
            if self.parameters.holds(ref):
                return True
            operation = self.producer(ref)
            if operation is None or operation.kind not in (*PASSING, *_RESHAPES):
                return False
            if not operation.inputs or operation.settings:
                return False
            ref = operation.inputs[0]
        return False

    def producer(self, ref: Ref) -> Operation | None:
        """The operation that an output is of."""
        return self.typed.flat.operations.get(ref[0])

    def _provenance(
        self, operations: Sequence[Operation], padding: str | None
    ) -> origin.Provenance:
        return origin.Provenance(
            origins=tuple(self._origin(operation) for operation in operations),
            modules=_modules(operations[0].name),
            padding=padding,
            name=operations[0].name,
        )

    def _origin(self, operation: Operation) -> Origin:
        file, line = self.program.places.get(operation.proto.name, (self.program.file, None))
        return Origin(
            operator=operation.kind,
            name=operation.name,
            attributes=attributes.plain(operation.proto),
            file=file,
            line=line,
            device=operation.proto.device or None,
        )

    def take_out(self, old: Sequence[ir.Node]) -> None:
        """Take out nodes that others are drawn in place of."""
        gone = {id(node) for node in old}
        self.nodes = [node for node in self.nodes if id(node) not in gone]
        for node in old:
            for slot in range(len(node.inputs)):
                node.replace_input_with(slot, None)


def read(nodes: Sequence[ir.Node], outputs: Sequence[ir.Value]) -> list[ir.Node]:
    """Those nodes that something reads; the others let go of what they read.

    A node that made a shape known ahead, say, is not needed any more.
    """
    kept: list[ir.Node] = []
    leaving = {id(value) for value in outputs}
    for node in reversed(nodes):
        if any(value.uses() or id(value) in leaving for value in node.outputs):
            kept.append(node)
        else:
            for slot in range(len(node.inputs)):
                node.replace_input_with(slot, None)
    return kept[::-1]


def _modules(name: str) -> tuple[Module, ...]:
    """Name scopes, outermost first."""
    parts = name.split("/")[:-1]
    return tuple(Module(path="/".join(parts[: end + 1])) for end in range(min(len(parts), 50)))


def _emitter(operation: Operation) -> Any:
    if operation.settings:
        return EMITTERS["modeldocs.dropout"]
    return EMITTERS.get(operation.kind, _unknown)


def _unknown(emission: Emission) -> Results:
    raise UnsupportedError(f"{emission.operation.kind} has no counterpart in ONNX")
