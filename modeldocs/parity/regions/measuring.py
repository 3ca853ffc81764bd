"""Regions measured: B's side is given A's values, and what it computes is compared with A's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.normal.values import shape
from modeldocs.numerics.closeness import Difference, distance
from modeldocs.numerics.runtime import Runner
from modeldocs.parity import measurements
from modeldocs.parity.measurements import Network
from modeldocs.parity.partial_run import PartialRun
from modeldocs.parity.regions import orders
from modeldocs.parity.regions.cut_network import run_cut
from modeldocs.parity.regions.exits import Exit
from modeldocs.parity.regions.frontier import Frontiers

Arrays = dict[str, np.ndarray]


@dataclass
class Measured:
    """The difference of a region's exits, or why it was not measured.

    `unlike` is whether an exit has other elements in A and in B, which cannot be compared: what
    reads it is then given none of A's values in its place, and shows whether it is right.
    """

    difference: Difference | None = None
    reason: str = ""
    unlike: bool = False


@dataclass
class RegionRuns:
    """Runs regions of B on the values that A computes.

    `ours` is the run of A, which knows its values; `substitutes` are those that it could not
    compute, and goes on with; `of_group` are the exits by group, those to
    which A's values cannot be given left out of `given`.
    """

    ours: PartialRun
    substitutes: Arrays
    theirs: Network
    frontiers: Frontiers
    exits: list[Exit]
    of_group: dict[int, list[Exit]] = field(default_factory=dict)
    given: dict[str, Exit] = field(default_factory=dict)
    orders: dict[str, Arrangement] = field(default_factory=dict)
    """By the name of B's value: the order of A's elements in it, where numbers have shown it."""

    def __post_init__(self) -> None:
        for one in self.exits:
            self.of_group.setdefault(one.number, []).append(one)
            if one.has_counterpart():
                self.given[one.names[1]] = one
        self._whole = self.theirs.programs.whole()
        self._feeds = self.theirs.weights | self.theirs.inputs

    def every(self, numbers: Iterable[int]) -> dict[int, Measured]:
        """The regions of some groups, all in one run: each cut network is made once."""
        wanted = [one for number in numbers for one in self.of_group.get(number, [])]
        read = {
            one.names[1]: one
            for number in {one.number for one in wanted}
            for source in self.frontiers.region(number).groups
            for one in self.of_group.get(source, [])
            if one.names[1] in self.given
        }
        values = self._of_a({one.names[0] for one in (*wanted, *read.values())})
        given = self._converted(read, values)
        names = [one.names[1] for one in wanted]
        found, refused = run_cut(self.theirs.graph.model, self._feeds, given, names)
        return self._compared(wanted, values, found, refused)

    def one(
        self, number: int, dropped: Collection[int], changed: ir.Model | None = None
    ) -> Measured:
        """The region that ends in a group, where the groups `dropped` are not cut behind.

        `changed` is run in place of B's model.
        """
        wanted = self.of_group.get(number, [])
        read = {
            one.names[1]: one
            for source in self.frontiers.region(number, dropped).groups
            for one in self.of_group.get(source, [])
            if one.names[1] in self.given
        }
        values = self._of_a({one.names[0] for one in (*wanted, *read.values())})
        given = self._converted(read, values)
        names = [one.names[1] for one in wanted]
        try:
            runner = self._whole if changed is None else Runner(changed)
            found = runner.run(self._feeds, names, given)
        except Exception as error:  # a region alone may be what onnxruntime refuses
            return Measured(reason=str(error))
        return self._compared(wanted, values, found, {}).get(number, Measured())

    def _of_a(self, names: Iterable[str]) -> Arrays:
        """A's values; those that could not be computed are what both networks were given."""
        wanted = sorted(set(names))
        given = {name: self.substitutes[name] for name in wanted if name in self.substitutes}
        return self.ours.run(name for name in wanted if name not in given) | given

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
        """A's value as B computes it."""
        order = self.orders.get(one.names[1])
        if order is None:
            return one.converted(array)
        converted = orders.arranged(array, order, shape(one.b) or ())
        return one.typed(converted)

    def _compared(
        self,
        wanted: Iterable[Exit],
        values: Arrays,
        found: Mapping[str, np.ndarray],
        refused: Mapping[str, str],
    ) -> dict[int, Measured]:
        """By group: the largest difference of its exits."""
        measured: dict[int, Measured] = {}
        for one in wanted:
            name_a, name_b = one.names
            so_far = measured.setdefault(one.number, Measured(Difference(0.0, 0.0)))
            if name_a not in values or name_b not in found:
                reason = self.ours.refused.get(name_a) or refused.get(name_b, "it was not run")
                measured[one.number] = Measured(reason=so_far.reason or reason)
            elif so_far.difference is not None:
                apart = self._apart(one, values[name_a], found[name_b])
                if apart.relative is None and name_b not in self.given:
                    so_far.unlike = True
                else:
                    so_far.difference = max(so_far.difference, apart, key=Difference.size)
        return measured

    def _apart(self, one: Exit, ours: np.ndarray, theirs: np.ndarray) -> Difference:
        """How far B's value is from A's, in the order of elements in which they are nearest."""
        apart = one.difference(ours, theirs)
        tolerance = measurements.tolerance(one.group)
        if apart.size() <= tolerance or not isinstance(theirs, np.ndarray):
            return apart
        order = orders.order_of(ours, theirs, tolerance)
        if order is None:
            return apart
        self.orders[one.names[1]] = order
        self.given[one.names[1]] = one
        return distance(orders.arranged(ours, order, theirs.shape), theirs)
