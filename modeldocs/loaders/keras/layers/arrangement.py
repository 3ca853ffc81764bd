"""Layers that arrange what they read: flatten, reshape, permute, pad, crop, repeat."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.layers import layout


@emits("Flatten")
def flatten(call: Call) -> ir.Value:
    """All but the batch in one axis, the channels running fastest."""
    source = call.input
    rank = len(call.shape(source))
    if call.operation.data_format == "channels_first" and rank > 2:
        source = call.transpose(source, [0, *range(2, rank), 1])
    return call.reshape(source, _one_open(call, call.output_shape()))


@emits("Reshape")
def reshape(call: Call) -> ir.Value:
    """Another shape behind the batch."""
    return call.reshape(call.input, _one_open(call, call.output_shape()))


def _one_open(call: Call, shape: tuple[int | None, ...]) -> list[int | None]:
    """A shape to reshape to, which may leave one size open."""
    if sum(size is None for size in shape) > 1:
        call.size(None)
    return list(shape)


@emits("Permute")
def permute(call: Call) -> ir.Value:
    """The axes behind the batch in another order."""
    order = [0, *(int(axis) for axis in call.operation.dims)]
    return call.node("Transpose", [call.input], perm=order)


@emits("RepeatVector")
def repeat_vector(call: Call) -> ir.Value:
    """Each vector some times in a row."""
    steps = call.node("Unsqueeze", [call.input, call.integers([1], "axes")])
    times = call.integers([1, int(call.operation.n), 1], "repeats")
    return call.node("Tile", [steps, times])


@emits("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D")
def zero_padding(call: Call) -> ir.Value:
    """Zeros around the spatial axes."""
    pairs = _pairs(call.operation.padding)
    begins, ends = [a for a, _ in pairs], [b for _, b in pairs]
    pads = call.integers([0, 0, *begins, 0, 0, *ends], "pads")
    first = layout.to_first(call, call.input)
    zero = call.number(0.0, first.dtype, "value")
    made = call.node("Pad", [first, pads, zero], mode="constant")
    return layout.back(call, made)


@emits("Cropping1D", "Cropping2D", "Cropping3D")
def cropping(call: Call) -> ir.Value:
    """Without so much at both ends of the spatial axes."""
    pairs = _pairs(call.operation.cropping)
    first = layout.to_first(call, call.input)
    sizes = [call.size(size) for size in call.shape(first)[2:]]
    ends = [size - after for size, (_, after) in zip(sizes, pairs, strict=True)]
    made = call.node(
        "Slice",
        [
            first,
            call.integers([before for before, _ in pairs], "starts"),
            call.integers(ends, "ends"),
            call.integers(range(2, 2 + len(pairs)), "axes"),
        ],
    )
    return layout.back(call, made)


def _pairs(given: object) -> list[tuple[int, int]]:
    """Amounts before and after of each axis; a layer of one axis has its pair alone."""
    items = list(given)  # type: ignore[call-overload]
    if all(isinstance(item, int) for item in items):
        return [(int(items[0]), int(items[1]))]
    return [(int(before), int(after)) for before, after in items]
