"""The kind of a node: its function, and its own label at each level of strictness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from modeldocs.diff.function.canonical_op import INPUT, CanonicalOp, canonical_op
from modeldocs.diff.function.windows import input_shape, output_shape
from modeldocs.diff.indexing.weisfeiler_lehman import number
from modeldocs.ir import Dim, GraphInput, Layer, operators
from modeldocs.ir.operators import family

EXACT, SHAPE, WEIGHT, OPERATOR, ANCHOR_WEIGHT, ANCHOR_CHANNELS, ANCHOR_FAMILY = range(7)
"""The levels, each with the labels that are equal there.

Of all nodes: everything; operator and output shape; operator, channels and weight; operator alone.
Of anchor operators, in whatever slots their operands stand: channels and weight; the channels that
they make; the family of operators alone.
"""

LAYER_LEVELS: Final = (EXACT, SHAPE, WEIGHT, OPERATOR)
ANCHOR_LEVELS: Final = (ANCHOR_WEIGHT, ANCHOR_CHANNELS, ANCHOR_FAMILY)
LEVEL_NAMES: Final = (
    "operator, attributes, parameters and shape",
    "operator and shape",
    "operator, channels and weight",
    "operator",
    "weights of the groups of layers",
    "output channels of the groups of layers",
    "operators of the groups of layers",
)
"""The levels as text in the reasons of matches."""

RADII: Final = (4, 4, 4, 2, 8, 8, 1)
"""The radius of the largest neighbourhood that is labelled at each level. With half of each,
7 diffs of tests/diff change and 2 of the catalog, with twice each 8 and 2: a neighbourhood must be
wide to be unique, and narrow to be without a change."""

Label = tuple[Any, ...]


@dataclass
class NodeKind:
    """A node by itself: its function, its label at each level, and its shapes.

    `reads` and `makes` are the shapes of its first operand and output, None where unknown.
    """

    op: CanonicalOp
    labels: tuple[Label, ...]
    reads: tuple[Dim, ...] | None
    makes: tuple[Dim, ...] | None

    @cached_property
    def label_digests(self) -> tuple[int, ...]:
        """The digest of each label."""
        return tuple(number((level, label)) for level, label in enumerate(self.labels))

    @cached_property
    def is_epilogue(self) -> bool:
        """Whether it works element by element or channel by channel on its first operand.

        Such a layer (an activation, a norm, a bias) belongs to the operator before it.
        """
        if operators.of(self.op.operator).windowed or self.op.operator == INPUT:
            return False
        if any(sum(dim > 1 for dim in shape) > 1 for _, shape in self.op.parameters):
            return False
        return self.reads is None or self.makes is None or self.reads == self.makes


class NodeKinds:
    """The kinds of two graphs; layers that are the same by themselves share one."""

    def __init__(self) -> None:
        self._known: dict[object, NodeKind] = {}

    def of_input(self, entry: GraphInput, batch: Dim) -> NodeKind:
        """The kind of an input of a graph whose batch size is `batch`."""
        return _kind(CanonicalOp(INPUT, (), (), ()), None, entry.type.shape, batch)

    def of_layer(self, layer: Layer, batch: Dim, bodies: Label = ()) -> NodeKind:
        """The kind of a layer of such a graph; `bodies` are fingerprints of the graphs inside."""
        shapes = input_shape(layer), output_shape(layer)
        learned = [(parameter.role, parameter.shape) for parameter in layer.parameters]
        attributes = repr(layer.attributes) if layer.attributes else ""
        key = (batch, layer.operator, attributes, *shapes, *learned, *bodies)
        kind = self._known.get(key)
        if kind is None:
            kind = self._known[key] = _kind(canonical_op(layer), *shapes, batch, bodies)
        return kind


def _kind(
    op: CanonicalOp,
    reads: tuple[Dim, ...] | None,
    makes: tuple[Dim, ...] | None,
    batch: Dim,
    bodies: Label = (),
) -> NodeKind:
    (exact, *labels) = _labels(op, makes, batch)
    return NodeKind(op, ((*exact, *bodies), *labels), reads, makes)


def _labels(op: CanonicalOp, shape: tuple[Dim, ...] | None, batch: Dim) -> tuple[Label, ...]:
    """The label of a layer at each level; `shape` is that of its first output."""
    sizes = _without_batch(shape, batch)
    weight = _ungrouped_weight(op)
    channels = None if op.operator == INPUT else _channels(shape)
    name = op.operator if weight else _family(op.operator)
    return (
        (op.operator, sizes, op.parameters, op.attributes),
        (op.operator, sizes),
        (op.operator, channels, weight),
        (op.operator,),
        (name, channels, weight),
        (name, channels, weight[2:]) if weight else (name,),
        (name,),
    )


def _family(operator: str) -> str:
    return operator if family(operator) == "other" else family(operator)


def _ungrouped_weight(op: CanonicalOp) -> Any:
    """The shape that a convolution's weight would have without groups; any other as it is."""
    weight = dict(op.parameters).get("weight")
    group = dict(op.attributes).get("group", 1)
    if weight is None or op.operator != "Conv" or len(weight) < 2:
        return weight
    return (weight[0], weight[1] * group, *weight[2:])


def _without_batch(shape: tuple[Dim, ...] | None, batch: Dim) -> tuple[Any, ...] | None:
    """A shape without batch size, names of dimensions and dimensions of size one."""
    if shape is None:
        return None
    first = ["N" if dim == batch or not isinstance(dim, int) else dim for dim in shape[:1]]
    return (*first, *("?" if not isinstance(dim, int) else dim for dim in shape[1:] if dim != 1))


def _channels(shape: tuple[Dim, ...] | None) -> Any:
    """Channels of an image (axis 1) or features of a sequence (the last axis)."""
    if not shape:
        return None
    dim = shape[1] if len(shape) >= 4 else shape[-1]
    return dim if isinstance(dim, int) else None
