"""One difference of one pair of nodes, before equal ones are merged into a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from modeldocs.diff.parity import Pair

_OPPOSITE: Final = {
    "inserted": "deleted",
    "deleted": "inserted",
    "before it": "behind it",
    "behind it": "before it",
    "channels last in A": "channels last in B",
    "channels last in B": "channels last in A",
}


@dataclass(slots=True)
class Finding:
    """A difference at `pair`, ids of A and of B, none where only one side has it.

    Findings equal in all but `pair`, `also`, `delta`, `followers` and `where` make one line.
    `alike`, where it is given, replaces before and after in that comparison: shapes that differ by
    the same ratio. `also` are further pairs that have the difference; `delta` is the number of
    parameters that B has more; `followers` are layers that differ only in consequence.
    """

    kind: str
    consequence: str
    operator: str
    pair: Pair
    attribute: str | None = None
    before: Any = None
    after: Any = None
    alike: Any = None
    delta: int = 0
    followers: int = 0
    where: str = ""
    """Where a layer stands that only one side has (`at the end`), or to which side it moved."""
    amount: Any = None
    """What moved, where that is less than a layer: a stride."""
    also: tuple[Pair, ...] = ()
    became: str = ""
    """B's operator, where it computes something else than A's."""

    @property
    def line(self) -> tuple[Any, ...]:
        """What findings of one line have in common."""
        values = (self.before, self.after) if self.alike is None else self.alike
        return self.kind, self.consequence, self.operator, self.became, self.attribute, values

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs that have the difference."""
        return (self.pair, *self.also)

    def mirrored(self) -> Finding:
        """The same difference from B to A."""
        return replace(
            self,
            kind=_OPPOSITE.get(self.kind, self.kind),
            operator=self.became or self.operator,
            became=self.operator if self.became else "",
            pair=self.pair[::-1],
            before=self.after,
            after=self.before,
            delta=-self.delta,
            where=_OPPOSITE.get(self.where, self.where),
            also=tuple(pair[::-1] for pair in self.also),
        )
