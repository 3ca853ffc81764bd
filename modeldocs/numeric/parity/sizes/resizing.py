"""A network at the sizes that another takes: the same one for another batch, length or image."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import onnx_ir as ir

from modeldocs.diff import Diff
from modeldocs.ir import GraphInput
from modeldocs.loaders.emission import inference
from modeldocs.normal import values
from modeldocs.numeric.parity import shapes
from modeldocs.numeric.parity.edge_path import Shape
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.sizes import equal_axes, shortening, stated_sizes
from modeldocs.numeric.parity.sizes.changed_sizes import ChangedSizes

Sizes = dict[str, tuple[int, ...]]
"""Shapes of inputs by name."""

_NOTHING: Mapping[float, float] = MappingProxyType({})
_MOST_PASSES = 100
"""Passes over a network; each but the last shortens what a node reads, behind it."""


def common_sizes(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> tuple[Sizes, Sizes]:
    """The inputs of A and of B that have other sizes than their counterparts, with the smaller size
    of both along each axis.

    An input of another rank, or with as many elements in another order or shape, keeps its own.
    """
    counterpart = diff.counterpart()
    theirs = {one.id: one for one in b.layer_graph.inputs}
    found: tuple[Sizes, Sizes] = ({}, {})
    for ours in a.layer_graph.inputs:
        for other in (theirs[one] for one in counterpart.get(ours.id, ()) if one in theirs):
            both = _sizes(a, ours), _sizes(b, other)
            if len(both[0]) != len(both[1]) or math.prod(both[0]) == math.prod(both[1]):
                continue
            common = tuple(map(min, *both))
            for sizes, name, own in zip(found, (ours.name, other.name), both, strict=True):
                if own != common:
                    sizes[name] = common
    return found


def _sizes(graph: RunnableGraph, entry: GraphInput) -> Shape:
    """The shape of an input as it is run."""
    return values.shape(graph.inputs[entry.id]) or ()


def numbers(diff: Diff) -> tuple[dict[float, float], dict[float, float]]:
    """Settings of A that are numbers, with those of B in their place, and the reverse."""
    found = [
        (change.before, change.after)
        for change in diff.changes
        if change.kind == "attribute"
        and all(type(one) in (int, float) for one in (change.before, change.after))
    ]
    return dict(found), {after: before for before, after in found}


def resize(model: ir.Model, sizes: Sizes, told: Mapping[float, float] = _NOTHING) -> bool:
    """Give inputs of a model in normal form smaller sizes, in place.

    Shapes that the model states follow, and so do constants along an axis that is smaller now:
    tables of positions and masks keep their first rows. `told` are numbers that the network states,
    with those that the other one states in their place. False where something does not follow: the
    network is for its own sizes.
    """
    shapes.complete_shapes(model)
    changed = ChangedSizes(model, told)
    for value in model.graph.inputs:
        if str(value.name) in sizes:
            changed.set(value, sizes[str(value.name)])
    for _ in range(_MOST_PASSES):
        if not _followed(model, changed):
            return False
        if not changed.is_behind:
            return True
    return False


def _followed(model: ir.Model, changed: ChangedSizes) -> bool:
    """Give all nodes the sizes of what they read, in their order, until one has to be shortened
    behind them; whether they can have them.
    """
    changed.is_behind = False
    for node in model.graph:
        if not changed.reaches(node):
            stated_sizes.follow_numbers(node, changed)
            continue
        stated_sizes.follow(node, changed)
        for places in equal_axes.of(node, changed):
            lengths = [changed.now(node.inputs[slot])[axis] for slot, axis in places]
            slot, axis = places[lengths.index(max(lengths))]
            if min(lengths) == max(lengths) or values.is_parameter(node.inputs[slot]):
                continue  # where a weight would have to be shorter, no shape can be inferred
            if not shortening.shorten(node, slot, axis, min(lengths), changed):
                return False
        if changed.is_behind:
            return True
        if not _infer(node, changed):
            return False
    return True


def _infer(node: ir.Node, changed: ChangedSizes) -> bool:
    """Give the outputs of a node their shapes; whether all that were known are known again."""
    try:
        found = [_dense(node, changed)] if node.op_type == "Gemm" else _inferred(node)
    except inference.ShapeMismatchError:
        return False
    for output, shape in zip(node.outputs, found, strict=True):
        told = shape if shape is not None else _kept(node, output, changed)
        if told is not None:
            changed.set(output, told)
        elif changed.was(output):
            return False
    return True


def _inferred(node: ir.Node) -> list[Shape | None]:
    """The shapes of a node's outputs by ONNX; None for those that are not whole."""
    every = [shape for shape, _ in inference.outputs(node)]
    numbers = [tuple(dim for dim in shape or () if isinstance(dim, int)) for shape in every]
    return [
        own if shape is not None and len(own) == len(shape) else None
        for shape, own in zip(every, numbers, strict=True)
    ]


def _dense(node: ir.Node, changed: ChangedSizes) -> Shape:
    """A dense layer of normal form keeps all axes but the last, of tensors of any rank."""
    return (*changed.now(node.inputs[0])[:-1], *changed.was(node.outputs[0])[-1:])


def _kept(node: ir.Node, output: ir.Value, changed: ChangedSizes) -> Shape | None:
    """The shape of an output that ONNX infers none for, of an operator that keeps its operand's."""
    data = node.inputs[0]
    return changed.now(data) if changed.was(data) == changed.was(output) else None
