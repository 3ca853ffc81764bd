"""Published networks against themselves at another batch, length or image: `make bench-sizes`."""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from .. import guide
from ..pairs.nets import Net, Shapes
from . import judging, report, sets
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
            with console.status(f"{net.key}, another {change}"):
                rows.append((net, change, _compared(net, change)))
            if asked.lines is not None:
                asked.lines.write_text("\n\n".join(map(_told, rows)) + "\n")
    console.print(_table(rows))
    for line in _summary(rows):
        console.print(line)
    if asked.page:
        wrong = [_cells(row) for row in rows if not (row[2].failure or _is_right(row[2]))]
        target = f"{TARGET} STEP={asked.step}" if asked.step > 1 else TARGET
        told = guide.circumstances(target, "torch", "onnxruntime")
        lines = [f"- {line}" for line in _summary(rows)]
        guide.write(PAGE, TARGET, ["", told, "", *lines, "", *guide.table(_HEADINGS, wrong), ""])


def _networks(step: int) -> list[Net]:
    """Every `step`-th network of the sets, each once."""
    nets = {net.key: net for pair in sets.chosen("all") for net in (pair.a, pair.b)}
    return list(nets.values())[::step]


def _compared(net: Net, change: str) -> Answer:
    """What is told of a network and itself at another size, of the first that it takes."""
    answer = Answer()
    for number, inputs in enumerate(_others(net, change)):
        name = f"{net.name}-{change}{number or ''}"
        answer = judging.compared(net, dataclasses.replace(net, name=name, inputs=inputs))
        if not answer.failure:
            break
    return answer


def _others(net: Net, change: str) -> list[Shapes]:
    """The inputs with a batch of two, or with fewer or more rows: of words, frames or pixels."""
    if change == "batch":
        return [_with(net.inputs, lambda shape: (2 * shape[0], *shape[1:]) if shape else ())]
    return [_with(net.inputs, _longest_cut), _with(net.inputs, _second_cut)]


def _with(inputs: Shapes, changed: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Shapes:
    made = {}
    for name, told in inputs.items():
        typed = len(told) == 2 and isinstance(told[1], str)
        shape: Any = told[0] if typed else told
        made[name] = (changed(shape), told[1]) if typed else changed(shape)
    return made  # type: ignore[return-value]


def _longest_cut(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Images half as large again; three quarters along the longest axis of others: of frames."""
    if len(shape) == 4:
        return (*shape[:2], *(size * 3 // 2 for size in shape[2:]))
    if len(shape) < 3:
        return _second_cut(shape)
    return _cut(shape, max(range(1, len(shape)), key=lambda axis: shape[axis]))


def _second_cut(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Three quarters along the second axis: of words."""
    return _cut(shape, 1) if len(shape) > 1 else shape


def _cut(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], math.ceil(shape[axis] * 3 / 4), *shape[axis + 1 :])


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
    return head if found.diff is None else "\n".join([head, *report.grave(found.diff)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=TARGET, description=__doc__)
    parser.add_argument("--step", type=int, default=1, metavar="N", help="every N-th network")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="write all lines of the diffs")
    parser.add_argument("--page", action="store_true", help="write the figures into the guide")
    return parser.parse_args()


if __name__ == "__main__":
    main()
