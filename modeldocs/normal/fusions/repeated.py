"""Means, and differences from them, that a norm computes more than once."""

from __future__ import annotations

from collections.abc import Hashable

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.fusions import matching


def merge(graph: ir.Graph) -> None:
    """Let equal means, and differences from them, be computed once, with axes of size 1 kept."""
    first: dict[tuple[Hashable, ...], ir.Value] = {}
    for node in list(graph):
        if values.is_operator(node, "ReduceMean"):
            _with_axes(node)
        key = _key(node) if node.graph is not None else None
        if key is None:
            continue
        known = first.setdefault(key, node.outputs[0])
        if known is not node.outputs[0] and not node.outputs[0].is_graph_output():
            ir.convenience.replace_all_uses_with(node.outputs[0], known)
            graph.remove(node, safe=True)


def _key(node: ir.Node) -> tuple[Hashable, ...] | None:
    """What a mean, or a difference from one, computes; None for other nodes."""
    if values.is_operator(node, "ReduceMean"):
        axes = matching.reduced_axes(node)
        return (
            None if axes is None else (node.inputs[0], axes, values.attribute(node, "keepdims", 1))
        )
    if values.is_operator(node, "Sub") and matching.producer(node.inputs[1], "ReduceMean"):
        return ("Sub", *node.inputs)
    return None


def _with_axes(mean: ir.Node) -> None:
    """Let what puts the axes of a mean back compute the mean with its axes instead."""
    axes, dims = matching.reduced_axes(mean), values.shape(mean.inputs[0])
    if axes is None or dims is None or values.attribute(mean, "keepdims", 1):
        return
    kept = tuple(1 if axis in axes else dim for axis, dim in enumerate(dims))
    for node in [use.node for use in mean.outputs[0].uses()]:
        is_reshape = values.is_operator(node, "Unsqueeze", "Reshape", "Expand")
        if is_reshape and values.shape(node.outputs[0]) == kept:
            whole = matching.replace(
                [node], "ReduceMean", list(mean.inputs), [ir.AttrInt64("keepdims", 1)]
            )
            _without_expansion(whole.outputs[0])


def _without_expansion(value: ir.Value) -> None:
    """Let what expands a value to its own shape be the value itself."""
    for node in [use.node for use in value.uses()]:
        out = node.outputs[0]
        is_same = values.shape(out) is not None and values.shape(out) == values.shape(value)
        if values.is_operator(node, "Expand") and is_same and not out.is_graph_output():
            ir.convenience.replace_all_uses_with(out, value)
