"""Exits of regions: outputs of matched layers, and A's values for them in B's layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.numeric.execution.closeness import Difference, distance
from modeldocs.numeric.parity import layout
from modeldocs.numeric.parity.layer_inputs import dtype
from modeldocs.numeric.parity.layout import Batches
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.measurements import sequence_difference


@dataclass(frozen=True)
class Exit:
    """An output of a group of matched layers, in A and in B.

    `number` is that of the group, `index` the place of the output among its pairs of outputs.
    """

    number: int
    group: MatchedGroup
    index: int
    a: ir.Value
    b: ir.Value
    batches: Batches = (1, 1)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two values."""
        return str(self.a.name), str(self.b.name)

    def converted(self, array: np.ndarray) -> np.ndarray | None:
        """A's value as B computes it: in B's order of elements, shape and type; None where B's has
        another number of elements.
        """
        shape = values.shape(self.b)
        if shape is None or not isinstance(array, np.ndarray):
            return None
        converted: np.ndarray | None = None
        if self.group.order.sizes:
            converted = layout.reordered(array, self.group.order, shape)
        if converted is None:
            read = self.group.reader_paths[self.index]
            paths = ([read[0]], [read[1]]) if read is not None else ([], [])
            converted = layout.carried(array, shape, paths, self.batches)
        return None if converted is None else self.typed(converted)

    def typed(self, array: np.ndarray) -> np.ndarray:
        """An array in the type of B's value, or in its own where that is not known."""
        kind = array.dtype if self.b.dtype is None else dtype(self.b)
        return np.ascontiguousarray(array, kind)

    def has_counterpart(self) -> bool:
        """Whether A's value can be given to B."""
        shape = values.shape(self.a)
        if shape is None:
            return False
        return self.converted(np.broadcast_to(np.int8(0), shape)) is not None

    def difference(self, ours: np.ndarray, theirs: np.ndarray) -> Difference:
        """How far B's value is from A's."""
        if not isinstance(ours, np.ndarray) or not isinstance(theirs, np.ndarray):
            return sequence_difference(ours, theirs, distance)
        batched = layout.batched(ours, theirs.shape, self.batches)
        if batched is not None:
            return distance(batched, theirs)
        paths = self.group.reader_paths[self.index]
        arrays = layout.comparable(ours, theirs, paths, self.group.order)
        return Difference() if arrays is None else distance(*arrays)


def exits(groups: Mapping[int, MatchedGroup], batches: Batches) -> Iterator[Exit]:
    """The exits of groups by number; `batches` are the sizes of the batch in A and B."""
    for number, group in groups.items():
        for index, (i, j) in enumerate(group.output_pairs):
            yield Exit(number, group, index, group.a.outputs[i], group.b.outputs[j], batches)
