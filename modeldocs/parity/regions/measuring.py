"""Regions measured: B's side is given A's values, and what it computes is compared with A's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.normal.values import shape
from modeldocs.numerics.closeness import Difference, distance, is_one_hot
from modeldocs.numerics.runtime import Runner
from modeldocs.parity import measurements
from modeldocs.parity.measurements import Network
from modeldocs.parity.partial_run import PartialRun
from modeldocs.parity.regions import orders
from modeldocs.parity.regions.exits import Exit
from modeldocs.parity.regions.frontier import Frontiers

Arrays = dict[str, np.ndarray]

_NOTHING: Mapping[str, np.ndarray] = {}


@dataclass
class Measured:
    """The difference of a region's exits, or why it was not measured.

    `unlike` is whether an exit has other elements in A and in B, which cannot be compared: what
    reads it is then given none of A's values in its place, and shows whether it is right. `coarse`
    is whether an exit hides small differences: integers, truth values, probabilities of 0 and 1.
    """

    difference: Difference | None = None
    reason: str = ""
    unlike: bool = False
    coarse: bool = False


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

    `ours` is the run of A, `known` are values of it that need not be computed; `of_group` are the
    exits by group, those to which A's values cannot be given left out of `given`.
    """

    ours: PartialRun
    known: Arrays
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

    def of_model(self, changed: ir.Model) -> RegionRuns:
        """The same regions of B with some layers changed; `changed` is B lowered."""
        copy = RegionRuns(self.ours, self.known, self.theirs, self.frontiers, self.exits)
        copy._whole = Runner(changed)
        return copy

    def reordered(self) -> set[int]:
        """Numbers of the groups whose elements numbers have shown to be in another order."""
        return {one.number for one in self.exits if one.names[1] in self.orders}

    def every(self, numbers: Iterable[int]) -> dict[int, Measured]:
        """The regions of some groups, all in one run of a network that is cut behind them."""
        asked = self._ask(numbers)
        run = PartialRun(self._whole, self._feeds)
        run.substitute(asked.given)
        return self._compared(asked, run.run(asked.names), run.refused)

    def one(
        self,
        number: int,
        dropped: Collection[int],
        changed: ir.Model | None = None,
        more: Mapping[str, np.ndarray] = _NOTHING,
    ) -> Measured:
        """The region that ends in a group, where the groups `dropped` are not cut behind.

        `changed` is run in place of B's model; `more` are further values that B is given.
        """
        asked = self._ask([number], dropped)
        try:
            runner = self._whole if changed is None else Runner(changed)
            found = runner.run(self._feeds, asked.names, asked.given | dict(more))
        except Exception as error:  # a region alone may be what onnxruntime refuses
            return Measured(reason=str(error))
        return self._compared(asked, found, {}).get(number, Measured())

    def values(self, number: int, of: tuple[str, str]) -> tuple[np.ndarray, np.ndarray] | None:
        """A value of A and one of B in the region that ends in a group; None where not computed."""
        asked = self._ask([number])
        ours = self.ours.run([of[0]]).get(of[0])
        try:
            theirs = self._whole.run(self._feeds, [of[1]], asked.given).get(of[1])
        except Exception:  # as above
            return None
        both = ours, theirs
        if not all(isinstance(one, np.ndarray) for one in both):
            return None
        assert ours is not None and theirs is not None
        return ours, theirs

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
        values = {name: self.known[name] for name in names & self.known.keys()}
        values |= self.ours.run(sorted(names - values.keys()))
        return _Asked(wanted, values, self._converted(read, values))

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
        self, asked: _Asked, found: Mapping[str, np.ndarray], refused: Mapping[str, str]
    ) -> dict[int, Measured]:
        """By group: the largest difference of its exits."""
        measured: dict[int, Measured] = {}
        values = asked.values
        for one in asked.wanted:
            name_a, name_b = one.names
            so_far = measured.setdefault(one.number, Measured(Difference(0.0, 0.0)))
            if name_a not in values or name_b not in found:
                reason = self.ours.refused.get(name_a) or refused.get(name_b, "it was not run")
                measured[one.number] = Measured(reason=so_far.reason or reason)
            elif so_far.difference is not None:
                apart = self._apart(one, values[name_a], found[name_b])
                so_far.coarse |= _is_coarse(values[name_a])
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


def _is_coarse(array: np.ndarray) -> bool:
    return not isinstance(array, np.ndarray) or array.dtype.kind != "f" or is_one_hot(array)
