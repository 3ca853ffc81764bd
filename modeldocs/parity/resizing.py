"""A network at the sizes that another takes: the same one for another batch, length or image."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.diff import Diff
from modeldocs.ir import GraphInput
from modeldocs.loaders.emission import inference
from modeldocs.normal import values
from modeldocs.normal.builder import Builder
from modeldocs.parity import shapes, stated_sizes
from modeldocs.parity.edge_path import Shape
from modeldocs.parity.runnable_graph import RunnableGraph

Sizes = dict[str, tuple[int, ...]]
"""Shapes of inputs by name."""


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


def resize(model: ir.Model, sizes: Sizes) -> bool:
    """Give inputs of a model in normal form smaller sizes, in place.

    Shapes that the model states, and constants along an axis that is smaller now, follow: tables of
    positions and masks keep their first rows. False where something does not follow: the network is
    for its own sizes.
    """
    shapes.complete_shapes(model)
    known = [*model.graph.inputs, *(value for node in model.graph for value in node.outputs)]
    before = {value: values.shape(value) for value in known}
    for value in model.graph.inputs:
        if str(value.name) in sizes:
            value.shape = ir.Shape(sizes[str(value.name)])
    builder = Builder(model.graph)
    for node in model.graph:
        if any(value in before and before[value] != values.shape(value) for value in node.inputs):
            stated_sizes.follow(node, before, builder)
            if not _infer(node, before):
                return False
    return True


def _infer(node: ir.Node, before: dict[ir.Value, Shape | None]) -> bool:
    """Give the outputs of a node their shapes; whether all that were known are known again."""
    try:
        found = [shape for shape, _ in inference.outputs(node)]
    except inference.ShapeMismatchError:
        found = [None] * len(node.outputs)
    for output, shape in zip(node.outputs, found, strict=True):
        told = shape if _is_known(shape) else _as_before(node, output, before)
        if told is None and before[output] is not None:
            return False
        output.shape = None if told is None else ir.Shape(told)
    return True


def _is_known(shape: object) -> bool:
    return isinstance(shape, tuple) and all(isinstance(dim, int) for dim in shape)


def _as_before(
    node: ir.Node, output: ir.Value, before: dict[ir.Value, Shape | None]
) -> Shape | None:
    """The shape of an output that ONNX infers none for: an operator of normal form keeps the axes
    of its first operand, but for the last of a dense layer.
    """
    data = node.inputs[0]
    was, now = before.get(data) if data is not None else None, values.shape(data)
    own = before[output]
    if was is None or now is None or own is None or was[:-1] != own[:-1]:
        return None
    if node.op_type == "Gemm":
        return (*now[:-1], own[-1])
    return now if was == own else None
