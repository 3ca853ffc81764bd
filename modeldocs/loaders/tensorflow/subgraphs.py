"""A function's operations drawn as a graph within the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.tensorflow import attributes, inference, inlining
from modeldocs.loaders.tensorflow.drawing import read
from modeldocs.loaders.tensorflow.emission import Emission, UnsupportedError
from modeldocs.loaders.tensorflow.parameters import Parameters
from modeldocs.loaders.tensorflow.program import Operation, Ref
from modeldocs.loaders.tensorflow.typing import Typed


@dataclass(frozen=True)
class Argument:
    """What a function is given: a value with its shape and type, or the variable that it is."""

    value: ir.Value | None
    holder: Operation | None
    shape: tuple[Dim, ...] | None
    dtype: int

    def inside(self, emission: Emission, slot: int) -> Argument:
        """The same as the body of a loop is given it: another value in every round."""
        if self.value is None:
            return self
        shape = emission.drawing.typed.shape((emission.name, slot))
        value = ir.Value(
            name=emission.drawing.names.unique(f"{emission.name}/{slot}"),
            shape=ir.Shape(shape) if shape is not None else None,
            type=ir.TensorType(emission.made_dtype(slot)),
        )
        return Argument(value, None, shape, self.dtype)

    def then(self, value: ir.Value | None) -> Argument:
        """The same after a round."""
        return self if self.value is None else Argument(value, None, self.shape, self.dtype)


class Subgraph:
    """A function drawn on given arguments, under names that nothing else has."""

    def __init__(self, emission: Emission, function: str, arguments: Sequence[Argument]) -> None:
        outer = emission.drawing
        self.outer = outer
        self.name = f"{emission.name}/{function}"
        refs: list[Ref] = []
        held: dict[str, Operation] = {}
        for index, argument in enumerate(arguments):
            operation = argument.holder or _placeholder(emission, index, argument)
            held[operation.name] = operation
            refs.append((operation.name, 0))
        flat = inlining.inline_function(outer.program, function, refs, held)
        inference.prepare(outer.program, flat)
        self.flat = flat
        shapes = {
            refs[index][0]: argument.shape
            for index, argument in enumerate(arguments)
            if argument.holder is None and refs[index][0] in flat.operations
        }
        typed = Typed(outer.program, flat, shapes)
        self.drawing = outer.within(typed, Parameters.within(outer.parameters, typed))
        for ref, argument in zip(refs, arguments, strict=True):
            if argument.value is not None:
                self.drawing.values[ref] = argument.value
        self.drawing.draw()
        self._outputs: list[ir.Value | None] = []

    def outputs(self) -> list[ir.Value]:
        """The values that the function returns; for a variable what stands for it in the loop."""
        if not self._outputs:
            for ref in self.flat.outputs:
                holder = self.drawing.parameters.holder(ref)
                is_handle = attributes.onnx_type(self.drawing.typed.dtype(ref)) is None
                self._outputs.append(None if holder and is_handle else self.drawing.value(ref))
        return self._outputs  # type: ignore[return-value]

    def nodes(self) -> list[ir.Node]:
        """The nodes, for a graph that they stand in without one of their own."""
        return self.drawing.nodes

    def graph(
        self,
        inputs: Sequence[ir.Value | None],
        outputs: Sequence[ir.Value | None],
        name: str,
        then: Subgraph | None = None,
    ) -> ir.Graph:
        """The nodes, and those of `then` after them, as a graph."""
        nodes = [*self.drawing.nodes, *(then.drawing.nodes if then is not None else [])]
        own = {id(node) for node in nodes}
        ends: list[ir.Value] = []
        for value in outputs:
            if value is None:
                raise UnsupportedError("returns what is no tensor")
            if id(value.producer()) not in own or any(value is end for end in ends):
                node = ir.node("Identity", [value], name=f"{name}/Identity")
                made = node.outputs[0]
                made.shape, made.type = value.shape, value.type
                made.name = self.outer.names.unique(f"{name}/Identity")
                nodes.append(node)
                value = made
            ends.append(value)
        held = [value for value in inputs if value is not None]
        return ir.Graph(held, ends, nodes=read(nodes, ends), name=name)


def _placeholder(emission: Emission, index: int, argument: Argument) -> Operation:
    proto = type(emission.operation.proto)()
    proto.name, proto.op = f"{emission.name}/argument_{index}", "Placeholder"
    proto.attr["dtype"].type = argument.dtype
    return Operation(proto.name, "Placeholder", [], proto)
