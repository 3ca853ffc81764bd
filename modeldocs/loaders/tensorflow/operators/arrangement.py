"""Emitters that change, query or pad shapes."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)

_LARGEST = 2**31


@emits("Reshape")
def reshape(op: TensorFlowOperation) -> Outputs:
    """Reshape; a size of 0 means no elements, not that the size is kept."""
    return op.result(
        "Reshape", [op.input(0), op.shape_operand(1)],
        allowzero=1 if 0 in (op.output_shape()) else None,
    )  # fmt: skip


@emits("Squeeze")
def squeeze(op: TensorFlowOperation) -> Outputs:
    """Squeeze of the given axes, else of all with one element."""
    axes = op.list_attribute("squeeze_dims") or op.list_attribute("axis")
    if not axes:
        axes = [axis for axis, size in enumerate(op.shape(0)) if size == 1]
    return op.result("Squeeze", [op.input(0), op.integers(axes)])


@emits("ExpandDims")
def expand(op: TensorFlowOperation) -> Outputs:
    """Unsqueeze of one axis."""
    return op.result("Unsqueeze", [op.input(0), op.integers(op.numbers(1))])


@emits("Transpose")
def transpose(op: TensorFlowOperation) -> Outputs:
    order = op.numbers(1)
    if sorted(order) != list(range(len(op.shape(0)))):
        raise UnsupportedError("has a permutation that does not fit its input")
    return op.result("Transpose", [op.input(0)], perm=order)


@emits("Shape", "Size", "Rank")
def shape(op: TensorFlowOperation) -> Outputs:
    """Shape or Size, in the requested type."""
    operator = "Size" if op.kind == "Size" else "Shape"
    if op.kind == "Rank":
        raise UnsupportedError("reads a tensor of unknown rank")
    value = op.node(operator, [op.input(0)])
    return [op.cast(value, op.output_dtype())]


@emits("Pad", "PadV2", "MirrorPad")
def pad(op: TensorFlowOperation) -> Outputs:
    """Pad with a constant, or by reflection."""
    amounts = op.static(1).reshape(-1, 2)
    if len(amounts) != len(op.shape(0)) or int(amounts.max(initial=0)) >= _LARGEST:
        raise UnsupportedError("has pads that do not fit its input")
    ends = op.integers([int(n) for n in (*amounts[:, 0], *amounts[:, 1])])
    mode = op.attribute("mode")
    if op.kind == "MirrorPad" and mode != "REFLECT":
        raise UnsupportedError(f"mirrors with the mode {mode}")
    if op.kind == "MirrorPad":
        return op.result("Pad", [op.input(0), ends], mode="reflect")
    filled = [op.input(2)] if op.kind == "PadV2" else []
    return op.result("Pad", [op.input(0), ends, *filled], mode="constant")
