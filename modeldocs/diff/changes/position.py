"""Where a difference is: beside a layer, at an end of the network, or on one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Relation = Literal["start", "end", "unread", "behind", "before", "after", "channels last"]
"""`start` and `end` of the network; `unread` by any layer; `behind` a layer; `before` or `after`
the other layer of the difference; `channels last` on one side.
"""


_SIDES: Final = {"A": "B", "B": "A"}
_MIRRORED: Final[dict[str, Relation]] = {"before": "after", "after": "before"}


@dataclass(frozen=True)
class Position:
    """A relation, with the name of the layer, or with the side (`A` or `B`), that it is to."""

    relation: Relation
    to: str = ""

    def mirrored(self) -> Position:
        """The same, seen from B."""
        relation = _MIRRORED.get(self.relation, self.relation)
        on_side = self.relation == "channels last"
        return Position(relation, _SIDES[self.to] if on_side else self.to)


START: Final = Position("start")
END: Final = Position("end")
UNREAD: Final = Position("unread")
BEFORE: Final = Position("before")
AFTER: Final = Position("after")
