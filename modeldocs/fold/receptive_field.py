"""What of the input a value of a network depends on, and how many layers lie between."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from modeldocs.ir import Layer, LayerGraph, operators

_WINDOWS: Final = operators.named(windowed=True) - {"ConvTranspose"}


class _FieldOfView(NamedTuple):
    """Pixels of the input that a value depends on along an axis, and how far apart neighbours are.

    `whole` is whether it depends on all of them.
    """

    pixels: float = 1.0
    step: float = 1.0
    whole: bool = False


def depth(graph: LayerGraph) -> int:
    """The largest number of layers with weights on a path."""
    found: dict[str, int] = {}
    for layer in graph.layers:
        before = max((found.get(one.value, 0) for one in layer.inputs), default=0)
        found[layer.id] = before + is_weighted(layer)
    return max(found.values(), default=0)


def is_weighted(layer: Layer) -> bool:
    """Whether it multiplies by weights: a convolution, a matrix product, but no table of rows."""
    return layer.operator != "Gather" and any(len(one.shape) > 1 for one in layer.parameters)


def receptive_field(graph: LayerGraph, maps: Collection[str]) -> tuple[int, ...]:
    """Height and width, in pixels of the input, that a value of the last feature map depends on.

    The last feature map is that of the last convolution or pooling. `maps` are the layers whose
    outputs have positions. Empty where one of them depends on the whole input, or there are no
    images.
    """
    found: dict[str, tuple[_FieldOfView, _FieldOfView]] = {}
    last: tuple[_FieldOfView, _FieldOfView] | None = None
    for layer in graph.layers:
        read = [found.get(one.value, (_FieldOfView(), _FieldOfView())) for one in layer.inputs]
        pair = _after(layer, read)
        found[layer.id] = pair
        if layer.id in maps and any(one.whole for one in pair):
            return ()
        if layer.operator in _WINDOWS and len(layer.sizes("kernel_shape")) == 2:
            last = pair
    if last is None:
        return ()
    return tuple(round(one.pixels) for one in last)


def _after(
    layer: Layer, read: Sequence[tuple[_FieldOfView, _FieldOfView]]
) -> tuple[_FieldOfView, _FieldOfView]:
    return tuple(_along(layer, axis, [one[axis] for one in read]) for axis in (0, 1))  # type: ignore[return-value]


def _along(layer: Layer, axis: int, read: Sequence[_FieldOfView]) -> _FieldOfView:
    before = max(read, key=lambda one: (one.whole, one.pixels), default=_FieldOfView())
    if before.whole or operators.of(layer.operator).everywhere or _mixes(layer):
        return before._replace(whole=True)
    kernel, stride, dilation = (_at(layer, name, axis) for name in _SIZES)
    if layer.operator in _WINDOWS:
        pixels = before.pixels + (kernel - 1) * dilation * before.step
        return _FieldOfView(pixels, before.step * stride)
    if layer.operator == "ConvTranspose":
        step = before.step / stride
        return _FieldOfView(before.pixels + (kernel - 1) * dilation * step, step)
    if layer.operator == "Resize":
        return before._replace(step=before.step / _scale(layer, axis))
    return before


_SIZES: Final = ("kernel_shape", "strides", "dilations")


def _at(layer: Layer, name: str, axis: int) -> int:
    sizes = layer.sizes(name)
    return sizes[axis] if len(sizes) == 2 else 1


def _mixes(layer: Layer) -> bool:
    """Whether a product of two computed values mixes positions."""
    return layer.operator in ("MatMul", "Einsum") and len(layer.inputs) > 1


def _scale(layer: Layer, axis: int) -> float:
    """How many times larger the output of a Resize is along an axis."""
    shapes = [layer.inputs[0].type.shape if layer.inputs else None, layer.outputs[0].shape]
    if any(shape is None or len(shape) != 4 for shape in shapes):
        return 1.0
    before, after = (shape[2 + axis] for shape in shapes if shape is not None)
    if isinstance(before, int) and isinstance(after, int) and before > 0:
        return after / before
    return 1.0
