"""The plain data of a comparison by numbers: `Parity`, its directions and divergences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from modeldocs.diff.weights import Ids, Pair, Weights
from modeldocs.errors import Failure
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.struct import Struct

__all__ = [
    "Cluster",
    "Direction",
    "Divergence",
    "Ids",
    "Law",
    "Pair",
    "Parity",
    "Returned",
    "Uncompared",
]


class Law(Struct, frozen=True):
    """How the values of a constant in B follow from those in A: `rotary base 10,000 → 100`.

    `before` and `after` are empty where the name says it: `transposed`.
    """

    name: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The law in words."""
        return f"{self.name} {self.before} → {self.after}" if self.after else self.name


class Divergence(Struct, frozen=True):
    """Matched layers whose outputs differ.

    The layers were given equal inputs. `change` is the number, from 1, of the change in the diff
    that explains the divergence; None where none does. `settings` are those without which the
    layers are equal, where that was found by undoing them; `laws` say of constants how their values
    differ. `operators` and `names` are those of the layers in A and in B.
    """

    pair: Pair
    error: Difference
    change: int | None = None
    settings: tuple[str, ...] = ()
    operators: tuple[str, str] = ("", "")
    names: tuple[str, str] = ("", "")
    laws: tuple[Law, ...] = ()

    @property
    def made(self) -> str:
        """The operator, or those of both sides: `Mul in A, Div in B`."""
        ours, theirs = self.operators
        return ours if ours == theirs else f"{ours} in A, {theirs} in B"


class Partly(Struct, frozen=True):
    """The pairs of layers in which a change acts, of one that is idle in its others; the change is
    told by its number, from 1. `names` are those of each pair's layers in A and in B.
    """

    change: int
    pairs: tuple[Pair, ...]
    names: tuple[tuple[str, str], ...]


class Cluster(Struct, frozen=True):
    """Acting changes of layers without weights that are parts of one calculation, by their numbers,
    from 1: which of them makes it differ is not known. `pairs` are the layers at which the values
    differ.
    """

    changes: tuple[int, ...]
    pairs: tuple[Pair, ...]


class Uncompared(Struct, frozen=True):
    """Matched layers whose outputs could not be compared, and the reason."""

    pair: Pair
    reason: str


EQUAL = ("equal", "layout", "batch")
"""Relations of outputs of equal numbers, in the form in which the networks take their inputs."""

FORMS = ("reshaped", "transposed", "type")
"""Relations of outputs of equal numbers that a caller receives in another form."""


class Returned(Struct, frozen=True):
    """An output of both networks as they return it, with the same weights and inputs.

    `a` and `b` are its names, empty where one network does not return it, `places` its positions
    among the outputs, -1 for none. `relation` is `equal`, `layout` (equal but for the order of axes
    in which both also take their inputs), `batch` (equal for another batch), `reshaped`,
    `transposed` or `type` (the same numbers in another shape, order of axes or type), `apart`,
    `shape`, `missing`, or `unknown` where it could not be computed. Both shapes are as returned.
    """

    a: str
    b: str
    places: tuple[int, int]
    relation: str
    error: Difference = Difference()
    shapes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    types: tuple[str, str] = ("", "")


_Result = TypeVar("_Result", Divergence, Uncompared)


class Direction(Struct, frozen=True):
    """Both networks run with the designed weights of one of them.

    `outputs` is the difference of the outputs of the layers `end`, the last ones that correspond.
    `divergences` are the layers that differ by themselves, not because of what they read, in the
    order of the port that the weights were designed for; `first` is the first of them. `compared`
    is the number of compared pairs. `weights` is how the other port's weights were computed.
    `returned` are the outputs of both networks. `acting` and `idle` are the numbers, from 1, of
    changes that were measured: those in regions that differ, and those in regions that compute the
    same; `ending` are those of layers behind which only outputs are, `partly` those that act in
    some of their layers, `clusters` those that are parts of one calculation, `lacking` those of
    layers that one network lacks, and without which the other gives its numbers. `undecided` are
    those of parts that read values of other shapes and were not run, by part. With `only_small`,
    layers differ where values are as small as the epsilon of a norm, by the changes `small`; all
    else is of values of usual size, from which both compute the same. With `marks`, they differ
    where an input has one of these integers, such as that of padding, by the changes `by_marks`;
    all else is of inputs without them, from which both compute the same.
    """

    outputs: Difference | None = None
    end: Pair | None = None
    first: Divergence | None = None
    divergences: tuple[Divergence, ...] = ()
    compared: int = 0
    uncompared: tuple[Uncompared, ...] = ()
    weights: Weights = Weights()
    returned: tuple[Returned, ...] = ()
    acting: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    ending: tuple[int, ...] = ()
    partly: tuple[Partly, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    lacking: tuple[int, ...] = ()
    undecided: tuple[tuple[int, ...], ...] = ()
    only_small: bool = False
    small: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    by_marks: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """`holds`, `diverges`, or `not run`."""
        if self.outputs is None:
            return "not run"
        agrees = self.returns in ("same", "part", "unknown")
        holds = self.outputs.small and self.first is None and agrees
        return "holds" if holds else "diverges"

    @property
    def returns(self) -> str:
        """What both networks return: `same`, `form` (the same in another order, shape or type),
        `part` (one returns more), `apart`, or `unknown` where an output could not be computed.
        """
        relations = {one.relation for one in self.returned}
        if not relations or "unknown" in relations:
            return "unknown"
        if relations & {"apart", "shape"} or relations == {"missing"}:
            return "apart"
        if relations & set(FORMS) or self.reordered:
            return "form"
        return "part" if "missing" in relations else "same"

    @property
    def reordered(self) -> bool:
        """Whether the same outputs are returned in another order."""
        places = [one.places for one in self.returned if one.relation != "missing"]
        return places != sorted(places, key=lambda pair: pair[1])


class Parity(Struct, frozen=True):
    """Both networks run with A's designed weights, and again with B's.

    All pairs have A's layers first. The properties of both directions (`first`, `divergences` …)
    list the results of A's weights in B first, then those that only B's weights in A have.
    """

    a_to_b: Direction = Direction()
    b_to_a: Direction = Direction()
    failure: Failure | None = None
    seconds: float = 0.0

    @property
    def directions(self) -> tuple[Direction, Direction]:
        """A's weights in B, and B's in A."""
        return self.a_to_b, self.b_to_a

    @property
    def verdict(self) -> str:
        """`holds` (in both directions), `one way`, `diverges`, or `not run`."""
        verdicts = [direction.verdict for direction in self.directions]
        if self.failure is not None or "not run" in verdicts:
            return "not run"
        return {0: "diverges", 1: "one way", 2: "holds"}[verdicts.count("holds")]

    @property
    def _worse(self) -> Direction:
        """The direction with the larger difference of outputs."""
        return max(self.directions, key=_output_difference)

    @property
    def outputs(self) -> Difference | None:
        """The difference of the networks' outputs, the larger one of both directions."""
        return self._worse.outputs

    @property
    def end(self) -> Pair | None:
        """The layers whose outputs `outputs` compares."""
        return self._worse.end

    @property
    def first(self) -> Divergence | None:
        """The first layers whose outputs differ."""
        return self.a_to_b.first or self.b_to_a.first

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """The layers whose outputs differ, each pair once."""
        return _first_of_each_pair(
            divergence for direction in self.directions for divergence in direction.divergences
        )

    @property
    def compared(self) -> int:
        """The number of compared pairs of layers."""
        return max(direction.compared for direction in self.directions)

    @property
    def uncompared(self) -> tuple[Uncompared, ...]:
        """Layers that could not be compared in one of the directions, each pair once."""
        return _first_of_each_pair(
            uncompared for direction in self.directions for uncompared in direction.uncompared
        )

    @property
    def small(self) -> frozenset[int]:
        """The numbers of the changes that act only where values are as small as an epsilon."""
        acting = {number for one in self.directions for number in one.acting}
        return frozenset(n for one in self.directions for n in one.small) - acting

    @property
    def marks(self) -> tuple[int, ...]:
        """Integers of the inputs with which alone both differ, in one direction or the other."""
        return tuple(sorted({mark for one in self.directions for mark in one.marks}))

    @property
    def by_marks(self) -> frozenset[int]:
        """The numbers of the changes that act only where an input has one of the `marks`."""
        acting = {number for one in self.directions if not one.marks for number in one.acting}
        return frozenset(n for one in self.directions for n in one.by_marks) - acting

    @property
    def turned(self) -> int:
        """The number of kernels that must be turned by hand from A to B, or back."""
        return max(len(direction.weights.turned) for direction in self.directions)


def _output_difference(direction: Direction) -> float:
    return direction.outputs.size() if direction.outputs else -1.0


def _first_of_each_pair(results: Iterable[_Result]) -> tuple[_Result, ...]:
    """The first result of each pair."""
    by_pair: dict[Pair, _Result] = {}
    for result in results:
        by_pair.setdefault(result.pair, result)
    return tuple(by_pair.values())
