"""The positions of the windows of a convolution or pooling, however its padding is written."""

from __future__ import annotations

from typing import Any

from modeldocs.ir import Layer


def spatial(shape: tuple[Any, ...] | None) -> tuple[int, ...] | None:
    """Sizes after batch and channels; None where one is unknown."""
    if shape is None or len(shape) < 3 or not all(isinstance(dim, int) for dim in shape[2:]):
        return None
    return tuple(int(dim) for dim in shape[2:])


def input_shape(layer: Layer) -> tuple[Any, ...] | None:
    """Shape of the operand in slot 0 as the layer sees it."""
    for operand in layer.inputs:
        if operand.slot == 0:
            return operand.type.shape
    return None


def output_shape(layer: Layer) -> tuple[Any, ...] | None:
    """Shape of the layer's first output."""
    return layer.outputs[0].shape if layer.outputs else None


def extents(layer: Layer) -> tuple[int, ...]:
    """Sizes of a layer's windows along each axis, with the gaps of their dilation; empty where the
    layer has none.
    """
    kernel = layer.sizes("kernel_shape")
    dilations = layer.sizes("dilations") or (1,) * len(kernel)
    if len(dilations) != len(kernel):
        return ()
    return tuple((size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True))


def resized(layer: Layer, declared: dict[str, Any]) -> dict[str, Any]:
    """`declared`, with the ratio of each size in place of a Resize's `scales` and `sizes`.

    The one follows from the other where the sizes are known. Scales that do not come to whole
    sizes are left as they are: they place the samples elsewhere.
    """
    before, after = input_shape(layer), output_shape(layer)
    known = [isinstance(dim, int) and dim > 0 for dim in (*(before or (None,)), *(after or ()))]
    if before is None or after is None or len(before) != len(after) or not all(known):
        return declared
    ratios = tuple(y / x for x, y in zip(before, after, strict=True))
    scales = declared.get("scales")
    if isinstance(scales, tuple) and len(scales) == len(ratios) and scales != ratios:
        return declared
    return {**declared, "scales": ratios, "sizes": ratios}


def effective_windows(layer: Layer, declared: dict[str, Any]) -> dict[str, Any]:
    """`declared`, with `pads` as (starts, overhangs past the end) and no `ceil_mode`.

    Two layers whose windows cover the same pixels get the same, whether the end was padded,
    rounded up to, or padded without any window reaching it. Returned as it is where sizes are
    unknown.
    """
    before, after = spatial(input_shape(layer)), spatial(output_shape(layer))
    if before is None or after is None or not _complete(declared, len(before), len(after)):
        return declared
    rank = len(before)
    starts, ends = declared["pads"][:rank], declared["pads"][rank:]
    over = tuple(
        max(
            0, (after[i] - 1) * declared["strides"][i] + _reach(declared, i) - starts[i] - before[i]
        )
        for i in range(rank)
    )
    effective = {name: value for name, value in declared.items() if name != "ceil_mode"}
    effective["pads"] = (starts, over)
    if "count_include_pad" in effective:
        effective["count_include_pad"] = _counted(
            effective["count_include_pad"], starts, ends, over
        )
    return effective


def _complete(declared: dict[str, Any], before: int, after: int) -> bool:
    lengths = [len(declared.get(name, ())) for name in ("kernel_shape", "strides", "dilations")]
    return before == after and lengths == [before] * 3 and len(declared["pads"]) == 2 * before


def _reach(declared: dict[str, Any], axis: int) -> int:
    return int((declared["kernel_shape"][axis] - 1) * declared["dilations"][axis] + 1)


def _counted(flag: Any, starts: Any, ends: Any, over: Any) -> Any:
    """How many padded pixels count in the mean; 0 where no window covers any padding.

    ONNX counts explicit pads but not what rounding up overhangs beyond them.
    """
    if not flag or not (any(starts) or any(over)):
        return 0
    return tuple(min(end, overhang) for end, overhang in zip(ends, over, strict=True))
