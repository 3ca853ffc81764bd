"""The same inputs for layers that correspond, for each side in its own layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.ir.operators import family
from modeldocs.normal import values
from modeldocs.parity import cutting, layout, planes, probes
from modeldocs.parity.design import Draws
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit

Arrays = dict[str, np.ndarray]

_ANY_SIZE = ("convolution", "pooling", "activation", "elementwise", "normalization")
"""Families of operators that run on planes of any size."""


class UnfedError(Exception):
    """Layers that cannot be fed with the same on both sides; tells why."""


@dataclass
class Feeding:
    """Makes what units read. `known` are values of A that are no floats, and cannot be made up.

    `orders` are the orders in which B has the elements of what layers of A make.
    """

    a: Side
    b: Side
    sizes: Mapping[str, float]
    known: Arrays
    draws: Draws
    orders: Mapping[str, Arrangement]
    ours: Arrays = field(default_factory=dict)
    theirs: Arrays = field(default_factory=dict)

    def feed(self, number: int, unit: Unit) -> None:
        """Put what both sides of a unit read into `ours` and `theirs`.

        Raises:
            UnfedError: they cannot be fed alike.
        """
        if (set(unit.a.ids) & self.a.captures) or (set(unit.b.ids) & self.b.captures):
            raise UnfedError("its bodies read values of the graph around them")
        if len(unit.a.reads) != len(unit.b.reads):
            raise UnfedError(f"it reads {len(unit.a.reads)} values in A, {len(unit.b.reads)} in B")
        plane = planes.smaller(unit, self.a, self.b)
        made: list[tuple[str, np.ndarray, str, np.ndarray]] = []
        for i, j in unit.fed:
            array = self._probe(unit, i, j, f"{number}/{i}", plane)
            other = array if plane is not None else self._carried(array, unit, i, j)
            kind = dtype(unit.b.reads[j][0].route.root)
            names = cutting.fed_name(number, i), cutting.fed_name(number, j)
            made.append((names[0], array, names[1], other.astype(kind, copy=False)))
        for name, array, name_b, other in made:
            self.ours[name], self.theirs[name_b] = array, other

    def _probe(
        self, unit: Unit, i: int, j: int, name: str, plane: tuple[int, ...] | None
    ) -> np.ndarray:
        edges, others = unit.a.reads[i], unit.b.reads[j]
        root = edges[0].route.root
        if dtype(root).kind not in "fc":
            if str(root.name) not in self.known:
                raise UnfedError("it reads values that are no floats, and nothing gave them")
            return self.known[str(root.name)]
        shape = values.shape(root)
        if shape is None:
            raise UnfedError("the shape of what it reads is unknown")
        if plane is not None:
            shape = (*shape[:2], *plane)
        readers = [(self.a.layers[edge.layer], edge.slot) for edge in edges]
        readers += [(self.b.layers[edge.layer], edge.slot) for edge in others]
        size = self.sizes.get(edges[0].maker, 1.0)
        made = probes.probe(self.draws, name, shape, readers, size)
        return made.astype(dtype(root), copy=False)

    def _carried(self, array: np.ndarray, unit: Unit, i: int, j: int) -> np.ndarray:
        ours, theirs = unit.a.reads[i], unit.b.reads[j]
        order = self.orders.get(ours[0].maker, KEPT)
        if order != KEPT:
            found = layout.turned(array, order, values.shape(theirs[0].route.root) or ())
            if found is not None:
                return found
        found = layout.carried(array, [e.route for e in ours], [e.route for e in theirs])
        if found is not None:
            return found
        shape = values.shape(theirs[0].route.root) or ()
        plain = not any(edge.route.nodes for edge in (*ours, *theirs))
        alike = len(shape) == array.ndim and shape[:2] == array.shape[:2]
        if not (plain and alike and self._any_size(unit.b)):
            raise UnfedError("it reads another shape in B")
        return array

    def _any_size(self, half: Half) -> bool:
        return all(family(self.b.layers[name].operator) in _ANY_SIZE for name in half.ids)


def dtype(value: ir.Value) -> np.dtype[np.generic]:
    """A value's type in numpy; float32 where it is not known."""
    return value.dtype.numpy() if value.dtype is not None else np.dtype(np.float32)
