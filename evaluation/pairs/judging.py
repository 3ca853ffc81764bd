"""Judgements of lines, made by hand: `judged.tsv` has one for each line of each pair's diff.

A line is *true* if the two networks differ in what it says and it means what its consequence says,
and *useful* if a person who ports one to the other has to know it, or would look for it, and no
other line has told it already. `true` in the table means both; `idle` is true, not useful.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Final

from modeldocs.diff import Diff

from .pairs import Pair

FILE: Final = Path(__file__).with_name("judged.tsv")
JUDGEMENTS: Final = ("true", "idle", "false")
UNJUDGED: Final = "not judged"

Line = tuple[str, str]
"""Name of a pair, and the title of a line of its diff."""


def judged(file: Path = FILE, judgements: Collection[str] = JUDGEMENTS) -> dict[Line, str]:
    """The judgement of each line of a file.

    Raises:
        ValueError: a row has a judgement that there is not, or a line is judged twice.
    """
    found: dict[Line, str] = {}
    with file.open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            line = row["pair"], row["line"]
            if row["judgement"] not in judgements or line in found:
                raise ValueError(f"{file.name}: {row}")
            found[line] = row["judgement"]
    return found


def counts(pair: Pair, diff: Diff, known: dict[Line, str]) -> Counter[str]:
    """How many lines of a diff have which judgement."""
    return Counter(known.get((pair.name, change.title), UNJUDGED) for change in diff.changes)
