"""Parts of tensors, taken and put together."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.dims import as_text, sizes
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of

TO_FRONT = -(2**63)
"""The end of a slice that runs backwards to the first element."""


def cut(
    layer: NodeBuilder,
    value: ir.Value,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int] | None = None,
) -> ir.Value:
    """Along each axis what is from start to before end."""
    operands = [(starts, "starts"), (ends, "ends"), (axes, "axes")]
    operands += [(steps, "steps")] if steps is not None else []
    return layer.node("Slice", [value, *(layer.integers(*operand) for operand in operands)])


def turned_round(layer: NodeBuilder, value: ir.Value, axes: Sequence[int]) -> ir.Value:
    """Axes backwards."""
    ones = [-1] * len(axes)
    return cut(layer, value, axes, ones, [TO_FRONT] * len(axes), ones)


def split(layer: NodeBuilder, value: ir.Value, lengths: Sequence[int], axis: int) -> list[ir.Value]:
    """Parts of some sizes along an axis."""
    operands = [value, layer.integers(lengths, "split")]
    return layer.node_of_several("Split", operands, len(lengths), axis=axis)


def unstack(layer: NodeBuilder, value: ir.Value, axis: int) -> list[ir.Value]:
    """The slices of one element along an axis of known size, each without that axis."""
    shape = shape_of(value)
    (size,) = sizes(shape[axis : axis + 1])
    slices = split(layer, value, [1] * size, axis)
    return [layer.reshape(piece, (*shape[:axis], *shape[axis + 1 :])) for piece in slices]


def joined(layer: NodeBuilder, values: Sequence[ir.Value], axis: int) -> ir.Value:
    """Tensors that are alike but along an axis, joined there."""
    first = shape_of(values[0])
    for shape in map(shape_of, values):
        alike = len(shape) == len(first) and all(
            a == b or None in (a, b) or at == axis
            for at, (a, b) in enumerate(zip(shape, first, strict=True))
        )
        if not alike:
            raise layer.error(
                f"joins {as_text(first)} and {as_text(shape)} along axis {axis}",
                fix="make them alike along the others",
            )
    return layer.node("Concat", values, axis=axis)
