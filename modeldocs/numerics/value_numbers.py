"""Value numbering: values of two graphs that the same operations compute from the same arrays.

They are equal to the last bit: onnxruntime is not let change a graph, and sums in one order.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.numerics import runtime
from modeldocs.numerics.runtime import Arrays, Runner

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Integers as which elements are compared, by the bytes of an element: 0.0 is not -0.0."""
_SAMPLE = 16
"""Elements by which an array is looked up, before all of them are compared."""


class ValueNumbers:
    """Gives values numbers: equal ones to values that are equal, in any of the graphs."""

    def __init__(self) -> None:
        self._count = itertools.count()
        self._computed: dict[object, int] = {}
        self._arrays: dict[object, list[tuple[np.ndarray, int]]] = {}

    def of(self, runner: Runner, feeds: Arrays) -> dict[str, int]:
        """By name: the numbers of the values that a runner computes from `feeds`."""
        numbers = dict(self._given(runner.model.graph, feeds))
        computed: dict[str, int] = {}
        for operation in runner.operations:
            read = tuple(None if name is None else numbers.get(name) for name in operation.inputs)
            left_out = tuple(name is None for name in operation.inputs)
            is_known = left_out == tuple(number is None for number in read)
            key = (operation.kind, read) if operation.kind and is_known else object()
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
        if array.dtype.hasobject or array.dtype.itemsize not in _WORDS:
            return next(self._count)
        words = array.view(_WORDS[array.dtype.itemsize])
        sample = words.flat[:_SAMPLE].tobytes()
        alike = self._arrays.setdefault((stored, array.dtype, array.shape, sample), [])
        for other, number in alike:
            if other is array or np.array_equal(other.view(words.dtype), words):
                return number
        alike.append((array, next(self._count)))
        return alike[-1][1]

    def _number(self, key: object) -> int:
        if key not in self._computed:
            self._computed[key] = next(self._count)
        return self._computed[key]
