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
            _keep_axes(node)
        key = _key(node)
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


def _keep_axes(mean: ir.Node) -> None:
    """Let a mean keep its axes, where all that reads it puts them back."""
    axes, dims = matching.reduced_axes(mean), values.shape(mean.inputs[0])
    out, readers = mean.outputs[0], [use.node for use in mean.outputs[0].uses()]
    if axes is None or dims is None or values.attribute(mean, "keepdims", 1) or not readers:
        return
    kept = tuple(1 if axis in axes else dim for axis, dim in enumerate(dims))
    if out.is_graph_output() or any(
        not values.is_operator(node, "Unsqueeze", "Reshape", "Expand")
        or values.shape(node.outputs[0]) != kept
        or node.outputs[0].is_graph_output()
        for node in readers
    ):
        return
    mean.attributes["keepdims"] = ir.AttrInt64("keepdims", 1)
    out.shape = ir.Shape(kept)
    for node in readers:
        ir.convenience.replace_all_uses_with(node.outputs[0], out)
        assert node.graph is not None
        node.graph.remove(node, safe=True)
