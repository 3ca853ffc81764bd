"""Emitters of TensorFlow's slices and gathers."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)


@emits("Slice")
def plain_slice(op: TensorFlowOperation) -> Outputs:
    """Slice; a size of -1 extends to the end."""
    begins, sizes = op.numbers(1), op.numbers(2)
    ends = [
        np.iinfo(np.int64).max if size < 0 else begin + size
        for begin, size in zip(begins, sizes, strict=True)
    ]
    return [cutting.cut(op, op.input(0), range(len(begins)), begins, ends)]


@emits("StridedSlice")
def strided(op: TensorFlowOperation) -> Outputs:
    """Slice, then Squeeze of axes with a single index and Unsqueeze of new ones."""
    cut = _AxisSlices(op)
    value = op.input(0)
    if cut.begins:
        value = cutting.cut(op, value, cut.axes, cut.begins, cut.ends, cut.steps)
    if cut.squeezed:
        value = op.squeeze(value, cut.squeezed)
    if cut.added:
        value = op.unsqueeze(value, cut.added)
    if not op.nodes:
        value = op.node("Identity", [value])
    return [value]


class _AxisSlices:
    """The begins, ends and steps of a StridedSlice by axis, its masks applied."""

    def __init__(self, op: TensorFlowOperation) -> None:
        self.rank = len(op.shape(0))
        self.axes: list[int] = []
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.steps: list[int] = []
        self.squeezed: list[int] = []
        self.added: list[int] = []
        begins, ends, steps = (op.numbers(slot) for slot in (1, 2, 3))
        if not len(begins) == len(ends) == len(steps) <= 64 or 0 in steps:
            raise UnsupportedError("has begins, ends and steps that do not match")
        names = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
        masks = {name: int(op.attribute(f"{name}_mask", 0)) for name in names}
        self._read(begins, ends, steps, masks)

    def _read(
        self, begins: list[int], ends: list[int], steps: list[int], masks: dict[str, int]
    ) -> None:
        axis = output_axis = 0
        for position, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
            bit = 1 << position
            if masks["ellipsis"] & bit:
                later = range(position + 1, len(begins))
                taken = sum(1 for rest in later if not masks["new_axis"] & (1 << rest))
                skipped = max(self.rank - axis - taken, 0)
                axis, output_axis = axis + skipped, output_axis + skipped
            elif masks["new_axis"] & bit:
                self.added.append(output_axis)
                output_axis += 1
            elif masks["shrink_axis"] & bit:
                self._take(axis, begin, begin + 1 if begin != -1 else np.iinfo(np.int64).max, 1)
                self.squeezed.append(axis)
                axis += 1
            else:
                self._range(axis, begin, end, step, (masks["begin"] & bit, masks["end"] & bit))
                axis, output_axis = axis + 1, output_axis + 1
        if axis > self.rank:
            raise UnsupportedError(f"slices more than {self.rank} axes")

    def _range(self, axis: int, begin: int, end: int, step: int, is_open: tuple[int, int]) -> None:
        most = int(np.iinfo(np.int64).max)
        if is_open[0]:
            begin = 0 if step > 0 else most
        if is_open[1]:
            end = most if step > 0 else -most
        if not (begin == 0 and end == most and step == 1):
            self._take(axis, begin, end, step)

    def _take(self, axis: int, begin: int, end: int, step: int) -> None:
        self.axes.append(axis)
        self.begins.append(begin)
        self.ends.append(end)
        self.steps.append(step)


@emits("ReverseV2")
def reverse(op: TensorFlowOperation) -> Outputs:
    """Slice with negative steps."""
    axes = op.numbers(1)
    if not axes:
        return op.result("Identity", [op.input(0)])
    return [cutting.turned_round(op, op.input(0), axes)]


@emits("GatherV2", "Gather", "ResourceGather")
def gather(op: TensorFlowOperation) -> Outputs:
    """Gather along an axis."""
    axis = 0
    if op.kind == "GatherV2":
        axis = op.numbers(2)[0]
    rank = len(op.output_shape()) - len(op.shape(1)) + 1
    if int(op.attribute("batch_dims", 0)):
        raise UnsupportedError("has batch dimensions")
    return op.result("Gather", [op.input(0), op.input(1)], axis=axis % rank)


@emits("GatherNd", "ResourceGatherNd")
def gather_places(op: TensorFlowOperation) -> Outputs:
    indices = op.cast(op.input(1), ir.DataType.INT64)
    batch = int(op.attribute("batch_dims", 0))
    if batch < 0:  # ONNX's shape inference would crash on it
        raise UnsupportedError("has a negative number of batch dimensions")
    return op.result("GatherND", [op.input(0), indices], batch_dims=batch)


@emits("OneHot")
def one_hot(op: TensorFlowOperation) -> Outputs:
    """OneHot; ONNX has both of its values in one operand."""
    pair = [op.reshape(op.input(slot), (1,)) for slot in (3, 2)]
    values = op.node("Concat", pair, axis=0)
    axis = int(op.attribute("axis", -1))
    depth = op.integers(op.numbers(1))
    return op.result("OneHot", [op.input(0), depth, values], axis=axis)


@emits("Where")
def places_of_truth(op: TensorFlowOperation) -> Outputs:
    """NonZero, with a row for each index."""
    indices = op.node("NonZero", [op.input(0)])
    return op.result("Transpose", [indices], perm=[1, 0])
