"""The part of the guide's page on the diff that the benchmark writes."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from modeldocs.benchmarks import machine

from .figures import Measured
from .planting import EDITS, merged
from .subjects import REPOSITORY

PAGE: Final = REPOSITORY / "site_src" / "guide" / "diff.md"
_BEGIN: Final = "<!-- begin measured: written by make bench-diff -->"
_END: Final = "<!-- end measured -->"
_MET: Final = {True: "yes", False: "**no**", None: "not measured"}


def write(measured: Measured, path: Path = PAGE) -> None:
    """Put what was measured between the markers of the page."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    body = "\n".join(_body(measured))
    path.write_text(f"{head}{_BEGIN}\n{body}\n{_END}{tail}", encoding="utf-8")


def circumstances() -> str:
    """Where, when and with what this run was made."""
    host = machine.host()
    day = datetime.now(UTC).date().isoformat()
    return (
        f"Measured on {day} with `make bench-diff`, on {host.cpu} ({host.logical_cores} cores), "
        f"with modeldocs {version('modeldocs')}, Python {platform.python_version()} and "
        f"onnxruntime {version('onnxruntime')}. Times are of the processor, on one core."
    )


def _body(measured: Measured) -> Iterator[str]:
    yield "\n" + circumstances() + "\n"
    rows = [(row.name, row.target, row.reached, _MET[row.met]) for row in measured.figures()]
    yield from _table(("figure", "at least", "reached", "met"), rows)
    yield from _planted(measured)
    yield from _known(measured)
    yield from _curve(measured)
    yield from _faults(measured)


def _planted(measured: Measured) -> Iterator[str]:
    names = list(dict.fromkeys(name for name, _ in measured.planted))
    yield "\n### Planted edits\n"
    yield "F1 of the mapping, mean over the seeds; in brackets, difflib on the list of layers.\n"
    rows = [
        (name, *(_cell(measured, name, k) for k in EDITS if (name, k) in measured.planted))
        for name in names
    ]
    yield from _table(("graph", *(f"{k} edits" for k in EDITS)), rows)
    yield "\nEdits told as they are; changes told that an edit explains; changes told ÷ edits.\n"
    told = [
        (name, *(_told(measured, name, k) for k in EDITS if k and (name, k) in measured.planted))
        for name in names
    ]
    yield from _table(("graph", *(f"{k} edits" for k in EDITS if k)), told)
    yield "\nBy kind of edit, up to 20 at once.\n"
    total = merged(measured.planted, (1, 5, 20))
    kinds = [
        (kind, f"{total.planted[kind]:,}", f"{total.found[kind] / total.planted[kind]:.1%}")
        for kind in sorted(total.planted)
    ]
    yield from _table(("edit", "planted", "found"), kinds)


def _cell(measured: Measured, name: str, k: int) -> str:
    tally = measured.planted[name, k]
    return f"{tally.mean:.4f} ({tally.listed_mean:.3f})"


def _told(measured: Measured, name: str, k: int) -> str:
    found = measured.planted[name, k].score
    ratio = found.told / sum(found.planted.values())
    return f"{found.recall:.1%}; {found.precision:.1%}; {ratio:.2f}"


def _known(measured: Measured) -> Iterator[str]:
    yield "\n### Known pairs\n"
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
    yield from _table(("pair", "told", "missed", "told beside"), rows)


def _curve(measured: Measured) -> Iterator[str]:
    yield "\n### Large graphs\n"
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
    yield from _table(("made of", "layers", "time", "memory", "F1"), rows)


def _faults(measured: Measured) -> Iterator[str]:
    missed = [fault for fault in measured.located.faults if not fault.named]
    if missed or measured.located.alarms:
        yield "\n### Parity, where it fell short\n"
        rows = [(x.port, x.kind, x.layer, x.told) for x in missed]
        rows += [(alarm, "none", "none", "a difference") for alarm in measured.located.alarms]
        yield from _table(("port", "planted", "in", "told"), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(heads)
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield _row([text.replace("|", "\\|") for text in row])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
