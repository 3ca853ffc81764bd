"""Lines for weights that both ports hold in another order, which no setting and no layer shows."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Parity
from modeldocs.diff.reporting.kinds import parameters
from modeldocs.diff.weights import MappedWeight

ORDER_OF_ROWS: Final = "order of rows"
"""Attribute of the lines."""

_LONGEST: Final = 60
"""Characters of the longest order that a title tells."""


def lines(parity: Parity) -> list[Change]:
    """A line for each order in which weights are held, where some direction is the same."""
    if not any(one.returns in ("same", "part") for one in parity.directions):
        return []
    groups: dict[str, list[MappedWeight]] = defaultdict(list)
    for weight in parity.a_to_b.weights.turned:
        if weight.reordered and len(weight.shape) > 1:
            groups[_order(weight)].append(weight)
    return [_line(order, weights) for order, weights in groups.items()]


def _order(weight: MappedWeight) -> str:
    """The order of a weight's rows, where that is short; empty where only the map can tell it."""
    source, _, order = weight.text.partition(": ")
    is_one = source in weight.sources and len(weight.sources) == 1
    return order if is_one and len(order) <= _LONGEST else ""


def _line(order: str, weights: list[MappedWeight]) -> Change:
    return Change(
        kind="parameters",
        consequence="parameters",
        title=parameters.of_rows(order, weights),
        text=parameters.OTHER_ROWS,
        pairs=tuple(dict.fromkeys(weight.pair for weight in weights)),
        operator="",
        attribute=ORDER_OF_ROWS,
    )
