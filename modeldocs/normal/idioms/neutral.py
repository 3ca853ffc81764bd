"""Nodes that give back what they read: pads of nothing, factors of one, cuts of everything."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.normal import pads, rearrangements, values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import algebra, matching

NEUTRAL = {"Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}
"""The number that each of these changes nothing by."""

_CUTS = ("Slice", "Expand", "Tile", "Concat", "Sum")


def unchanged(node: ir.Node, builder: Builder) -> bool:
    """What a node reads in place of what it gives, where they are the same."""
    source = _source(node)
    made = node.outputs[0]
    if source is None or source is made or source.dtype != made.dtype:
        return False
    known = values.shape(source)
    if known is None or known != values.shape(made):
        return False
    if not rearrangements.is_computed(source) and made.is_graph_output():
        return False
    rearrangements.replace(made, source, builder)
    return True


def _source(node: ir.Node) -> ir.Value | None:
    """What a node would give back."""
    if node.domain not in values.DEFAULT_DOMAIN:
        return None
    if node.op_type in NEUTRAL and len(node.inputs) == 2:
        first, second = node.inputs
        number = NEUTRAL[node.op_type]
        if algebra.uniform(second) == number:
            return first
        commutes = node.op_type in ("Add", "Mul")
        return second if commutes and algebra.uniform(first) == number else None
    if node.op_type == "Pad":
        amounts = pads.amounts(node)
        return node.inputs[0] if amounts is not None and not any(amounts) else None
    if node.op_type in ("Concat", "Sum"):
        return node.inputs[0] if len(node.inputs) == 1 else None
    if node.op_type == "Slice":
        steps = values.operand(node, 4)
        held = values.constant(steps)
        forwards = steps is None or (held is not None and bool((held == 1).all()))
        return node.inputs[0] if forwards else None
    return node.inputs[0] if node.op_type in _CUTS else None


def _looked_up(node: ir.Node, builder: Builder) -> bool:
    """A GatherND of computed places along the first axis, as the Gather that it is."""
    data, places = node.inputs[0], values.operand(node, 1)
    dims = values.shape(places)
    if data is None or places is None or not dims or dims[-1] != 1:
        return False
    above = matching.producer(places, "Unsqueeze", "Reshape")
    index = values.operand(above, 0) if above is not None else None
    if index is None or values.shape(index) != dims[:-1]:
        index = builder.before(node, builder.reshape(places, dims[:-1]))
    matching.replace([node], "Gather", [data, index], [ir.AttrInt64("axis", 0)])
    return True


def gathered(node: ir.Node, builder: Builder) -> bool:
    """A GatherND of places along one axis as a Gather; of every place in order, as a Reshape."""
    if not values.is_operator(node, "GatherND") or values.attribute(node, "batch_dims", 0):
        return False
    data, dims = node.inputs[0], values.shape(node.inputs[0])
    places = values.constant(values.operand(node, 1))
    if places is None:
        return _looked_up(node, builder)
    if data is None or dims is None or not places.size or not places.ndim:
        return False
    depth = places.shape[-1]
    if depth == 1:
        index = builder.constant(places[..., 0], f"{node.outputs[0].name}/places")
        matching.replace([node], "Gather", [data, index], [ir.AttrInt64("axis", 0)])
        return True
    wanted = values.shape(node.outputs[0])
    count = math.prod(dims[:depth])
    if wanted is None or count != places.size // depth or bool((places < 0).any()):
        return False
    flat = np.ravel_multi_index(tuple(np.moveaxis(places, -1, 0)), dims[:depth], mode="clip")
    if not np.array_equal(flat.reshape(-1), np.arange(count)):
        return False
    shape = builder.numbers(wanted, "shape/" + "x".join(map(str, wanted)))
    matching.replace([node], "Reshape", [data, shape], [])
    return True
