"""Smaller planes for layers alone: a convolution tells as much on 50x50 as on 500x500.

The size keeps its remainder by the strides, which decides what windows do at the far border.
"""

from __future__ import annotations

import math

from modeldocs.ir import Layer
from modeldocs.normal import values
from modeldocs.parity.route import Shape
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit

_LEAST = 40
_WINDOWS = ("Conv", "MaxPool", "AveragePool", "LpPool")
_POINTWISE = (
    *("BatchNormalization", "LRN", "Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Clip", "Gelu"),
    *("Sigmoid", "HardSigmoid", "HardSwish", "Swish", "Mish", "Tanh", "Softplus"),
    *("Add", "Sub", "Mul", "Div", "Sum", "Max", "Min"),
)


def smaller(unit: Unit, a: Side, b: Side) -> Shape | None:
    """The planes to feed a unit with; None where it has to be those of the network."""
    shapes = {
        values.shape(edges[0].route.root) or () for half in (unit.a, unit.b) for edges in half.reads
    }
    plane = next(iter({shape[2:] for shape in shapes}), ())
    if len({shape[2:] for shape in shapes}) != 1 or not plane:
        return None
    if not (_on_planes(a, unit.a, len(plane)) and _on_planes(b, unit.b, len(plane))):
        return None
    layers = [side.layers[n] for side, half in ((a, unit.a), (b, unit.b)) for n in half.ids]
    least = max(_LEAST, 2 * max(map(_extent, layers)))
    step = math.lcm(*(stride for layer in layers for stride in _strides(layer)))
    made = tuple(size - max(size - least, 0) // step * step for size in plane)
    return made if made != plane else None


def _on_planes(side: Side, half: Half, rank: int) -> bool:
    """Whether a group does the same at every place of a plane, whatever its size."""
    layers = [side.layers[name] for name in half.ids]
    direct = not any(edge.route.nodes for edges in half.reads for edge in edges)
    spread = [
        dim
        for layer in layers
        if layer.operator not in _WINDOWS
        for weight in side.weights[layer.id]
        for dim in weight.shape[1:][-rank:]
        if len(weight.shape) > rank
    ]
    return direct and all(map(_is_local, layers)) and all(dim == 1 for dim in spread)


def _is_local(layer: Layer) -> bool:
    if layer.operator == "Concat":
        return layer.attributes.get("axis") == 1
    return layer.operator in (*_WINDOWS, *_POINTWISE)


def _extent(layer: Layer) -> int:
    """How far a layer's window reaches, with its dilation."""
    kernel = layer.sizes("kernel_shape") or (1,)
    steps = layer.sizes("dilations") or (1,) * len(kernel)
    return max(size * step for size, step in zip(kernel, steps, strict=False))


def _strides(layer: Layer) -> list[int]:
    return [max(stride, 1) for stride in layer.sizes("strides") or (1,)]
