"""Layers whose numbers part, told once for each change that makes them."""

from __future__ import annotations

from modeldocs.diff import Divergence, Pair, Parity
from modeldocs.numerics.closeness import Difference
from modeldocs.struct import Struct


class Cause(Struct, frozen=True):
    """Layers that differ because of one change, and the largest error among them.

    `change` is its number, None where no change explains them. `on_equal_inputs` is true where all
    differ on equal inputs, false where one differs only while the networks run.
    """

    change: int | None
    pairs: tuple[Pair, ...]
    error: Difference
    on_equal_inputs: bool


def causes(parity: Parity) -> list[Cause]:
    """In the order of the first layer that each made part."""
    grouped: dict[int | None, list[Divergence]] = {}
    for held in parity.divergences:
        grouped.setdefault(held.change, []).append(held)
    return [_cause(change, group) for change, group in grouped.items()]


def _cause(change: int | None, group: list[Divergence]) -> Cause:
    told = [held.error for held in group if held.error.relative is not None]
    return Cause(
        change=change,
        pairs=tuple(dict.fromkeys(held.pair for held in group)),
        error=max(told, key=Difference.size, default=Difference()),
        on_equal_inputs=all(held.on_equal_inputs for held in group),
    )
