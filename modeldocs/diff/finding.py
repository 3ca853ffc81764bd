"""One difference of one pair of nodes, before repeats are told as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from modeldocs.diff.parity import Pair


@dataclass(slots=True)
class Finding:
    """A difference at `pair`, ids of A and of B, none where only one side has it.

    Findings equal in all but `pair`, `delta` and `followers` make one line. `alike` stands for
    before and after in that comparison where it is given: shapes that part by the same ratio.
    `delta` is the number of parameters that B has more; `followers` are nodes of A that differ
    only in consequence.
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
    """Where a layer stands that only one side has: `at the end`."""

    @property
    def line(self) -> tuple[Any, ...]:
        """What findings of one line have in common."""
        values = (self.before, self.after) if self.alike is None else self.alike
        return self.kind, self.consequence, self.operator, self.attribute, values
