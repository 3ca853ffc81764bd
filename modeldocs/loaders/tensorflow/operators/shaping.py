"""Shapes: changed, told, padded."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits

_LARGEST = 2**31


@emits("Reshape")
def reshape(emission: Emission) -> Results:
    """Reshape; a 0 is a size of no elements, and not one that is kept."""
    return emission.result(
        "Reshape", [emission.value(0), emission.shape_operand(1)],
        allowzero=1 if 0 in (emission.made_shape()) else None,
    )  # fmt: skip


@emits("Squeeze")
def squeeze(emission: Emission) -> Results:
    """Squeeze of the axes told, else of all that have one element."""
    axes = emission.listed("squeeze_dims") or emission.listed("axis")
    if not axes:
        axes = [axis for axis, size in enumerate(emission.shape(0)) if size == 1]
    return emission.result("Squeeze", [emission.value(0), emission.integers(axes)])


@emits("ExpandDims")
def expand(emission: Emission) -> Results:
    """Unsqueeze of one axis."""
    return emission.result("Unsqueeze", [emission.value(0), emission.integers(emission.numbers(1))])


@emits("Transpose")
def transpose(emission: Emission) -> Results:
    """Transpose."""
    order = emission.numbers(1)
    if sorted(order) != list(range(len(emission.shape(0)))):
        raise UnsupportedError("has a permutation that does not fit its input")
    return emission.result("Transpose", [emission.value(0)], perm=order)


@emits("Shape", "Size", "Rank")
def shape(emission: Emission) -> Results:
    """Shape or Size, in the type asked for."""
    op = "Size" if emission.operation.kind == "Size" else "Shape"
    if emission.operation.kind == "Rank":
        raise UnsupportedError("is asked of a tensor of any rank")
    told = emission.node(op, [emission.value(0)])
    return [emission.cast(told, emission.made_dtype())]


@emits("Pad", "PadV2", "MirrorPad")
def pad(emission: Emission) -> Results:
    """Pad with a number, or with the image mirrored."""
    amounts = emission.static(1).reshape(-1, 2)
    if len(amounts) != len(emission.shape(0)) or int(amounts.max(initial=0)) >= _LARGEST:
        raise UnsupportedError("has pads that do not fit its input")
    ends = emission.integers([int(n) for n in (*amounts[:, 0], *amounts[:, 1])])
    mode = emission.attribute("mode")
    if emission.operation.kind == "MirrorPad" and mode != "REFLECT":
        raise UnsupportedError(f"mirrors with the mode {mode}")
    if emission.operation.kind == "MirrorPad":
        return emission.result("Pad", [emission.value(0), ends], mode="reflect")
    filled = [emission.value(2)] if emission.operation.kind == "PadV2" else []
    return emission.result("Pad", [emission.value(0), ends, *filled], mode="constant")
