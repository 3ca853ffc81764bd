"""Regions measured: B's side is given A's values, and what it computes is compared with A's."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.normal.values import shape
from modeldocs.numeric.execution.closeness import Difference, distance, is_one_hot
from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.execution.value_numbers import same_bits
from modeldocs.numeric.parity import layout, measurements
from modeldocs.numeric.parity.edge_path import EdgePath
from modeldocs.numeric.parity.measurements import ValuedGraph
from modeldocs.numeric.parity.partial_run import PartialRun
from modeldocs.numeric.parity.regions import orders
from modeldocs.numeric.parity.regions.exits import Exit
from modeldocs.numeric.parity.regions.frontier import Frontiers

Arrays = dict[str, np.ndarray]

_SMALL = 2**22
"""Bytes of the largest value of A that is kept, once it was computed."""


@dataclass
class MeasuredRegion:
    """The difference of a region's exits, or why it was not measured.

    `unlike` is whether an exit has other elements in A and in B, which cannot be compared: what
    reads it is then given none of A's values in its place, and shows whether it is right. `coarse`
    is whether an exit hides small differences: integers, truth values, probabilities of 0 and 1,
    rows beside one that is much larger.
    """

    difference: Difference | None = None
    reason: str = ""
    unlike: bool = False
    coarse: bool = False


_LARGER_ROW = 100.0
"""A row that is this many times as large as most of them hides their differences of a hundredth."""


@dataclass(frozen=True)
class _Asked:
    """Exits that are wanted, A's values, and those that B is given by the names that it has."""

    wanted: list[Exit]
    values: Arrays
    given: Arrays

    @property
    def names(self) -> list[str]:
        """Names of B's values."""
        return [one.names[1] for one in self.wanted]


@dataclass
class RegionRuns:
    """Runs regions of B on the values that A computes.

    `ours` is the run of A, `known` are values of it that need not be computed, `by_itself` those
    that B computes by itself; `of_group` are the exits by group, those to which A's values cannot
    be given left out of `given`.
    """

    ours: PartialRun
    known: Arrays
    by_itself: Arrays
    theirs: ValuedGraph
    frontiers: Frontiers
    exits: list[Exit]
    of_group: dict[int, list[Exit]] = field(default_factory=dict)
    given: dict[str, Exit] = field(default_factory=dict)
    orders: dict[str, Arrangement] = field(default_factory=dict)
    """By the name of B's value: the order of A's elements in it, where numbers have shown it."""
    kept: set[str] = field(default_factory=set)
    """Names of B's values for which no order is looked for."""

    def __post_init__(self) -> None:
        for one in self.exits:
            self.of_group.setdefault(one.number, []).append(one)
            if one.has_counterpart():
                self.given[one.names[1]] = one
        self._whole = self.theirs.programs.whole()
        self._feeds = self.theirs.weights | self.theirs.inputs

    def of_model(self, changed: ir.Model) -> RegionRuns:
        """The same regions of B with some layers changed; `changed` is B lowered."""
        copy = RegionRuns(self.ours, self.known, {}, self.theirs, self.frontiers, self.exits)
        copy._whole = ModelRunner(changed)
        return copy

    def reordered(self) -> set[int]:
        """Numbers of the groups whose elements numbers have shown to be in another order."""
        return {one.number for one in self.exits if one.names[1] in self.orders}

    def in_order(self, number: int) -> MeasuredRegion:
        """A group, its elements held against A's in their own order, from now on."""
        for one in self.of_group[number]:
            if self.orders.pop(one.names[1], None) is not None:
                self.kept.add(one.names[1])
                if not one.has_counterpart():
                    del self.given[one.names[1]]
        return self.one(number, ())

    def every(self, numbers: Iterable[int]) -> dict[int, MeasuredRegion]:
        """The regions of some groups, all in one run of a network that is cut behind them."""
        asked = self._ask(numbers)
        found = self._unchanged(asked)
        left = [name for name in asked.names if name not in found]
        if not left:
            return self._compared(asked, found, {})
        run = PartialRun(self._whole, self._feeds)
        run.substitute(asked.given)
        return self._compared(asked, found | run.run(left), run.refused)

    def _unchanged(self, asked: _Asked) -> Arrays:
        """The values that B computed by itself from the very values that it is given."""
        same = {
            name
            for name, array in asked.given.items()
            if name in self.by_itself and same_bits(array, self.by_itself[name])
        }
        found: Arrays = {}
        for one in asked.wanted:
            sources = self.frontiers.region(one.number).groups
            read = [each.names[1] for source in sources for each in self.of_group.get(source, [])]
            if one.names[1] in self.by_itself and same.issuperset(read):
                found[one.names[1]] = self.by_itself[one.names[1]]
        return found

    def one(
        self,
        number: int,
        dropped: Collection[int],
        changed: ir.Model | None = None,
        weights: Arrays | None = None,
    ) -> MeasuredRegion:
        """The region that ends in a group, where the groups `dropped` are not cut behind.

        `changed` is run in place of B's model, with `weights` in place of those of B that are so
        called, and of other values of B.
        """
        asked = self._ask([number], dropped)
        try:
            runner = self._whole if changed is None else ModelRunner(changed)
            found = self._with_weights(runner, asked, weights or {}, asked.names)
        except Exception as error:  # a region alone may be what onnxruntime refuses
            return MeasuredRegion(reason=str(error))
        return self._compared(asked, found, {}).get(number, MeasuredRegion())

    def wanted(self, number: int, dropped: Collection[int]) -> np.ndarray | None:
        """A's values at the end of a region, as B has them, in one row; None where B has others."""
        asked = self._ask([number], dropped)
        arrays = [
            self._as_of_b(one, asked.values[one.names[0]])
            for one in asked.wanted
            if isinstance(asked.values.get(one.names[0]), np.ndarray)
        ]
        return _in_a_row(arrays, len(asked.wanted))

    def computed(self, number: int, dropped: Collection[int], weights: Arrays) -> np.ndarray | None:
        """B's values at the end of a region with these weights, in one row; None if not run."""
        asked = self._ask([number], dropped)
        found = self._found(asked, asked.names, weights)
        return None if found is None else _in_a_row([found[name] for name in asked.names])

    def wanted_reads(self, number: int) -> np.ndarray | None:
        """What the layers of a group read in A, as they read it in B, in one row."""
        pairs = self._reads(number)
        values = self._values({str(ours.root.name) for ours, _ in pairs})
        arrays = [
            layout.fit(ours.forward(values[str(ours.root.name)]), shape(theirs.target) or ())
            for ours, theirs in pairs
            if str(ours.root.name) in values
        ]
        return _in_a_row(arrays, len(pairs))

    def computed_reads(
        self, number: int, dropped: Collection[int], weights: Arrays
    ) -> np.ndarray | None:
        """What the layers of a group read in B with these weights, in one row; None if not run."""
        asked, paths = self._ask([number], dropped), [theirs for _, theirs in self._reads(number)]
        found = self._found(asked, [str(one.root.name) for one in paths], weights)
        if found is None:
            return None
        return _in_a_row([one.forward(found[str(one.root.name)]) for one in paths])

    def _reads(self, number: int) -> list[tuple[EdgePath, EdgePath]]:
        """The ways from computed values to the corresponding operands of a group's layers."""
        group = self.frontiers.group(number)
        pairs = [
            (group.a.inputs[i][0].path, group.b.inputs[j][0].path) for i, j in group.input_pairs
        ]
        return [
            both
            for both in pairs
            if all(one.steps is not None and one.root.producer() is not None for one in both)
        ]

    def _found(self, asked: _Asked, names: list[str], weights: Arrays) -> Arrays | None:
        try:
            return self._with_weights(self._whole, asked, weights, names)
        except Exception:  # a region alone may be what onnxruntime refuses
            return None

    def _with_weights(
        self, runner: ModelRunner, asked: _Asked, weights: Arrays, names: list[str]
    ) -> Arrays:
        """Values of B, with weights in place of those of B that are so called."""
        stored = {name: one for name, one in weights.items() if name in self._feeds}
        composed = {name: one for name, one in weights.items() if name not in self._feeds}
        return runner.run(self._feeds | stored, names, asked.given | composed)

    def values(self, number: int, of: tuple[str, str]) -> tuple[np.ndarray, np.ndarray] | None:
        """A value of A and one of B in the region that ends in a group; None where not computed."""
        ours = self._values({of[0]}).get(of[0])
        theirs = (self._found(self._ask([number]), [of[1]], {}) or {}).get(of[1])
        if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
            return ours, theirs
        return None

    def _ask(self, numbers: Iterable[int], dropped: Collection[int] = ()) -> _Asked:
        """What the regions that end in some groups read, and compute of it."""
        wanted = [one for number in numbers for one in self.of_group.get(number, [])]
        read = {
            one.names[1]: one
            for number in {one.number for one in wanted}
            for source in self.frontiers.region(number, dropped).groups
            for one in self.of_group.get(source, [])
            if one.names[1] in self.given
        }
        names = {one.names[0] for one in (*wanted, *read.values())}
        values = self._values(names)
        return _Asked(wanted, values, self._converted(read, values))

    def _values(self, names: Collection[str]) -> Arrays:
        """A's values of these names, of those that can be computed; small ones are kept."""
        values = {name: self.known[name] for name in names if name in self.known}
        missing = sorted(set(names) - values.keys() - self.ours.refused.keys())
        if missing:
            computed = self.ours.run(missing)
            small = {name: one for name, one in computed.items() if one.nbytes <= _SMALL}
            self.known = {**self.known, **small}
            values |= computed
        return values

    def _converted(self, read: Mapping[str, Exit], values: Arrays) -> Arrays:
        """A's values by the names of B's that they stand for."""
        given: Arrays = {}
        for name, one in read.items():
            array = values.get(one.names[0])
            converted = self._as_of_b(one, array) if array is not None else None
            if converted is not None:
                given[name] = converted
        return given

    def _as_of_b(self, one: Exit, array: np.ndarray) -> np.ndarray | None:
        """A's value as B computes it; None where its size depends on the inputs, and is another."""
        order, dims = self.orders.get(one.names[1]), shape(one.b)
        if order is None:
            return one.converted(array)
        if dims is None or math.prod(dims) != array.size:
            return None
        return one.typed(orders.arranged(array, order, dims))

    def _compared(
        self, asked: _Asked, found: Mapping[str, np.ndarray], refused: Mapping[str, str]
    ) -> dict[int, MeasuredRegion]:
        """By group: the largest difference of its exits."""
        measured: dict[int, MeasuredRegion] = {}
        values = asked.values
        for one in asked.wanted:
            name_a, name_b = one.names
            so_far = measured.setdefault(one.number, MeasuredRegion(Difference(0.0, 0.0)))
            if name_a not in values or name_b not in found:
                reason = self.ours.refused.get(name_a) or refused.get(name_b, "it was not run")
                measured[one.number] = MeasuredRegion(reason=so_far.reason or reason)
            elif so_far.difference is not None:
                apart = self._apart(one, values[name_a], found[name_b])
                so_far.coarse |= _is_coarse(values[name_a])
                if apart.shows_nothing:
                    measured[one.number] = MeasuredRegion(reason=measurements.NOT_FINITE)
                elif apart.relative is None and name_b not in self.given:
                    so_far.unlike = True
                else:
                    so_far.difference = max(so_far.difference, apart, key=Difference.size)
        return measured

    def _apart(self, one: Exit, ours: np.ndarray, theirs: np.ndarray) -> Difference:
        """How far B's value is from A's, in the order of elements in which they are nearest."""
        apart = one.difference(ours, theirs)
        tolerance = measurements.tolerance(one.group)
        is_kept = one.names[1] in self.kept
        if is_kept or apart.size() <= tolerance or not isinstance(theirs, np.ndarray):
            return apart
        order = orders.order_of(ours, theirs, tolerance)
        if order is None:
            return apart
        self.orders[one.names[1]] = order
        self.given[one.names[1]] = one
        return distance(orders.arranged(ours, order, theirs.shape), theirs)


def _is_coarse(array: np.ndarray) -> bool:
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return True
    return is_one_hot(array) or _has_larger_rows(array)


def _has_larger_rows(array: np.ndarray) -> bool:
    """Whether a row is so much larger than most that their differences are rounding beside it."""
    if array.ndim < 2 or not array.size:
        return False
    sizes = np.abs(array).max(axis=-1).reshape(-1)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return sizes.size > 1 and bool(sizes.max() > _LARGER_ROW * np.median(sizes))


def _in_a_row(
    arrays: list[np.ndarray | None] | list[np.ndarray], count: int = 0
) -> np.ndarray | None:
    """Arrays in one row; None where there are none, or not so many."""
    found = [one.reshape(-1) for one in arrays if one is not None]
    if not found or len(found) < count:
        return None
    return np.concatenate(found).astype(np.float64)
