"""What the benchmark prints: a row of every pair, and a row of all."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.table import Table

from modeldocs.diff import Diff

from .. import guide
from ..pairs.judging import Line
from .judging import Answer, counts, is_right
from .pairs import Published

Row = tuple[Published, Answer]

_HEADINGS = ("truth", "headline", "right", "lines", "true", "false", "not judged", "maps", "s")


def table(rows: Sequence[Row], known: Mapping[Line, str]) -> Table:
    """Pairs with their truth and what is told of them."""
    made = Table(title="Pairs of published networks", show_footer=True)
    right = sum(is_right(*row) for row in rows)
    made.add_column("pair", footer=f"{len(rows)} pairs")
    for heading, total in zip(_HEADINGS, _totals(rows, known, right), strict=True):
        made.add_column(heading, footer=total, overflow="fold")
    for pair, found in rows:
        cells = (
            pair.kind,
            found.step or found.failure[:80],
            "yes" if is_right(pair, found) else "NO",
        )
        numbers = (len(found.lines), *counts(pair, found, known))
        made.add_row(
            pair.name,
            *cells,
            *(str(one or "") for one in numbers),
            _maps(found),
            f"{found.seconds:.1f}",
            style=None if is_right(pair, found) and not numbers[2] else "red",
        )
    return made


def summary(rows: Sequence[Row], known: Mapping[Line, str]) -> list[str]:
    """The figures of all pairs, those that are the same and those that differ."""
    told = []
    for kind in ("same", "different"):
        of_kind = [row for row in rows if row[0].kind == kind]
        right = sum(is_right(*row) for row in of_kind)
        lines = [counts(*row, known) for row in of_kind]
        true, false, unknown = (
            (sum(column) for column in zip(*lines, strict=True)) if lines else (0, 0, 0)
        )
        told.append(
            f"{kind}: headline right for {right} of {len(of_kind)}; "
            f"lines: {true} true, {false} false, {unknown} not judged"
        )
    maps = [one for _, found in rows for one in found.maps]
    good = sum(one.is_right for one in maps)
    if maps:
        told.append(
            f"maps: {good} of {len(maps)} give the source's outputs; "
            f"{sum(one.is_true for one in maps)} are what parity says of them"
        )
    return told


def _totals(rows: Sequence[Row], known: Mapping[Line, str], right: int) -> tuple[str, ...]:
    lines = [counts(*row, known) for row in rows]
    sums = [sum(column) for column in zip(*lines, strict=True)] or [0, 0, 0]
    seconds = [found.seconds for _, found in rows if found.diff is not None] or [0.0]
    maps = [one for _, found in rows for one in found.maps]
    return (
        "",
        "",
        f"{right} of {len(rows)}",
        str(sum(sums)),
        *map(str, sums),
        f"{sum(one.is_right for one in maps)} of {len(maps)}",
        f"median {statistics.median(seconds):.1f}, worst {max(seconds):.1f}",
    )


def page_lines(rows: Sequence[Row], known: Mapping[Line, str]) -> Iterator[str]:
    """The same for the guide: the figures of all, and every pair."""
    yield from (f"- {line}" for line in summary(rows, known))
    seconds = [found.seconds for _, found in rows if found.diff is not None] or [0.0]
    yield f"- time of a pair: median {statistics.median(seconds):.1f} s, worst {max(seconds):.1f} s"
    yield ""
    cells = []
    for pair, found in rows:
        lines, (_, false, unknown) = len(found.lines), counts(pair, found, known)
        told = f"{lines}, {false + unknown} false" if false + unknown else str(lines)
        right = "yes" if is_right(pair, found) else "**no**"
        said = found.step or "not loaded"
        cells.append((pair.name, pair.kind, said, right, told, _maps(found)))
    yield from guide.table(("pair", "truth", "told", "right", "lines", "maps"), cells)


def _maps(found: Answer) -> str:
    """Both directions: right, or the error, or why it was not run."""
    return ", ".join(
        "right"
        if one.is_right
        else "not run"
        if one.failure
        else f"{len(one.unset)} unset"
        if one.unset
        else f"{one.error:.0e}"
        for one in found.maps
    )


def write_lines(rows: Sequence[Row], file: Path) -> None:
    """Every line graver than spelling, to be judged by hand, with the note of what differs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(_told(pair, found) for pair, found in rows) + "\n")


def _told(pair: Published, found: Answer) -> str:
    head = f"# {pair.name}: {pair.a.key} against {pair.b.key}\ntruth: {pair.kind}; {pair.note}"
    if found.diff is None:
        return f"{head}\nnot compared: {found.failure}"
    lines = grave(found.diff)
    for one in found.maps:
        lines.append(
            f"map {one.pair}: {one.failure or one.claim}, error {one.error}, mapped {one.mapped}, "
            f"lost {one.lost[:4]}, unset {one.unset[:4]}, unknown {one.unknown[:4]}"
        )
    return "\n".join([f"{head}\ntold: {found.step}, {found.seconds:.1f} s", *lines])


def grave(diff: Diff) -> list[str]:
    """The lines of a diff that are graver than spelling, with their texts."""
    return [
        f"- [{one.consequence}, {one.kind}, × {len(one.pairs)}] {one.title}\n  {one.text}"
        for one in diff.changes
        if one.consequence != "spelling"
    ]
