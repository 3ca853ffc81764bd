"""The part of the guide's page on the accuracy of the diff that the benchmark writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evaluation import guide
from evaluation.guide import table

from .baseline import LISTS
from .figures import Measured
from .planting import EDITS, Planted, Tally, merged

PAGE: Final = guide.GUIDE / "diff-accuracy.md"
_MET: Final = {True: "yes", False: "**no**", None: "not measured"}


APART: Final = (
    "No two edits are about the same layer, and none is about one that was respelt.",
    "An edit computes something else, or is one of fusing, splitting or layout: no Relu on what "
    "is never negative or cut off later, no norm behind a layer whose bias it would spell, no "
    "`ceil_mode` that gives the same size.",
    "No two edits together read as a third: a layer put in where one is gone, or beside one that "
    "was given another operator, and an operator that goes within two steps of where it comes.",
    "No layer, and no row of them, is put in or taken out where another that is equal could as "
    "well be the one. Of a row of equal blocks any may be named; a row that gained or lost one has "
    "no other edit, nor has what stands before or behind it, and a chain of residual blocks gains "
    "or loses no second one.",
    "A residual block has two edits at most; with a block put in or taken out of its chain, there "
    "is one edit from any block to the next of its kind. With more, another block in its place is "
    "a smaller change.",
    "Two branches are swapped only where they differ in more than one layer, and neither is one "
    "that is new or packed with the other.",
)
"""What the generator of edits keeps apart, since there is no one right answer."""


def write(measured: Measured, path: Path = PAGE) -> None:
    """Put what was measured between the markers of the page."""
    guide.write(path, "bench-diff", _body(measured))


def circumstances() -> str:
    """Where, when and with what this run was made."""
    measured = guide.circumstances("bench-diff", "onnxruntime")
    return f"{measured} Times are of the processor, on one core."


def _body(measured: Measured) -> Iterator[str]:
    yield "\n" + circumstances() + "\n"
    rows = [(row.name, row.target, row.reached, _MET[row.met]) for row in measured.figures()]
    yield from table(("figure", "at least", "reached", "met"), rows)
    yield from _planted(measured)
    yield from _known(measured)
    yield from _curve(measured)
    yield from _faults(measured)


def _planted(measured: Measured) -> Iterator[str]:
    yield "\n## Planted edits\n"
    yield (
        "Half of the graphs are respelt before edits go in: the same function written as another "
        "porter would, with concatenations nested or flat, sums in another tree, query, key and "
        "value in one product or in three, attention in pieces, masks an operand, a Split as "
        "Slices, means for pools, padding on its own, dropouts.\n"
    )
    yield "Edits may stand side by side and beside look-alikes. These are kept apart:\n"
    yield from (f"- {rule}" for rule in APART)
    yield ""
    for told, tallies in (
        ("As loaded", measured.planted.plain),
        ("Respelt", measured.planted.respelt),
    ):
        names = list(dict.fromkeys(name for name, _ in tallies))
        counts = [k for k in EDITS if any((name, k) in tallies for name in names)]
        yield f"\n**{told}.** F1 of the mapping, mean over the seeds; in brackets, the best list.\n"
        rows = [(name, *(_cell(tallies[name, k]) for k in counts)) for name in names]
        yield from table(("graph", *(f"{k} edits" for k in counts)), rows)
        yield (
            "\nEdits told as they are; changes told that an edit explains; changes told ÷ edits.\n"
        )
        some = [k for k in counts if k]
        rows = [(name, *(_told(tallies[name, k]) for k in some)) for name in names]
        yield from table(("graph", *(f"{k} edits" for k in some)), rows)
    yield "\nF1 of difflib at 20 edits, by what a list shows of each layer.\n"
    yield from _lists(measured.planted)
    yield "\nBy kind of edit, up to 20 at once.\n"
    total = merged(measured.planted.both(), (1, 5, 20))
    kinds = [
        (kind, f"{total.planted[kind]:,}", f"{total.found[kind] / total.planted[kind]:.1%}")
        for kind in sorted(total.planted)
    ]
    yield from table(("edit", "planted", "found"), kinds)


def _cell(tally: Tally) -> str:
    return f"{tally.mean:.4f} ({tally.listed():.3f})"


def _told(tally: Tally) -> str:
    found = tally.score
    ratio = found.told / max(sum(found.planted.values()), 1)
    return f"{found.recall:.1%}; {found.precision:.1%}; {ratio:.2f}"


def _lists(planted: Planted) -> Iterator[str]:
    twenty = {name: tally for (name, k), tally in planted.both().items() if k == 20}
    ways = [*LISTS, "best"]
    rows = [
        (name, f"{tally.mean:.3f}", *(f"{tally.listed(way):.3f}" for way in ways))
        for name, tally in twenty.items()
    ]
    yield from table(("graph", "diff", *ways[:-1], "best of them"), rows)


def _known(measured: Measured) -> Iterator[str]:
    yield "\n## Known pairs\n"
    rows = []
    for answer in measured.answers:
        outcome, pair = answer.outcome, f"{answer.known.a}, {answer.known.b}"
        if outcome is None:
            rows.append((pair, "not loaded", "", ""))
            continue
        found, lines = len(outcome.found), len(answer.known.changes)
        missed = "; ".join([*outcome.wrong, *map(str, outcome.missed)])
        beside = "; ".join(change.title for change in outcome.unexpected)
        rows.append((pair, f"{found} of {lines}", missed or "–", beside or "–"))
    yield from table(("pair", "told", "missed", "told beside"), rows)


def _curve(measured: Measured) -> Iterator[str]:
    yield "\n## Large graphs\n"
    yield "Repeated blocks with 20 edits planted, renamed and shuffled.\n"
    rows = [
        (
            point.family,
            f"{point.layers:,}",
            "not done" if point.seconds is None else f"{point.seconds:.2f} s",
            "" if point.megabytes is None else f"{point.megabytes:,.0f} MB",
            "" if point.f1 is None else f"{point.f1:.4f}",
        )
        for point in measured.curve
    ]
    yield from table(("made of", "layers", "time", "memory", "F1"), rows)


def _faults(measured: Measured) -> Iterator[str]:
    missed = [fault for fault in measured.located.faults if not fault.named]
    if missed or measured.located.alarms:
        yield "\n## Parity, where it fell short\n"
        rows = [(x.port, x.kind, x.layer, x.told) for x in missed]
        rows += [(alarm, "none", "none", "a difference") for alarm in measured.located.alarms]
        yield from table(("port", "planted", "in", "told"), rows)
