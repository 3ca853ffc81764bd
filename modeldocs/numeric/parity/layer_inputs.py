"""Inputs for groups that run alone: the same values for both sides, each in its own layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.ir.operators import family
from modeldocs.normal import values
from modeldocs.numeric.parity import extraction, layout, probes, shrink_spatial
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph
from modeldocs.numeric.parity.weight_init import SeededRandom

Arrays = dict[str, np.ndarray]

_ANY_SIZE = ("convolution", "pooling", "activation", "elementwise", "normalization")
"""Families of operators that run on any spatial size."""


class IncompatibleInputsError(Exception):
    """A group whose sides cannot be given the same inputs; its text says why."""


_LARGEST_WHOLE = 8.0
"""The largest number of those that a side reads as floats, and the other as integers."""


@dataclass
class LayerInputs:
    """Makes the inputs of groups, and collects them in `ours` and `theirs` by name.

    `scales` are the scales that A's layers were designed for. `integers` are values of A that are
    not floats, such as indices, and cannot be random. `arrangements` are, by layer of A, the orders
    in which B has the elements of its output. With `usual`, no epsilon of a norm shows.
    """

    a: RunnableGraph
    b: RunnableGraph
    scales: Mapping[str, float]
    integers: Arrays
    random: SeededRandom
    arrangements: Mapping[str, Arrangement]
    usual: bool = False
    ours: Arrays = field(default_factory=dict)
    theirs: Arrays = field(default_factory=dict)

    def add(self, number: int, group: MatchedGroup) -> None:
        """Add the inputs of both sides of a group, under its number.

        Raises:
            IncompatibleInputsError: the sides cannot be given the same.
        """
        if (set(group.a.ids) & self.a.captures) or (set(group.b.ids) & self.b.captures):
            raise IncompatibleInputsError("its subgraphs read values of the outer graph")
        if len(group.a.inputs) != len(group.b.inputs):
            raise IncompatibleInputsError(
                f"it reads {len(group.a.inputs)} values in A, {len(group.b.inputs)} in B"
            )
        spatial = shrink_spatial.smaller_size(group, self.a, self.b)
        arrays: list[tuple[str, np.ndarray, str, np.ndarray]] = []
        for i, j in group.input_pairs:
            kind = dtype(group.b.inputs[j][0].path.root)
            array = _in_both(self._probe(group, i, j, f"{number}/{i}", spatial), kind)
            other = array if spatial is not None else self._converted(array, group, i, j)
            names = extraction.input_name(number, i), extraction.input_name(number, j)
            arrays.append((names[0], array, names[1], other.astype(kind, copy=False)))
        for name, array, name_b, other in arrays:
            self.ours[name], self.theirs[name_b] = array, other

    def _probe(
        self, group: MatchedGroup, i: int, j: int, name: str, spatial: tuple[int, ...] | None
    ) -> np.ndarray:
        """The array for A's input i and B's input j, in A's layout."""
        edges, others = group.a.inputs[i], group.b.inputs[j]
        root = edges[0].path.root
        readers = [(self.a.layers[edge.layer], edge.slot) for edge in edges]
        readers += [(self.b.layers[edge.layer], edge.slot) for edge in others]
        are_counts = all((layer.operator, slot) == ("Clip", 0) for layer, slot in readers)
        if dtype(root).kind not in "fc" and not are_counts:
            if str(root.name) not in self.integers:
                raise IncompatibleInputsError(
                    "it reads values that are not floats, and that were not computed"
                )
            return self.integers[str(root.name)]
        shape = values.shape(root)
        if shape is None:
            raise IncompatibleInputsError("the shape of its input is unknown")
        if spatial is not None:
            shape = (*shape[:2], *spatial)
        scale = self.scales.get(edges[0].producer, 1.0)
        array = probes.probe(self.random, name, shape, readers, scale, usual=self.usual)
        array = array if dtype(root).kind in "fc" else np.round(array)
        return array.astype(dtype(root), copy=False)

    def _converted(self, array: np.ndarray, group: MatchedGroup, i: int, j: int) -> np.ndarray:
        """A's array for input i, in the layout in which B reads input j."""
        ours, theirs = group.a.inputs[i], group.b.inputs[j]
        arrangement = self.arrangements.get(ours[0].producer, KEPT)
        if arrangement != KEPT:
            converted = layout.reordered(
                array, arrangement, values.shape(theirs[0].path.root) or ()
            )
            if converted is not None:
                return converted
        shape = values.shape(theirs[0].path.root) or ()
        both = zip(ours, theirs, strict=False)
        alike = [(x.path, y.path) for x, y in both if self._reads_in_order(x)]
        converted = (
            layout.convert(array, *zip(*alike, strict=True)) if alike else layout.fit(array, shape)
        )
        if converted is not None:
            return converted
        direct = not any(edge.path.nodes for edge in (*ours, *theirs))
        same_channels = len(shape) == array.ndim and shape[:2] == array.shape[:2]
        if not (direct and same_channels and self._accepts_any_size(group.b)):
            raise IncompatibleInputsError("its input has another shape in B")
        return array

    def _reads_in_order(self, edge: RunnableEdge) -> bool:
        """Whether a layer of A reads elements in the order in which its counterpart does."""
        ordered = self.arrangements.get(edge.layer, KEPT) == KEPT
        return ordered or edge.path.features is not None

    def _accepts_any_size(self, side: GroupSide) -> bool:
        return all(family(self.b.layers[name].operator) in _ANY_SIZE for name in side.ids)


def _in_both(array: np.ndarray, kind: np.dtype[np.generic]) -> np.ndarray:
    """Numbers near those of an array that another type holds, too: whole ones for integers."""
    if array.dtype.kind not in "fc" or kind.kind not in "fiu" or kind == array.dtype:
        return array
    if kind.kind in "iu":
        largest = float(np.abs(array).max(initial=0.0))
        array = np.round(np.abs(array) * (_LARGEST_WHOLE / largest)) if largest else array
    return array.astype(kind).astype(array.dtype)


def dtype(value: ir.Value) -> np.dtype[np.generic]:
    """A value's numpy dtype; float32 where it is unknown."""
    return value.dtype.numpy() if value.dtype is not None else np.dtype(np.float32)
