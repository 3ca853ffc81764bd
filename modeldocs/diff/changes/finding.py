"""One difference of one pair of nodes, before equal findings are merged into a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from modeldocs.diff.changes.position import Position
from modeldocs.diff.parity import Pair

OPPOSITE: Final = {"inserted": "deleted", "deleted": "inserted"}
"""The kind of a change from B to A, where that is another one."""


@dataclass(slots=True)
class Finding:
    """A difference at `pair`, the ids of layers of A and of B; empty where only one side has any.

    `before` is A's value, `after` B's. Findings with the same `key` make one change.
    """

    kind: str
    consequence: str
    operator: str
    pair: Pair
    attribute: str | None = None
    before: Any = None
    after: Any = None
    merge_key: Any = None
    """Replaces `before` and `after` in `key`: the ratio of shapes, say, in place of the shapes."""
    parameter_delta: int = 0
    """The number of trainable parameters that B has more."""
    followers: int = 0
    """The number of layers that differ only as a consequence."""
    place: Position | None = None
    """Where a layer is that only one side has, or to which side of the other it moved."""
    detail: Any = None
    """The stride that moved; of different networks, the layers in common by operator."""
    other_pairs: tuple[Pair, ...] = ()
    """Further pairs that have the difference."""
    operator_b: str = ""
    """B's operator, where it computes another function than A's."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What findings of one change have in common."""
        values = (self.before, self.after) if self.merge_key is None else self.merge_key
        return self.kind, self.consequence, self.operator, self.operator_b, self.attribute, values

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs that have the difference."""
        return (self.pair, *self.other_pairs)

    def mirrored(self) -> Finding:
        """The same difference from B to A."""
        return replace(
            self,
            kind=OPPOSITE.get(self.kind, self.kind),
            operator=self.operator_b or self.operator,
            operator_b=self.operator if self.operator_b else "",
            pair=self.pair[::-1],
            before=self.after,
            after=self.before,
            parameter_delta=-self.parameter_delta,
            place=self.place.mirrored() if self.place is not None else None,
            other_pairs=tuple(pair[::-1] for pair in self.other_pairs),
        )
