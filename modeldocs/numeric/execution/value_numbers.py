"""Value numbering: values that the same operations compute from the same arrays are known.

They are equal to the last bit: onnxruntime is not let change a graph, and sums in one order.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.runtime import Arrays, ModelRunner

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Integers as which elements are compared, by the bytes of an element: 0.0 is not -0.0."""
_SAMPLE = 16
"""Elements by which an array is looked up, before all of them are compared."""
_LEFT_OUT = -1
"""The number of an optional input that a node leaves out."""
_MAX_BYTES = 256 * 2**20
"""Bytes of values that are known for further runs."""


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are equal to the last bit: what is computed from them then is, too."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject or a.dtype.itemsize not in _WORDS:
        return False
    words = _WORDS[a.dtype.itemsize]
    return np.array_equal(a.view(words), b.view(words))


class ValueNumbers:
    """Gives values numbers: equal ones to values that are equal, in any of the graphs."""

    def __init__(self) -> None:
        self._count = itertools.count()
        self._computed: dict[object, int] = {}
        self._kept: list[np.ndarray] = []
        self._places: dict[object, int] = {}
        self._arrays: dict[object, list[tuple[np.ndarray, int]]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that are kept to compare others with."""
        return sum(array.nbytes for array in self._kept)

    def of(self, runner: ModelRunner, feeds: Arrays) -> dict[str, int]:
        """By name: the numbers of the values that a runner computes from `feeds`."""
        numbers: dict[str | None, int] = {None: _LEFT_OUT}
        numbers.update(self._given(runner.model.graph, feeds))
        computed: dict[str, int] = {}
        for operation in runner.operations:
            read = tuple(map(numbers.get, operation.inputs))
            key = (operation.kind, read) if operation.kind and None not in read else object()
            for index, name in enumerate(operation.outputs):
                numbers[name] = computed[name] = self._number((key, index))
        return computed

    def _given(self, graph: ir.Graph, feeds: Arrays) -> Iterator[tuple[str, int]]:
        """The numbers of inputs and weights, by name; not of weights without values."""
        for value in (*graph.inputs, *graph.initializers.values()):
            name = str(value.name)
            if name in feeds:
                yield name, self._of_array(feeds[name], stored=False)
            elif name in graph.initializers:
                with contextlib.suppress(ModeldocsError):
                    array = runtime.stored_values(value)
                    yield name, self._of_array(array, stored=not runtime.is_large(value))

    def _of_array(self, array: np.ndarray, *, stored: bool) -> int:
        """The number of an array; one that a session has stored has another than one that it is
        given, since a kernel may prepare what it knows to be constant.
        """
        place = (stored, array.__array_interface__["data"], array.shape, array.strides, array.dtype)
        if place not in self._places:
            self._places[place] = self._of_content(array, stored)
        return self._places[place]

    def _of_content(self, array: np.ndarray, stored: bool) -> int:
        self._kept.append(array)  # as long as it is kept, no other array has its place
        if array.dtype.hasobject or array.dtype.itemsize not in _WORDS:
            return next(self._count)
        words = array.view(_WORDS[array.dtype.itemsize])
        sample = words.flat[:_SAMPLE].tobytes()
        alike = self._arrays.setdefault((stored, array.dtype, array.shape, sample), [])
        for other, number in alike:
            if np.array_equal(other, words):
                return number
        alike.append((words, next(self._count)))
        return alike[-1][1]

    def _number(self, key: object) -> int:
        if key not in self._computed:
            self._computed[key] = next(self._count)
        return self._computed[key]


class KnownValues:
    """The values that runs computed, by their numbers."""

    def __init__(self) -> None:
        self._numbers = ValueNumbers()
        self._arrays: dict[int, np.ndarray] = {}
        self._nbytes = 0

    def numbers(self, runner: ModelRunner, feeds: Arrays) -> dict[str, int]:
        """By name: the numbers of the values that a runner computes from `feeds`."""
        return self._numbers.of(runner, feeds)

    def known(self, numbers: Mapping[str, int]) -> dict[str, np.ndarray]:
        """By name: those of these values that are known."""
        arrays = self._arrays
        return {name: arrays[number] for name, number in numbers.items() if number in arrays}

    def add(self, numbers: Mapping[str, int], values: Arrays) -> None:
        """Add values that were computed, by name."""
        for name, array in values.items():
            is_tensor = isinstance(array, np.ndarray)  # and no sequence, nor an absent optional
            if is_tensor and name in numbers and numbers[name] not in self._arrays:
                self._arrays[numbers[name]] = array
                self._nbytes += array.nbytes

    def trim(self) -> None:
        """Forget all values, where they and what they were computed from take much memory."""
        if self._nbytes + self._numbers.nbytes > _MAX_BYTES:
            self._numbers, self._arrays, self._nbytes = ValueNumbers(), {}, 0
