"""A network's operations as they are made, with the steps of the edges between them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

from modeldocs.generators import edge_moves, layouts, syntax
from modeldocs.generators.interface import Order
from modeldocs.generators.layouts import Layouts, tensor
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Network
from modeldocs.generators.operation import LoweredOperation, Part
from modeldocs.ir import Operand, Reshape, Step, Transpose
from modeldocs.normal.data_movement import permutations


@dataclass(frozen=True)
class TensorForm:
    """The shape of a tensor in a program, and the steps from there to what normal form has."""

    shape: tuple[int, ...]
    steps: tuple[Step, ...]


@dataclass
class LoweredNetwork:
    """The operations of a network so far, and the members by the parameters that they hold."""

    network: Network
    moves: Moves
    layouts: Layouts = field(default_factory=Layouts)
    operations: list[LoweredOperation] = field(default_factory=list)
    parts: dict[tuple[str, ...], Part] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    """Names for tensors by id, where their reader has some: `query`, `key`, `value`."""
    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    """The id of a tensor after the steps of an edge, by its id before and their code."""

    forms: dict[str, TensorForm] = field(default_factory=dict)
    """Tensors that the program has in another form than normal form, by id."""

    def read(self, operand: Operand, layer: str, order: Order = ()) -> ast.expr:
        """The tensor that an edge leads to, in an order of axes; the steps there are an operation
        of their own.
        """
        source = tensor(operand.value, operand.output)
        steps = self._steps(operand, order)
        return self._moved(source, layer, steps) if steps else syntax.value(source)

    def flattened(self, operand: Operand, layer: str) -> ast.expr:
        """An image as one row for each item of the batch, in the order in which it is held."""
        source = tensor(operand.value, operand.output)
        before = layouts.in_order(self.shapes[source], self.layouts.tensor(source))
        return self._moved(source, layer, [Reshape(before, operand.type.shape)])

    def _moved(self, source: str, layer: str, steps: Sequence[Step]) -> ast.expr:
        return self.step(source, layer, self.moves.moved(syntax.value(source), steps))

    def step(self, source: str, layer: str, expression: ast.expr) -> ast.expr:
        """What an expression makes of a tensor for a layer, as an operation of its own; readers of
        the same share it.
        """
        key = (source, syntax.text(expression))
        if key not in self.moved:
            result = f"{source}~{len(self.moved)}"
            self.operations.append(LoweredOperation(layer, (result,), expression))
            self.moved[key] = result
        return syntax.value(self.moved[key])

    def _steps(self, operand: Operand, order: Order) -> Sequence[Step]:
        """The steps from a tensor, as the program has it, to what is read in an order of axes."""
        source = tensor(operand.value, operand.output)
        held, form = self.layouts.tensor(source), self.forms.get(source)
        if not held and not order and form is None:
            return operand.steps
        before, after = self.shapes[source], operand.type.shape or ()
        steps: list[Step] = [Transpose(permutations.inverse(held))] if held else []
        if form is not None:
            before, steps = form.shape, list(form.steps)
        steps += operand.steps
        if len(after) < len(order):
            steps.append(Reshape(after, (1,) * (len(order) - len(after)) + after))
        if order:
            steps.append(Transpose(order))
        return edge_moves.fewest(layouts.in_order(before, held), steps)

    @functools.cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor in normal form, by its id."""
        graph = self.network.graph
        types = {one.id: one.type for one in graph.inputs} | {
            tensor(layer.id, place): one
            for layer in graph.layers
            for place, one in enumerate(layer.outputs)
        }
        return {
            name: tuple(dim if isinstance(dim, int) else 1 for dim in one.shape or ())
            for name, one in types.items()
        }
