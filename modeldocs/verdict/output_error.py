"""How far the numbers of two ports are apart, at values of usual size."""

from __future__ import annotations

from typing import Final

from modeldocs.diff import Diff, Direction

SMALL: Final = 0.01
"""The largest relative error of a small difference.

An epsilon of 2e-5 for 1e-5 makes about 5e-4 in a normalisation, the approximation of GELU by tanh
1e-3; a stride, pads or a scale that are another make 0.1 and more.
"""


def largest_error(diff: Diff, of_head: frozenset[int]) -> float | None:
    """The largest relative error of a layer that reads the same values in both ports, or of what
    both return; None where neither could be measured.

    `of_head` are the numbers of the changes of the output head, which count for nothing.
    """
    found = (
        [] if diff.parity is None else [_largest(one, of_head) for one in diff.parity.directions]
    )
    return max((one for one in found if one is not None), default=None)


def is_small(diff: Diff, of_head: frozenset[int]) -> bool:
    """Whether the ports were run, and differ by at most `SMALL` in all that differs."""
    error = largest_error(diff, of_head)
    if diff.parity is None or error is None or error > SMALL:
        return False
    measured = {number for one in diff.parity.directions for number in one.acting}
    measured |= diff.parity.small | diff.parity.by_marks | of_head
    grave = {n for n, one in enumerate(diff.changes, 1) if one.consequence in ("computes", "shape")}
    return grave <= measured and all(_is_measured(one) for one in diff.parity.directions)


def _is_measured(direction: Direction) -> bool:
    """Whether the size of every difference that was found is known."""
    known = all(one.error.relative is not None for one in direction.divergences)
    return known and (bool(direction.divergences) or direction.verdict == "holds")


def _largest(direction: Direction, of_head: frozenset[int]) -> float | None:
    errors = [one.error.relative for one in direction.divergences if one.change not in of_head]
    if not of_head:
        errors += [one.error.relative for one in direction.returned]
    return max((error for error in errors if error is not None), default=None)
