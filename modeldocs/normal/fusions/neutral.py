"""Nodes that compute the identity: pads of 0, factors of 1, slices of everything."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import pads, values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose
from modeldocs.normal.fusions import matching

STARTS = (
    operators.named(affine="scale")
    | operators.named(affine="shift")
    | operators.moving("copy", "cut", "join")
    | {"Pad", "Resize"}
)
"""Operators that may compute the identity."""

_KEEPS_GRID = frozenset(
    {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"}
)
"""Coordinates of a Resize by which each element stays at its place where the scale is 1."""


def identity(node: ir.Node, builder: GraphBuilder) -> bool:
    """A node whose output is equal to an operand, removed."""
    source = _candidate(node)
    output = node.outputs[0]
    if source is None or source is output or source.dtype != output.dtype:
        return False
    dims = values.shape(source)
    if dims is None or dims != values.shape(output):
        return False
    if not reshape_transpose.is_computed(source) and output.is_graph_output():
        return False
    reshape_transpose.replace(output, source, builder)
    return True


def _candidate(node: ir.Node) -> ir.Value | None:
    """The operand that a node's output is equal to, if their shapes are equal."""
    if node.domain not in values.DEFAULT_DOMAIN:
        return None
    one = operators.of(node.op_type)
    if one.affine and len(node.inputs) == 2:
        first, second = node.inputs
        number = one.neutral
        if values.uniform(second) == number:
            return first
        return second if one.commutative and values.uniform(first) == number else None
    if node.op_type == "Pad":
        amounts = pads.amounts(node)
        return node.inputs[0] if amounts is not None and not any(amounts) else None
    if node.op_type == "Resize":
        return node.inputs[0] if _is_of_scale_one(node) else None
    if node.op_type in ("Concat", "Sum"):
        return node.inputs[0] if len(node.inputs) == 1 else None
    if node.op_type == "Slice":
        steps = values.operand(node, 4)
        array = values.constant(steps)
        is_forward = steps is None or (array is not None and bool((array == 1).all()))
        return node.inputs[0] if is_forward else None
    return node.inputs[0] if one.moves == "copy" else None


def _is_of_scale_one(node: ir.Node) -> bool:
    """Whether a Resize, whose shapes are equal, has the scale 1: scales are used as they are given,
    and may be a little more.
    """
    mode = values.attribute(node, "coordinate_transformation_mode", "half_pixel")
    is_by_size = values.operand(node, 3) is not None
    is_one = is_by_size or values.uniform(values.operand(node, 2)) == 1
    return mode in _KEEPS_GRID and is_one


def _gather_computed(node: ir.Node, builder: GraphBuilder) -> bool:
    """A GatherND of computed indices of the first axis, as a Gather."""
    data, indices = node.inputs[0], values.operand(node, 1)
    dims = values.shape(indices)
    if data is None or indices is None or not dims or dims[-1] != 1:
        return False
    reshape = matching.producer(indices, "Unsqueeze", "Reshape")
    index = values.operand(reshape, 0) if reshape is not None else None
    if index is None or values.shape(index) != dims[:-1]:
        index = builder.before(node, builder.reshape(indices, dims[:-1]))
    matching.replace([node], "Gather", [data, index], [ir.AttrInt64("axis", 0)])
    return True


def gather_nd(node: ir.Node, builder: GraphBuilder) -> bool:
    """A GatherND of indices of one axis as a Gather; of all indices in order, as a Reshape."""
    if not values.is_operator(node, "GatherND") or values.attribute(node, "batch_dims", 0):
        return False
    data, dims = node.inputs[0], values.shape(node.inputs[0])
    indices = values.constant(values.operand(node, 1))
    if indices is None:
        return _gather_computed(node, builder)
    if data is None or dims is None or not indices.size or not indices.ndim:
        return False
    depth = indices.shape[-1]
    if depth == 1:
        index = builder.constant(indices[..., 0], f"{node.outputs[0].name}/places")
        matching.replace([node], "Gather", [data, index], [ir.AttrInt64("axis", 0)])
        return True
    target = values.shape(node.outputs[0])
    count = math.prod(dims[:depth])
    if target is None or count != indices.size // depth or bool((indices < 0).any()):
        return False
    flat = np.ravel_multi_index(tuple(np.moveaxis(indices, -1, 0)), dims[:depth], mode="clip")
    if not np.array_equal(flat.reshape(-1), np.arange(count)):
        return False
    shape = builder.numbers(target, "shape/" + "x".join(map(str, target)))
    matching.replace([node], "Reshape", [data, shape], [])
    return True
