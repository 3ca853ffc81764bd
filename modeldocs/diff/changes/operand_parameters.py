"""Parameters that one graph has in a layer, and the other in the layer that makes its operand.

`Mul (x, p)` in one graph and `Mul (x, Exp (p))` in the other, or a table of positions that is added
and one that is looked up first: the layer that only one graph has says it all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.operand_equivalence import Wiring
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.changes.shape_propagation import Cause
from modeldocs.diff.fusion.group import learned

Operands = Collection[tuple[int, int]]
"""Operands that differ: A's source and B's, -1 for none."""


@dataclass
class OperandParameters:
    """The makers of such operands, each with the node of A that reads it or its counterpart does,
    and by node of A the roles of its parameters, or of its counterpart's.
    """

    readers: dict[Cause, int] = field(default_factory=dict)
    roles: dict[int, set[str]] = field(default_factory=dict)

    def without_made(self, operands: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Operands that differ, without those that such a layer makes."""
        return [
            (x, y)
            for x, y in operands
            if not ((x < 0 and ("b", y) in self.readers) or (y < 0 and ("a", x) in self.readers))
        ]


def find(matching: Matching, wiring: Wiring) -> OperandParameters:
    """What holds parameters in place of the layers that read it."""
    found = OperandParameters()
    for i, j in matching.pairs():
        ours, theirs = matching.a.ops[i].parameters, matching.b.ops[j].parameters
        if ours == theirs or not same_operator(matching, i, j):
            continue
        operands = wiring.differing_operands(i, j)
        left, right = dict(ours), dict(theirs)
        for role in left.keys() ^ right.keys():
            for maker in _makers(matching, operands, in_b=role in left):
                if maker not in found.readers:
                    found.readers[maker] = i
                    found.roles.setdefault(i, set()).add(role)
                    break
    return found


def _makers(matching: Matching, operands: Operands, *, in_b: bool) -> Iterator[Cause]:
    """The unmatched layers with parameters that make an operand of one graph alone."""
    for x, y in operands:
        if in_b and x < 0 <= y and matching.to_a[y] < 0 and learned(matching.b, (y,)):
            yield "b", y
        if not in_b and y < 0 <= x and matching.to_b[x] < 0 and learned(matching.a, (x,)):
            yield "a", x
