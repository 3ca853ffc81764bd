"""Parts of a tensor: slices, and what stands at given places."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits


@emits("Slice")
def plain_slice(emission: Emission) -> Results:
    """Slice; a size of -1 goes to the end."""
    begins, sizes = emission.numbers(1), emission.numbers(2)
    ends = [
        np.iinfo(np.int64).max if size < 0 else begin + size
        for begin, size in zip(begins, sizes, strict=True)
    ]
    return [cutting.cut(emission, emission.value(0), range(len(begins)), begins, ends)]


@emits("StridedSlice")
def strided(emission: Emission) -> Results:
    """Slice, then Squeeze of axes of which one place is taken and Unsqueeze of new ones."""
    cut = _Cut(emission)
    value = emission.value(0)
    if cut.begins:
        value = cutting.cut(emission, value, cut.axes, cut.begins, cut.ends, cut.steps)
    if cut.squeezed:
        value = emission.squeeze(value, cut.squeezed)
    if cut.added:
        value = emission.unsqueeze(value, cut.added)
    if not emission.nodes:
        value = emission.node("Identity", [value])
    return [value]


class _Cut:
    """What the begins, ends and masks of a StridedSlice come to, axis by axis."""

    def __init__(self, emission: Emission) -> None:
        self.rank = len(emission.shape(0))
        self.axes: list[int] = []
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.steps: list[int] = []
        self.squeezed: list[int] = []
        self.added: list[int] = []
        begins, ends, steps = (emission.numbers(slot) for slot in (1, 2, 3))
        if not len(begins) == len(ends) == len(steps) <= 64 or 0 in steps:
            raise UnsupportedError("has begins, ends and steps that do not fit")
        names = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
        masks = {name: int(emission.attribute(f"{name}_mask", 0)) for name in names}
        self._read(begins, ends, steps, masks)

    def _read(
        self, begins: list[int], ends: list[int], steps: list[int], masks: dict[str, int]
    ) -> None:
        axis = made = 0
        for place, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
            bit = 1 << place
            if masks["ellipsis"] & bit:
                later = range(place + 1, len(begins))
                taken = sum(1 for rest in later if not masks["new_axis"] & (1 << rest))
                skipped = max(self.rank - axis - taken, 0)
                axis, made = axis + skipped, made + skipped
            elif masks["new_axis"] & bit:
                self.added.append(made)
                made += 1
            elif masks["shrink_axis"] & bit:
                self._take(axis, begin, begin + 1 if begin != -1 else np.iinfo(np.int64).max, 1)
                self.squeezed.append(axis)
                axis += 1
            else:
                self._range(axis, begin, end, step, (masks["begin"] & bit, masks["end"] & bit))
                axis, made = axis + 1, made + 1
        if axis > self.rank:
            raise UnsupportedError(f"takes parts of more axes than {self.rank}")

    def _range(self, axis: int, begin: int, end: int, step: int, open_: tuple[int, int]) -> None:
        most = int(np.iinfo(np.int64).max)
        if open_[0]:
            begin = 0 if step > 0 else most
        if open_[1]:
            end = most if step > 0 else -most
        if not (begin == 0 and end == most and step == 1):
            self._take(axis, begin, end, step)

    def _take(self, axis: int, begin: int, end: int, step: int) -> None:
        self.axes.append(axis)
        self.begins.append(begin)
        self.ends.append(end)
        self.steps.append(step)


@emits("ReverseV2")
def reverse(emission: Emission) -> Results:
    """Slice with steps backwards."""
    axes = emission.numbers(1)
    if not axes:
        return emission.result("Identity", [emission.value(0)])
    return [cutting.turned_round(emission, emission.value(0), axes)]


@emits("GatherV2", "Gather", "ResourceGather")
def gather(emission: Emission) -> Results:
    """Gather along an axis."""
    axis = 0
    if emission.operation.kind == "GatherV2":
        axis = emission.numbers(2)[0]
    rank = len(emission.made_shape()) - len(emission.shape(1)) + 1
    if int(emission.attribute("batch_dims", 0)):
        raise UnsupportedError("gathers within each batch")
    return emission.result("Gather", [emission.value(0), emission.value(1)], axis=axis % rank)


@emits("GatherNd", "ResourceGatherNd")
def gather_places(emission: Emission) -> Results:
    """GatherND."""
    places = emission.cast(emission.value(1), ir.DataType.INT64)
    batch = int(emission.attribute("batch_dims", 0))
    if batch < 0:  # ONNX's shape inference would crash on it
        raise UnsupportedError("gathers within a negative number of axes")
    return emission.result("GatherND", [emission.value(0), places], batch_dims=batch)


@emits("OneHot")
def one_hot(emission: Emission) -> Results:
    """OneHot; ONNX keeps the two numbers in one operand."""
    pair = [emission.reshape(emission.value(slot), (1,)) for slot in (3, 2)]
    values = emission.node("Concat", pair, axis=0)
    axis = int(emission.attribute("axis", -1))
    depth = emission.integers(emission.numbers(1))
    return emission.result("OneHot", [emission.value(0), depth, values], axis=axis)


@emits("Where")
def places_of_truth(emission: Emission) -> Results:
    """NonZero, a row for each place."""
    found = emission.node("NonZero", [emission.value(0)])
    return emission.result("Transpose", [found], perm=[1, 0])
