"""A network at the sizes that another takes: the same one for another batch, length or image."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.diff import Diff
from modeldocs.ir import GraphInput
from modeldocs.normal import values
from modeldocs.parity import shapes
from modeldocs.parity.runnable_graph import RunnableGraph

Sizes = dict[str, tuple[int, ...]]
"""Shapes of inputs by name."""


def sizes_of(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> Sizes:
    """The inputs of B that have other sizes than their counterparts in A, with the sizes of these.

    An input of another rank, or with as many elements in another order or shape, keeps its own.
    """
    counterpart = diff.counterpart()
    theirs = {one.id: one for one in b.layer_graph.inputs}
    sizes: Sizes = {}
    for ours in a.layer_graph.inputs:
        for other in (theirs[one] for one in counterpart.get(ours.id, ()) if one in theirs):
            wanted, own = _sizes(a, ours), _sizes(b, other)
            if len(wanted) == len(own) and math.prod(wanted) != math.prod(own):
                sizes[other.name] = wanted
    return sizes


def _sizes(graph: RunnableGraph, entry: GraphInput) -> tuple[int, ...]:
    """The shape of an input as it is run."""
    return values.shape(graph.inputs[entry.id]) or ()


def resize(model: ir.Model, sizes: Sizes) -> bool:
    """Give inputs of a model in normal form other sizes, in place.

    False where not every shape that was known is known again: the network is for its own sizes.
    """
    computed = [value for node in model.graph for value in node.outputs]
    known = [value for value in computed if values.shape(value) is not None]
    for value in model.graph.inputs:
        if str(value.name) in sizes:
            value.shape = ir.Shape(sizes[str(value.name)])
    for value in computed:
        value.shape = None
    shapes.complete_shapes(model)
    return all(values.shape(value) is not None for value in known)
