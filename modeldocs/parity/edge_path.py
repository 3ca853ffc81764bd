"""A route: the plumbing that an array goes through from where it is computed to where it is read.

It is followed there and back, with arrays or with recipes of them: weights are put in the order
that a port keeps them in, and inputs in the layout that it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import permutations, plumbing, values
from modeldocs.parity.expression import Values

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One piece of plumbing: a permutation of axes, or (where there is none) another shape."""

    before: Shape
    after: Shape
    permutation: Shape | None = None


@dataclass(frozen=True)
class EdgePath:
    """From `root` to `seen` over `nodes`; `steps` is None where a shape on the way is unknown."""

    root: ir.Value
    target: ir.Value
    nodes: tuple[ir.Node, ...]
    steps: tuple[Step, ...] | None

    @property
    def flattens(self) -> bool:
        """Whether it joins or parts axes of more than one element."""
        reshapes = [step for step in self.steps or () if step.permutation is None]
        return any(squeezed(step.before) != squeezed(step.after) for step in reshapes)

    def forward(self, array: Values) -> Values:
        """The array as it is seen at the end."""
        for step in self.steps or ():
            if step.permutation is not None:
                array = array.transpose(step.permutation)
            else:
                array = array.reshape(step.after)
        return array

    def backward(self, array: Values) -> Values:
        """The array that is seen as this one at the end."""
        for step in reversed(self.steps or ()):
            if step.permutation is not None:
                array = array.transpose(permutations.inverse(step.permutation))
            else:
                array = array.reshape(step.before)
        return array


def squeezed(shape: Shape) -> Shape:
    """A shape without its axes of one element."""
    return tuple(dim for dim in shape if dim != 1)


def path_to(target: ir.Value) -> EdgePath:
    """The route that leads to a value."""
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
