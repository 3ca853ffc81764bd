"""Emitters that change, query or pad shapes."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.operation import (
    Results,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)

_LARGEST = 2**31


@emits("Reshape")
def reshape(op: TensorFlowOperation) -> Results:
    """Reshape; a size of 0 means no elements, not that the size is kept."""
    return op.result(
        "Reshape", [op.value(0), op.shape_operand(1)],
        allowzero=1 if 0 in (op.output_shape()) else None,
    )  # fmt: skip


@emits("Squeeze")
def squeeze(op: TensorFlowOperation) -> Results:
    """Squeeze of the given axes, else of all with one element."""
    axes = op.list_attribute("squeeze_dims") or op.list_attribute("axis")
    if not axes:
        axes = [axis for axis, size in enumerate(op.shape(0)) if size == 1]
    return op.result("Squeeze", [op.value(0), op.integers(axes)])


@emits("ExpandDims")
def expand(op: TensorFlowOperation) -> Results:
    """Unsqueeze of one axis."""
    return op.result("Unsqueeze", [op.value(0), op.integers(op.numbers(1))])


@emits("Transpose")
def transpose(op: TensorFlowOperation) -> Results:
    """Transpose."""
    order = op.numbers(1)
    if sorted(order) != list(range(len(op.shape(0)))):
        raise UnsupportedError("has a permutation that does not fit its input")
    return op.result("Transpose", [op.value(0)], perm=order)


@emits("Shape", "Size", "Rank")
def shape(op: TensorFlowOperation) -> Results:
    """Shape or Size, in the requested type."""
    operator = "Size" if op.source.kind == "Size" else "Shape"
    if op.source.kind == "Rank":
        raise UnsupportedError("reads a tensor of unknown rank")
    value = op.node(operator, [op.value(0)])
    return [op.cast(value, op.output_dtype())]


@emits("Pad", "PadV2", "MirrorPad")
def pad(op: TensorFlowOperation) -> Results:
    """Pad with a constant, or by reflection."""
    amounts = op.static(1).reshape(-1, 2)
    if len(amounts) != len(op.shape(0)) or int(amounts.max(initial=0)) >= _LARGEST:
        raise UnsupportedError("has pads that do not fit its input")
    ends = op.integers([int(n) for n in (*amounts[:, 0], *amounts[:, 1])])
    mode = op.attribute("mode")
    if op.source.kind == "MirrorPad" and mode != "REFLECT":
        raise UnsupportedError(f"mirrors with the mode {mode}")
    if op.source.kind == "MirrorPad":
        return op.result("Pad", [op.value(0), ends], mode="reflect")
    filled = [op.value(2)] if op.source.kind == "PadV2" else []
    return op.result("Pad", [op.value(0), ends, *filled], mode="constant")
