"""The part of the guide's page on reading benchmarks that `make bench-regression` writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluation import guide
from evaluation.guide import table

from .rates import LEAST_FOUND, MOST_ALARMS, SHARES, Compared, Rates

TARGET: Final = "bench-regression"
PAGE: Final = guide.GUIDE / "reading-benchmarks.md"

HEADS: Final = ("equal runs", "pairs", "called different", "cannot tell", "2 %", "5 %", "10 %")


def circumstances() -> str:
    """When, where and with what this run was made."""
    return guide.circumstances(TARGET, "numpy", "scipy")


def write(found: Sequence[Rates], tests: Sequence[Compared]) -> None:
    """Put the rates between the markers of the page."""
    guide.write(PAGE, TARGET, lines(found, tests))


def lines(found: Sequence[Rates], tests: Sequence[Compared]) -> Iterator[str]:
    """The tables in Markdown."""
    yield f"\n{circumstances()}\n"
    yield (
        "Runs that are equal, how many pairs of them are called different (target: at most 1 %) or "
        "not told apart from noise, and how many slowdowns of the second run are found (target: "
        "95 % of those by 5 %). Rates that miss their target are bold.\n"
    )
    yield from table(HEADS, [_row(one) for one in found])
    yield "\nSlowdowns of a part of the run, by 5 % and 10 %, found by the median:\n"
    kinds = ("one process", "tail")
    heads = ("equal runs", *(f"{kind}, {share:.0%}" for kind in kinds for share in SHARES[1:]))
    rows = [
        (_name(one), *(_share(one.found.get((k, s))) for k in kinds for s in SHARES[1:]))
        for one in found
    ]
    yield from table(heads, rows)
    yield "\nThe 90th percentile, whose verdict is printed beside that of the median:\n"
    heads = ("equal runs", "called different", *(f"tail, {share:.0%}" for share in SHARES))
    rows = [
        (_name(one), _alarms(one.tail_alarms), *(_share(one.tail_found["tail", s]) for s in SHARES))
        for one in found
        if one.tail_found
    ]
    yield from table(heads, rows)
    yield "\nOther tests of the same runs: called different; slowdowns by 5 % found.\n"
    names = list(tests[0].alarms)
    rows = [
        (one.test, *(f"{_percent(one.alarms[name])}; {one.found[name]:.0%}" for name in names))
        for one in tests
    ]
    yield from table(("test", *names), rows)


def _name(one: Rates) -> str:
    return f"{one.source}: {one.name}"


def _row(one: Rates) -> tuple[str, ...]:
    found = [_share(one.found["whole run", share]) for share in SHARES]
    if one.found["whole run", 0.05] < LEAST_FOUND:
        found[1] = f"**{found[1]}**"
    return (_name(one), f"{one.pairs:,}", _alarms(one.alarms), _share(one.unsure), *found)


def _alarms(share: float | None) -> str:
    if share is None:
        return "–"
    return f"**{_percent(share)}**" if share > MOST_ALARMS else _percent(share)


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
