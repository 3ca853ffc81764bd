"""The path of an edge: the Reshapes and Transposes between a producer and a reader.

Arrays, and expressions of arrays, follow it in both directions: weights into the order in which a
port stores them, inputs into the layout that a layer reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import Dim, Reshape, Transpose, operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import permutations, tracing
from modeldocs.numeric.parity.expression import Values

Shape = tuple[int, ...]

_KEEPING = operators.moving("identity", "cast")
"""Operators on a path that keep every element in its place."""


@dataclass(frozen=True)
class EdgePath:
    """From the value `root` to the value `target`, over `nodes` in that order.

    `steps` are those of the nodes that move elements, with all sizes and permutations known; None
    where one is not. `features` is the axis of `target` along which its reader takes features,
    where that is one axis for its operator; None for others.
    """

    root: ir.Value
    target: ir.Value
    nodes: tuple[ir.Node, ...]
    steps: tuple[Reshape | Transpose, ...] | None
    features: int | None = None

    @property
    def flattens(self) -> bool:
        """Whether it merges or splits axes of more than one element."""
        return any(squeezed(before) != squeezed(after) for before, after in self.reshapes())

    def reshapes(self) -> list[tuple[Shape, Shape]]:
        """The shapes before and after each Reshape."""
        reshapes = (step for step in self.steps or () if isinstance(step, Reshape))
        return [(_sizes(step.before), _sizes(step.after)) for step in reshapes]

    def forward(self, array: Values) -> Values:
        """The array at `target`, given the one at `root`."""
        for step in self.steps or ():
            if isinstance(step, Transpose):
                array = array.transpose(_permutation(step))
            else:
                array = array.reshape(_sizes(step.after))
        return array

    def backward(self, array: Values) -> Values:
        """The array at `root`, given the one at `target`."""
        for step in reversed(self.steps or ()):
            if isinstance(step, Transpose):
                array = array.transpose(permutations.inverse(_permutation(step)))
            else:
                array = array.reshape(_sizes(step.before))
        return array


def squeezed(shape: Shape) -> Shape:
    """A shape without its axes of size one."""
    return tuple(dim for dim in shape if dim != 1)


def path_to(target: ir.Value) -> EdgePath:
    """The longest path that ends in a value."""
    nodes: list[ir.Node] = []
    value = target
    node = value.producer()
    while node is not None and tracing.is_move(node):
        source = node.inputs[0]
        if source is None:
            break
        nodes.append(node)
        value, node = source, source.producer()
    nodes.reverse()
    moving = [node for node in nodes if not values.is_operator(node, *_KEEPING)]
    steps = [_step(node) for node in moving]
    known = tuple(step for step in steps if step is not None)
    return EdgePath(value, target, tuple(nodes), known if len(known) == len(steps) else None)


def _step(node: ir.Node) -> Reshape | Transpose | None:
    """The step of a node; None where a shape or the permutation is unknown."""
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    if before is None or after is None:
        return None
    if not values.is_operator(node, "Transpose"):
        return Reshape(before=before, after=after)
    permutation = permutations.of_node(node)
    return Transpose(permutation=permutation) if permutation is not None else None


def _sizes(shape: tuple[Dim, ...] | None) -> Shape:
    """A shape of a path's step, whose sizes are all known."""
    return tuple(size for size in shape or () if isinstance(size, int))


def _permutation(step: Transpose) -> Shape:
    """The permutation of a path's Transpose, which is known."""
    assert step.permutation is not None
    return step.permutation
