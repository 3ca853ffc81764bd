"""The path of an edge: Reshape, Transpose and the like between a producer and a reader.

Arrays, and expressions of arrays, follow it in both directions: weights into the order in which a
port stores them, inputs into the layout that it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import permutations, plumbing, values
from modeldocs.parity.expression import Values

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One operator on a path: a permutation of axes or, where it has none, another shape.

    Unlike the steps of a layer graph, it always has both shapes, as numbers.
    """

    before: Shape
    after: Shape
    permutation: Shape | None = None


@dataclass(frozen=True)
class EdgePath:
    """From the value `root` to the value `target`, over `nodes` in that order.

    `steps` is None where a shape on the way is unknown.
    """

    root: ir.Value
    target: ir.Value
    nodes: tuple[ir.Node, ...]
    steps: tuple[Step, ...] | None

    @property
    def flattens(self) -> bool:
        """Whether it merges or splits axes of more than one element."""
        reshapes = [step for step in self.steps or () if step.permutation is None]
        return any(squeezed(step.before) != squeezed(step.after) for step in reshapes)

    def forward(self, array: Values) -> Values:
        """The array at `target`, given the one at `root`."""
        for step in self.steps or ():
            if step.permutation is not None:
                array = array.transpose(step.permutation)
            else:
                array = array.reshape(step.after)
        return array

    def backward(self, array: Values) -> Values:
        """The array at `root`, given the one at `target`."""
        for step in reversed(self.steps or ()):
            if step.permutation is not None:
                array = array.transpose(permutations.inverse(step.permutation))
            else:
                array = array.reshape(step.before)
        return array


def squeezed(shape: Shape) -> Shape:
    """A shape without its axes of size one."""
    return tuple(dim for dim in shape if dim != 1)


def path_to(target: ir.Value) -> EdgePath:
    """The longest path that ends in a value."""
    nodes: list[ir.Node] = []
    value = target
    node = value.producer()
    while node is not None and values.is_operator(node, *plumbing.MOVES):
        source = node.inputs[0]
        if source is None:
            break
        nodes.append(node)
        value, node = source, source.producer()
    nodes.reverse()
    steps = [_step(moving) for moving in nodes]
    known = tuple(step for step in steps if step is not None)
    return EdgePath(value, target, tuple(nodes), known if len(known) == len(steps) else None)


def _step(node: ir.Node) -> Step | None:
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    if before is None or after is None:
        return None
    if not values.is_operator(node, "Transpose"):
        return Step(before, after)
    permutation = permutations.of_node(node)
    return Step(before, after, permutation) if permutation is not None else None
