"""A layer at its place in the network, as a target's table sees it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.generators import edge_moves, layouts, syntax
from modeldocs.generators.cuts import cuts
from modeldocs.generators.interface import Order
from modeldocs.generators.layouts import tensor
from modeldocs.generators.literals import shortest
from modeldocs.generators.lowered import LoweredNetwork, TensorForm
from modeldocs.generators.network import Array, constant
from modeldocs.generators.no_program import NoProgramError
from modeldocs.generators.operation import HeldWeight, Part
from modeldocs.ir import Attribute, Layer, Operand, Reshape, TensorType, operators
from modeldocs.ir.operators import operands
from modeldocs.normal import types, values
from modeldocs.normal.data_movement import tracing


@dataclass(frozen=True)
class WeightSlot:
    """The slot of an operand that a member holds as a weight, and how: see `HeldWeight`."""

    slot: int
    axes: tuple[int, ...] = ()
    order: Order = ()
    columns: tuple[int, int] | None = None
    summed: int = 1
    gates: tuple[int, ...] = ()


@dataclass
class Site:
    """A layer, and what it reads. Its methods make the expressions of its operands and members."""

    layer: Layer
    lowered: LoweredNetwork
    parts: list[Part] = field(default_factory=list)
    alone: ast.expr | None = None
    """A member that computes the same from one tensor; see `LoweredOperation`."""
    results: tuple[str, ...] = ()
    """The tensors of the expression, where these are not all outputs of the layer."""

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The layer's attributes, in normal form."""
        return self.layer.attributes

    @property
    def order(self) -> Order:
        """The order of axes in which the layer computes; () is that of normal form."""
        return self.lowered.layouts.layer(self.layer.id)

    def place(self, axis: int) -> int:
        """The axis of the program that is an axis of normal form's, counted from the front."""
        order = self.order or tuple(range(len(self.shape(0))))
        return order.index(axis % len(order))

    def unsupported(self, reason: str) -> NoProgramError:
        """The error for a layer that the target cannot compute."""
        return NoProgramError.of(self.layer, reason)

    def value(self, slot: int) -> ir.Value | None:
        """The value in a slot of the layer's node; None where there is none."""
        return self.lowered.network.operand(self.layer.id, slot)

    def has(self, slot: int) -> bool:
        """Whether the layer has an operand in a slot."""
        return self.value(slot) is not None

    def transposes(self, slot: int) -> bool:
        """Whether a matrix product transposes its left or right operand."""
        node = self.lowered.network.nodes[self.layer.id]
        return bool(values.attribute(node, ("transA", "transB")[slot], 0))

    def shape(self, slot: int) -> tuple[int, ...]:
        """The shape of an operand as the layer reads it.

        Raises:
            NoProgramError: a dimension is unknown.
        """
        shape = values.shape(self.value(slot))
        if shape is None:
            raise self.unsupported("the size of what it reads is not known")
        return shape

    def edge(self, slot: int) -> Operand | None:
        """The edge into a slot; None where the operand is a parameter, a constant or missing."""
        return next((one for one in self.layer.inputs if one.slot == slot), None)

    def data(self, slot: int = 0) -> ast.expr:
        """The tensor that the layer reads in a slot.

        Raises:
            NoProgramError: the target cannot write it.
        """
        return self.reordered(slot, self.order)

    def reordered(self, slot: int, order: Order) -> ast.expr:
        """The tensor that the layer reads in a slot, with its axes in another order."""
        edge = self.edge(slot)
        if edge is not None:
            return self.lowered.read(edge, self.layer.id, order)
        array = self.array(slot)
        if array is not None:
            written = self.lowered.moves.constant(array.transpose(order) if order else array)
            return self.lowered.moves.fed(written, self._beside())
        if order != self.order:
            raise self.unsupported(f"its operand {slot + 1} is not computed")
        return self.parameter(slot)

    def without_axis(self, axis: int) -> ast.expr | None:
        """The tensor that the layer reads first, without an axis of size 1; None for others."""
        edge, shape = self.edge(0), self.shape(0)
        axis %= len(shape)
        if edge is None or self.order or shape[axis] != 1:
            return None
        after = (*shape[:axis], *shape[axis + 1 :])
        kind = TensorType(after, edge.type.dtype)
        source = self.lowered.shapes[tensor(edge.value, edge.output)]
        steps = tuple(edge_moves.fewest(source, [*edge.steps, Reshape(shape, after)]))
        return self.lowered.read(
            msgspec.structs.replace(edge, steps=steps, type=kind), self.layer.id
        )

    def used_outputs(self) -> list[int]:
        """The places of the outputs that something reads."""
        graph = self.lowered.network.graph
        edges = [edge for layer in graph.layers for edge in layer.inputs]
        edges += [one.source for one in graph.outputs]
        return sorted({edge.output for edge in edges if edge.value == self.layer.id})

    def gives(self, *outputs: tuple[int, TensorForm | None]) -> None:
        """Say which outputs the expression has, by their places, and in which form each."""
        self.results = tuple(tensor(self.layer.id, place) for place, _ in outputs)
        for name, (_, form) in zip(self.results, outputs, strict=True):
            if form is not None:
                self.lowered.forms[name] = form

    def before(self, expression: ast.expr) -> ast.expr:
        """What is made of one tensor before the layer reads it, as an operation of its own."""
        (source,) = set(syntax.values_of(expression))
        return self.lowered.step(source, self.layer.id, expression)

    def call_operands(self, *names: str) -> None:
        """Give names to the tensors in the first slots."""
        for slot, name in enumerate(names):
            edge = self.edge(slot)
            if edge is not None:
                self.lowered.variables.setdefault(tensor(edge.value, edge.output), name)

    def rows(self) -> ast.expr:
        """The rows that a product with a weight reads.

        Those of an image are in the program's own order of axes, and the weight in the same.
        """
        edge = self.edge(0)
        image = self._flattened_image()
        return self.lowered.flattened(edge, self.layer.id) if edge and image else self.data()

    def row_axes(self) -> tuple[tuple[int, ...], Order]:
        """The sizes of the axes that `rows` flattens in normal form, without that of the batch, and
        their order in the program: both are () where it does not flatten an image.
        """
        image = self._flattened_image()
        if image is None:
            return (), ()
        sizes, order = image
        return sizes[1:], tuple(axis - 1 for axis in order[1:])

    def _flattened_image(self) -> tuple[tuple[int, ...], Order] | None:
        """The shape of the image that the layer reads as rows, and its order of axes; None where it
        reads anything else.
        """
        edge = self.edge(0)
        if edge is None or len(edge.steps) != 1:
            return None
        source = tensor(edge.value, edge.output)
        held = self.lowered.layouts.tensor(source)
        (step,) = edge.steps
        is_flattened = isinstance(step, Reshape) and len(step.after or ()) == 2
        return (self.lowered.shapes[source], held) if held and is_flattened else None

    def normal_operand(self, slot: int) -> ast.expr:
        """The operand in a slot in the order of normal form, whatever that of the layer."""
        edge = self.edge(slot)
        if edge is not None:
            return self.lowered.read(edge, self.layer.id)
        array = self.array(slot)
        return self.parameter(slot) if array is None else self.lowered.moves.constant(array)

    def operand(self, slot: int) -> ast.expr:
        """The operand in a slot: a tensor, a parameter, or a constant."""
        if self.edge(slot) is not None:
            return self.data(slot)
        array = self.array(slot)
        if array is not None:
            if array.size == 1 and array.ndim == 0:
                return syntax.literal(_number(array))
            return self._constant(array)
        return self.parameter(slot)

    def _constant(self, array: Array) -> ast.expr:
        """A constant in the order in which the layer computes."""
        if self.order:
            full = array.reshape((1,) * (len(self.order) - array.ndim) + array.shape)
            array = full.transpose(self.order)
            while array.ndim > 1 and array.shape[0] == 1:
                array = array[0]
        return self.lowered.moves.constant(array)

    def array(self, slot: int) -> Array | None:
        """The values of a constant operand; None where it is none."""
        return constant(self.value(slot))

    def number(self, slot: int) -> float | int | None:
        """The number of a constant operand of one element; None where it is none."""
        array = self.array(slot)
        return _number(array) if array is not None and array.size == 1 else None

    def integers(self, slot: int) -> tuple[int, ...] | None:
        """The values of a constant operand, as integers; None where it is none."""
        array = self.array(slot)
        return None if array is None else tuple(int(item) for item in array.reshape(-1))

    def has_parameter(self, slot: int) -> bool:
        """Whether the operand in a slot is made of parameters."""
        return bool(self._parameter_names(slot))

    def _parameter_names(self, slot: int) -> tuple[str, ...]:
        value = self.value(slot)
        found = self.lowered.network.parameters(value) if value is not None else ()
        return tuple(str(one.name) for one in found)

    def sharers(self, slot: int) -> set[str]:
        """The operators of the other layers that read the same parameters as this layer there."""
        names = set(self._parameter_names(slot))
        return {
            layer.operator
            for layer in self.lowered.network.graph.layers
            if layer is not self.layer and names.intersection(p.name for p in layer.parameters)
        }

    def member(self, constructor: ast.expr, **weights: int | WeightSlot) -> ast.expr:
        """A member that holds the parameters in the given slots, by the names that it has for them.

        The same parameters in a member of the same settings are the same member.
        """
        held: dict[str, HeldWeight] = {}
        for name, own in weights.items():
            one = own if isinstance(own, WeightSlot) else WeightSlot(own)
            value, names = self.value(one.slot), self._parameter_names(one.slot)
            if value is not None and names:
                held[name] = HeldWeight(
                    " + ".join(names),
                    str(value.name),
                    one.axes,
                    one.order,
                    one.columns,
                    one.summed,
                    one.gates,
                )
            elif value is not None and not self._is_neutral(one.slot):
                raise self.unsupported(f"its {name} has values that are not learned")
        sources = [one.source for one in held.values()] or [self.layer.name]
        key = (syntax.text(constructor), *sources)
        if key not in self.lowered.parts:
            self.lowered.parts[key] = Part(self.layer.id, constructor, self.layer.name, held)
        return self.use(self.lowered.parts[key])

    def _is_neutral(self, slot: int) -> bool:
        """Whether a constant operand is that with which a layer of a framework starts: a bias of 0,
        a scale of 1.
        """
        array = self.array(slot)
        neutral = {"bias": 0, "scale": 1, "B": 0, "mean": 0, "var": 1}
        role = operands.role(self.layer.operator, slot)
        return array is not None and role in neutral and bool((array == neutral[role]).all())

    def has_bias(self, slot: int) -> bool:
        """Whether the layer adds something: an operand that is not 0 everywhere."""
        return self.has(slot) and not (self.array(slot) is not None and self._is_neutral(slot))

    def parameter(self, slot: int) -> ast.expr:
        """A parameter that is an operand by itself, as far as it is read.

        Raises:
            NoProgramError: the operand is something else.
        """
        value = self.value(slot)
        if value is None or not self._parameter_names(slot):
            raise self.unsupported(f"its operand {slot + 1} has values that are not known")
        return self._parameter(value, slot)

    def _parameter(self, value: ir.Value, slot: int) -> ast.expr:
        """A parameter in the shape in which it is read; one that is cut is kept whole."""
        root = tracing.trace(value).root
        node = root.producer()
        is_expanded = values.is_operator(node, "Expand") and root is value
        if is_expanded and node is not None and operators.of(self.layer.operator).broadcasting:
            assert node.inputs[0] is not None
            return self._parameter(node.inputs[0], slot)  # the reader stretches it, too
        cut = cuts(node) if node is not None and values.is_operator(node, "Slice") else None
        if cut is not None and node is not None and node.inputs[0] is not None:
            whole = self._parameter(node.inputs[0], slot)
            part = self.lowered.moves.sliced(whole, cut)
            steps = tracing.trace(value).steps
            edge = Operand(slot, "", types.tensor_type(value), steps=steps)
            return self.lowered.moves.moved(part, edge.steps)
        names = tuple(str(one.name) for one in self.lowered.network.parameters(value))
        shape = values.shape(value)
        if shape is None:
            raise self.unsupported("the size of a parameter is not known")
        axes = (1,) * (len(self.order) - len(shape)) + shape
        trainable = any(one.trainable for one in self.layer.parameters if one.name in names)
        constructor = self.lowered.moves.parameter(
            layouts.in_order(shape, self.order), trainable=trainable
        )
        key = (syntax.text(constructor), *names)
        if key not in self.lowered.parts:
            weight = HeldWeight(" + ".join(names), str(value.name), axes, self.order)
            self.lowered.parts[key] = Part(
                f"{self.layer.id}/{slot}", constructor, names[0], {"": weight}
            )
        return self.lowered.moves.held(self.use(self.lowered.parts[key]), self._beside())

    def _beside(self) -> ast.expr:
        """A computed tensor that the layer reads, else an input of the network."""
        edge = next(iter(self.layer.inputs), None)
        own = tensor(edge.value, edge.output) if edge is not None else None
        return syntax.value(own or self.lowered.network.graph.inputs[0].id)

    def holders(self, slot: int) -> list[Part]:
        """The members so far that hold the parameters in a slot as they are."""
        source = " + ".join(self._parameter_names(slot))
        return [
            part
            for part in self.lowered.parts.values()
            if any(one.source == source and not one.order for one in part.weights.values())
        ]

    def use(self, one: Part) -> ast.expr:
        """A member that another layer has, too."""
        if one not in self.parts:
            self.parts.append(one)
        return syntax.part(one.key)


def _number(array: Array) -> float | int:
    """The number of an array of one element."""
    number: float | int = array.reshape(-1)[0].item()
    return shortest(number) if array.dtype == np.float32 else number


Lowering = Callable[[Site], ast.expr]
"""What a target's table has for an operator: the expression of a layer's outputs."""
