"""Lines of which running has shown that they act in some of their layers, and in others do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Pair, Parity

_IDLE: Final = "In these layers it is written differently: both give the same numbers."
_FEW: Final = 3
"""Layers that a title names."""

Names = Mapping[Pair, str]
"""The pairs of layers in which a change acts, with the names of the layers in A, else in B."""


def by_change(parity: Parity) -> dict[int, Names]:
    """By the number of a change, from 1: where it acts, if that is not in all of its layers."""
    found: dict[int, dict[Pair, str]] = {}
    whole: set[int] = set()
    for direction in parity.directions:
        partly = {one.change: one for one in direction.partly}
        whole |= set(direction.acting) - partly.keys()
        for number, one in partly.items():
            known = found.setdefault(number, {})
            for pair, (ours, theirs) in zip(one.pairs, one.names, strict=True):
                known.setdefault(pair, ours or theirs)
    return {number: names for number, names in found.items() if number not in whole}


def split(change: Change, acting: Names) -> tuple[Change, Change | None]:
    """What of a change acts, and what does not; None if it acts in all of its layers after all."""
    there = tuple(pair for pair in change.pairs if pair in acting)
    elsewhere = tuple(pair for pair in change.pairs if pair not in acting)
    if not there or not elsewhere:
        return change, None
    names = f" ({', '.join(acting[pair] for pair in there)})" if len(there) <= _FEW else ""
    act = "acts" if len(there) == 1 else "act"
    title = f"{change.title}: {len(there):,} of {len(change.pairs):,} {act}{names}"
    acts = msgspec.structs.replace(change, title=title, pairs=there)
    do = "does" if len(elsewhere) == 1 else "do"
    title = f"{change.title}: {len(elsewhere):,} of {len(change.pairs):,} {do} not act"
    idle = msgspec.structs.replace(
        change,
        consequence="spelling",
        title=title,
        text=_IDLE,
        pairs=elsewhere,
        followers=0,
        parameter_delta=0,
    )
    return acts, idle
