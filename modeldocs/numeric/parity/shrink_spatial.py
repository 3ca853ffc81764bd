"""Smaller spatial sizes for groups that run alone: a convolution of 50x50 shows as much as one of
500x500.

The size modulo the strides is kept, since it decides what windows do at the far border.
"""

from __future__ import annotations

import math

from modeldocs.ir import Layer, operators
from modeldocs.normal import values
from modeldocs.numeric.parity.edge_path import Shape
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_MIN_SIZE = 40
_WINDOWS = operators.named(window="fixed")
_POINTWISE = operators.named(elementwise=True) | operators.named(
    family="normalization", channels_first=True, everywhere=False
)


def smaller_size(group: MatchedGroup, a: RunnableGraph, b: RunnableGraph) -> Shape | None:
    """The spatial size to run a group on; None where it must be that of the network."""
    shapes = {
        values.shape(edges[0].path.root) or ()
        for side in (group.a, group.b)
        for edges in side.inputs
    }
    spatial = next(iter({shape[2:] for shape in shapes}), ())
    if len({shape[2:] for shape in shapes}) != 1 or not spatial:
        return None
    if not (
        _is_translation_invariant(a, group.a, len(spatial))
        and _is_translation_invariant(b, group.b, len(spatial))
    ):
        return None
    layers = [graph.layers[n] for graph, side in ((a, group.a), (b, group.b)) for n in side.ids]
    min_size = max(_MIN_SIZE, 2 * max(map(_extent, layers)))
    step = math.lcm(*(stride for layer in layers for stride in _strides(layer)))
    smaller = tuple(size - max(size - min_size, 0) // step * step for size in spatial)
    return smaller if smaller != spatial else None


def _is_translation_invariant(graph: RunnableGraph, side: GroupSide, rank: int) -> bool:
    """Whether a group computes the same at every place, whatever the spatial size."""
    layers = [graph.layers[name] for name in side.ids]
    direct = not any(edge.path.nodes for edges in side.inputs for edge in edges)
    spatial_dims = [
        dim
        for layer in layers
        if layer.operator not in _WINDOWS
        for weight in graph.weights[layer.id]
        for dim in weight.shape[1:][-rank:]
        if len(weight.shape) > rank
    ]
    return direct and all(map(_is_local, layers)) and all(dim == 1 for dim in spatial_dims)


def _is_local(layer: Layer) -> bool:
    """Whether a layer's output at a place depends on a window around it alone."""
    if layer.operator == "Concat":
        return layer.attributes.get("axis") == 1
    return layer.operator in _WINDOWS | _POINTWISE


def _extent(layer: Layer) -> int:
    """The size of a layer's window with its dilation."""
    kernel = layer.sizes("kernel_shape") or (1,)
    steps = layer.sizes("dilations") or (1,) * len(kernel)
    return max(size * step for size, step in zip(kernel, steps, strict=False))


def _strides(layer: Layer) -> list[int]:
    """A layer's strides, at least 1 each."""
    return [max(stride, 1) for stride in layer.sizes("strides") or (1,)]
