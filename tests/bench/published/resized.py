"""Published networks against themselves at another batch, length or image: `make bench-sizes`."""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from .. import guide
from ..pairs.nets import Net, Shapes
from . import judging, sets
from .judging import Answer

PAGE: Final = guide.GUIDE / "other-networks.md"
TARGET: Final = "bench-sizes"
_WIDTH: Final = 160
_CHANGES: Final = ("batch", "size")
_HEADINGS: Final = ("network", "changed", "told", "lines beside the size", "s")

Row = tuple[Net, str, Answer]


def main() -> None:
    """Compare networks of all sets with themselves at other sizes."""
    asked = _arguments()
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH)
    rows: list[Row] = []
    for net in _networks(asked.step):
        for change in _CHANGES:
            other = dataclasses.replace(
                net, name=f"{net.name}-{change}", inputs=_other(net, change)
            )
            with console.status(f"{net.key}, another {change}"):
                rows.append((net, change, judging.compared(net, other)))
            if asked.lines is not None:
                asked.lines.write_text("\n\n".join(map(_told, rows)) + "\n")
    console.print(_table(rows))
    for line in _summary(rows):
        console.print(line)
    if asked.page:
        wrong = (_cells(row) for row in rows if not _is_right(row[2]))
        told = guide.circumstances(TARGET, "torch", "onnxruntime")
        lines = [f"- {line}" for line in _summary(rows)]
        guide.write(PAGE, TARGET, ["", told, "", *lines, "", *guide.table(_HEADINGS, wrong), ""])


def _networks(step: int) -> list[Net]:
    """Every `step`-th network of the sets, each once."""
    nets = {net.key: net for pair in sets.chosen("all") for net in (pair.a, pair.b)}
    return list(nets.values())[::step]


def _other(net: Net, change: str) -> Shapes:
    """The inputs with a batch of two, or with fewer or more rows: of words, frames or pixels."""
    made = {}
    for name, told in net.inputs.items():
        typed = len(told) == 2 and isinstance(told[1], str)
        shape: Sequence[int] = told[0] if typed else told  # type: ignore[assignment]
        new = _another_batch(shape) if change == "batch" else _another_size(shape)
        made[name] = (new, told[1]) if typed else new
    return made  # type: ignore[return-value]


def _another_batch(shape: Sequence[int]) -> tuple[int, ...]:
    return (2 * shape[0], *shape[1:]) if shape else ()


def _another_size(shape: Sequence[int]) -> tuple[int, ...]:
    """Images half as large again, and three quarters of a sequence."""
    if len(shape) == 4:
        return (*shape[:2], *(size * 3 // 2 for size in shape[2:]))
    if len(shape) < 2:
        return tuple(shape)
    longest = max(range(1, len(shape)), key=lambda axis: shape[axis])
    axis = 1 if len(shape) == 2 else longest
    return tuple(
        math.ceil(size * 3 / 4) if place == axis else size for place, size in enumerate(shape)
    )


def _is_right(found: Answer) -> bool:
    """Whether the same function is told, with no line graver than spelling but the size."""
    return judging.says_same(found) and not _beside(found)


def _beside(found: Answer) -> list[str]:
    return [line for line in found.lines if not line.startswith(("input ", "output "))]


def _cells(row: Row) -> tuple[str, ...]:
    net, change, found = row
    told = found.step or found.failure[:60]
    return net.key, change, told, "; ".join(_beside(found))[:200], f"{found.seconds:.1f}"


def _table(rows: Sequence[Row]) -> Table:
    made = Table(title="One network at two sizes")
    for heading in _HEADINGS:
        made.add_column(heading, overflow="fold")
    for row in rows:
        made.add_row(*_cells(row), style=None if _is_right(row[2]) else "red")
    return made


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    for change in _CHANGES:
        found = [answer for _, one, answer in rows if one == change]
        run = [one for one in found if not one.failure]
        same = sum(map(judging.says_same, run))
        right = sum(map(_is_right, run))
        yield (
            f"another {change}: {same} of {len(run)} are told to be the same, {right} of them with "
            f"nothing but the size; {len(found) - len(run)} are not loaded at it"
        )


def _told(row: Row) -> str:
    net, change, found = row
    head = f"# {net.key}, another {change}: {found.step or found.failure}"
    if found.diff is None:
        return head
    lines = [
        f"- [{one.consequence}, {one.kind}, x {len(one.pairs)}] {one.title}\n  {one.text}"
        for one in found.diff.changes
        if one.consequence != "spelling"
    ]
    return "\n".join([head, *lines])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=TARGET, description=__doc__)
    parser.add_argument("--step", type=int, default=1, metavar="N", help="every N-th network")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="write all lines of the diffs")
    parser.add_argument("--page", action="store_true", help="write the figures into the guide")
    return parser.parse_args()


if __name__ == "__main__":
    main()
