"""Layers whose outputs differ, grouped by the change that explains them."""

from __future__ import annotations

from modeldocs.diff import Divergence, Pair, Parity
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.struct import Struct


class ErrorCause(Struct, frozen=True):
    """Layers whose outputs differ because of one change, and the largest error among them.

    `change` is the number of that change, None where none explains them.
    """

    change: int | None
    pairs: tuple[Pair, ...]
    error: Difference


def causes(parity: Parity) -> list[ErrorCause]:
    """The causes of a parity's divergences, in the order of their first layers."""
    grouped: dict[int | None, list[Divergence]] = {}
    for divergence in parity.divergences:
        grouped.setdefault(divergence.change, []).append(divergence)
    return [_cause(change, group) for change, group in grouped.items()]


def _cause(change: int | None, group: list[Divergence]) -> ErrorCause:
    errors = [divergence.error for divergence in group if divergence.error.relative is not None]
    return ErrorCause(
        change=change,
        pairs=tuple(dict.fromkeys(divergence.pair for divergence in group)),
        error=max(errors, key=Difference.size, default=Difference()),
    )
