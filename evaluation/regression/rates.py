"""How often a test is right on pairs of equal runs, and on planted slowdowns of the second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from modeldocs.benchmarks.regression import change

from .generated import SLOWDOWNS, Series
from .repeated import Repeated
from .verdicts import TESTS, Said

SHARES: Final = (0.02, 0.05, 0.10)
"""Planted slowdowns, as shares of the step time."""

MOST_ALARMS, LEAST_FOUND = 0.01, 0.95
"""Targets: false alarms on equal runs, and slowdowns of 5 % of the whole run that are found."""

PLANTED: Final = 300
"""Pairs of each source in which slowdowns are planted."""


@dataclass(frozen=True)
class Rates:
    """Rates of the verdict of modeldocs on one source, as shares of its pairs.

    `found` is by kind and size of the slowdown; `tail_found` is of the 90th percentile. Slowdowns
    of one process are not planted in runs of one.
    """

    source: str
    name: str
    pairs: int
    alarms: float
    tail_alarms: float | None
    unsure: float
    found: dict[tuple[str, float], float]
    tail_found: dict[tuple[str, float], float]


def rates(repeated: Repeated) -> Rates:
    """The rates of the verdict on one source."""
    pairs, planted = repeated.pairs, repeated.pairs[:PLANTED]
    has_tail = min(len(process) for pair in pairs for run in pair for process in run) >= 50
    kinds = [
        (kind, share)
        for kind in SLOWDOWNS
        for share in SHARES
        if kind != "one process" or len(pairs[0][1]) > 1
    ]
    changes = [change(a, b).answer for a, b in pairs]
    return Rates(
        source=repeated.source,
        name=repeated.name,
        pairs=len(pairs),
        alarms=sum(answer in ("slower", "faster") for answer in changes) / len(pairs),
        tail_alarms=_alarms(TESTS["modeldocs, 90th percentile"], pairs) if has_tail else None,
        unsure=changes.count("cannot tell") / len(pairs),
        found={one: _found(TESTS["modeldocs, median"], planted, *one) for one in kinds},
        tail_found={
            one: _found(TESTS["modeldocs, 90th percentile"], planted, *one) for one in kinds
        }
        if has_tail
        else {},
    )


@dataclass(frozen=True)
class Compared:
    """A test beside others: its false alarms, and what it finds of slowdowns of 5 %, by source."""

    test: str
    alarms: dict[str, float]
    found: dict[str, float]


def compared(test: str, sources: list[Repeated]) -> Compared:
    """A test on some sources."""
    say = TESTS[test]
    return Compared(
        test=test,
        alarms={one.name: _alarms(say, one.pairs) for one in sources},
        found={one.name: _found(say, one.pairs[:PLANTED], "whole run", 0.05) for one in sources},
    )


_Test = Callable[[Series, Series], Said]


def _alarms(say: _Test, pairs: list[tuple[Series, Series]]) -> float:
    return sum(say(a, b) != "nothing" for a, b in pairs) / len(pairs)


def _found(say: _Test, pairs: list[tuple[Series, Series]], kind: str, share: float) -> float:
    slow = SLOWDOWNS[kind]
    return sum(say(a, slow(b, share)) == "slower" for a, b in pairs) / len(pairs)
