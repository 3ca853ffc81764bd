"""Thumbnails of networks: a bar per layer, whose height shows the size of its image."""

from __future__ import annotations

import math

from modeldocs.diagram.labels import COLOURS
from modeldocs.ir import Layer, LayerGraph
from modeldocs.ir.operators import family

WIDTH, HEIGHT = 160, 48
MAX_BARS = 80
_MINOR = ("normalization", "activation", "elementwise")
"""Families of operators that are left out where a network has others."""


def thumbnail(graph: LayerGraph) -> str:
    """A thumbnail as SVG; the height of a bar grows with log2 of the layer's image size.

    Of a deep network every n-th layer is drawn, so that there are at most `MAX_BARS` bars.
    """
    major = [layer for layer in graph.layers if family(layer.operator) not in _MINOR]
    layers = major or list(graph.layers)
    step = -(-len(layers) // MAX_BARS) or 1
    layers = layers[::step]
    width = WIDTH / max(len(layers), 8)
    bars = "".join(_bar(layer, index, width) for index, layer in enumerate(layers))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">{bars}</svg>'
    )


def _bar(layer: Layer, index: int, width: float) -> str:
    height = HEIGHT * (0.18 + 0.82 * min(_extent(layer) / 8, 1))
    top, left, gap = (HEIGHT - height) / 2, index * width, min(width * 0.2, 2)
    return (
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width - gap:.2f}" height="{height:.2f}" '
        f'rx="1" fill="{COLOURS[family(layer.operator)]}"/>'
    )


def _extent(layer: Layer) -> float:
    dims = layer.outputs[0].shape if layer.outputs else None
    spatial = [dim for dim in (dims or ())[2:] if isinstance(dim, int)]
    return math.log2(max(max(spatial, default=1), 1))
