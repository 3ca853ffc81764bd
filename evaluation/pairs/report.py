"""What the benchmark prints: a table of pairs, a row of all, and the lines of every diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from modeldocs.diff import Diff

from .judging import JUDGEMENTS, UNJUDGED, Line, counts
from .pairs import Pair
from .scoring import SURE, Compared

Row = tuple[Pair, Compared | Diff | str]
"""A pair and what came of it: its scores, of different networks their diff, else why neither."""

_HEADINGS = (
    "A",
    "B",
    "truth",
    "right",
    "missing",
    "wrong",
    f"wrong ≥ {SURE}",
    "best of difflib: right, wrong",
    "ahead",
    "ms",
    "verdict",
    "lines",
)


def scored(rows: Sequence[Row]) -> Table:
    """Pairs of one model, with a row of all at the end."""
    found = [held for _, held in rows if isinstance(held, Compared)]
    title = "Weighted layers mapped on pairs of published networks"
    table = Table(title=title, show_footer=bool(found))
    totals = _totals(found) if found else ()
    table.add_column("pair", footer=f"{len(found)} of {len(rows)} pairs", overflow="fold")
    for place, heading in enumerate(_HEADINGS):
        numeric = heading in _HEADINGS[3:7] or heading == "ms"
        table.add_column(
            heading,
            footer=totals[place] if totals else "",
            justify="right" if numeric else "left",
            overflow="fold",
        )
    for pair, held in rows:
        sides = (pair.name, pair.a.key, pair.b.key)
        if isinstance(held, Compared):
            table.add_row(*sides, *_cells(pair, held), style=None if _met(held) else "red")
        else:
            table.add_row(*sides, str(held), style="red")
    return table


def _met(held: Compared) -> bool:
    return held.ahead and not held.ours.sure and held.ours.right >= 0.995 * held.truth


def _cells(pair: Pair, held: Compared) -> tuple[str, ...]:
    ours, best = held.ours, held.baselines[held.best]
    assert pair.truth is not None
    return (
        f"{held.truth} by {pair.truth.told}",
        str(ours.right),
        str(held.truth - ours.right),
        str(ours.wrong),
        str(ours.sure),
        f"{best.right}, {best.wrong} ({held.best})",
        "yes" if held.ahead else "NO",
        f"{held.seconds * 1e3:.0f}",
        *_answer(held.diff),
    )


def _answer(diff: Diff | str) -> tuple[str, str]:
    """Verdict and lines by consequence, or the error that the diff ended with."""
    return (diff, "") if isinstance(diff, str) else (diff.verdict, _lines(diff))


def _lines(diff: Diff) -> str:
    return ", ".join(f"{count} {name}" for name, count in diff.consequences.items() if count)


def _totals(found: list[Compared]) -> tuple[str, ...]:
    truth = sum(held.truth for held in found)
    right = sum(held.ours.right for held in found)
    best = [held.baselines[held.best] for held in found]
    ahead = sum(held.ahead for held in found)
    return (
        "",
        "",
        str(truth),
        f"{right} ({100 * right / truth:.2f} %)",
        str(truth - right),
        str(sum(held.ours.wrong for held in found)),
        str(sum(held.ours.sure for held in found)),
        f"{sum(x.right for x in best)}, {sum(x.wrong for x in best)}",
        f"{ahead} of {len(found)}",
        f"≤ {max(held.seconds for held in found) * 1e3:.0f}",
        "",
        str(sum(len(held.diff.changes) for held in found if isinstance(held.diff, Diff))),
    )


def judged(rows: Sequence[Row], known: Mapping[Line, str]) -> Table:
    """How the lines of each pair were judged by hand."""
    headings = (*JUDGEMENTS, UNJUDGED)
    counted = [
        (pair.name, counts(pair, held.diff, known))
        for pair, held in rows
        if isinstance(held, Compared) and isinstance(held.diff, Diff) and held.diff.changes
    ]
    total = sum((count for _, count in counted), Counter[str]())
    lines = sum(total.values()) or 1
    table = Table(title="Lines judged by hand", show_footer=True)
    table.add_column("pair", footer=f"{lines} lines")
    for heading in headings:
        told = f"{total[heading]} ({100 * total[heading] / lines:.1f} %)"
        table.add_column(heading, footer=told, justify="right")
    for name, count in counted:
        clean = count["true"] == sum(count.values())
        numbers = (str(count[heading] or "") for heading in headings)
        table.add_row(name, *numbers, style=None if clean else "red")
    return table


def different(rows: Sequence[Row]) -> Table:
    """Pairs of two models, of which there is no truth to score."""
    table = Table(title="Different networks")
    for heading in ("pair", "A", "B", "layers", "matched", "verdict", "lines"):
        table.add_column(heading, overflow="fold")
    for pair, held in rows:
        if isinstance(held, Diff):
            layers = f"{held.a.layers}, {held.b.layers}"
            told = (layers, str(len(held.matches)), held.verdict, _lines(held))
            table.add_row(pair.name, pair.a.key, pair.b.key, *told)
        else:
            table.add_row(pair.name, pair.a.key, pair.b.key, str(held), style="red")
    return table


def write_lines(rows: Sequence[Row], file: Path) -> None:
    """Every line of every diff, to be judged by hand."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(_told(pair, held) for pair, held in rows) + "\n")


def _told(pair: Pair, held: Compared | Diff | str) -> str:
    head = f"# {pair.name}: {pair.a.key} against {pair.b.key}"
    diff = held.diff if isinstance(held, Compared) else held
    if isinstance(diff, str):
        return f"{head}\n{diff}"
    lines = (
        f"- [{change.consequence}, {change.kind}, × {len(change.pairs)}] {change.title}\n"
        f"  {change.text}"
        for change in diff.changes
    )
    return "\n".join([f"{head}: {diff.verdict}, {len(diff.changes)} lines", *lines])
