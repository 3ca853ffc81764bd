"""What modeldocs says of a pair, held against its truth."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from modeldocs import diff, verdict
from modeldocs.diff import Diff
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.numeric import parity

from ..maps import applying
from ..maps.applying import Row, Subject
from ..pairs import judging as of_pairs
from ..pairs.building import loaded_of, request_of
from ..pairs.judging import Line
from ..pairs.nets import Net
from .pairs import Published

FILE: Final = Path(__file__).with_name("judged.tsv")
JUDGEMENTS: Final = ("true", "false")
"""`true` if the networks differ in what the line says, in those layers; a line that tells anew what
another has told is false where that other is there."""

_LIMITS: Final = Limits(seconds=600.0, memory_mb=8192)
_SAME: Final = frozenset(
    {verdict.SAME, verdict.UP_TO_HEAD, verdict.RETURNED_DIFFERENTLY, verdict.HELD_DIFFERENTLY}
    | {verdict.BY_STRUCTURE, verdict.UP_TO_EPSILON, verdict.UP_TO_PADDING}
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told of a pair: the step of its verdict, its lines graver than spelling, and the maps
    of its weights applied in both directions. `failure` is why nothing is told.
    """

    step: str = ""
    diff: Diff | None = None
    maps: tuple[Row, ...] = ()
    seconds: float = 0.0
    failure: str = ""

    @property
    def lines(self) -> list[str]:
        """Titles of the lines that are graver than spelling."""
        if self.diff is None:
            return []
        return [one.title for one in self.diff.changes if one.consequence != "spelling"]


def answer(pair: Published, folder: Path, *, maps: bool = True) -> Answer:
    """Load both networks, compare them and run them; with `maps`, apply the maps of weights to
    those that are the same by the truth.
    """
    try:
        a, b = _subject(pair.a, "A"), _subject(pair.b, "B")
        found = _answer_of(a, b)
        seen = (lambda outputs: [pair.ours(outputs)], lambda outputs: [pair.theirs(outputs)])
        applied = maps and pair.kind == "same"
        rows = tuple(applying.rows(a, b, folder, seen)) if applied else ()
        return dataclasses.replace(found, maps=rows)
    except Exception as error:  # whatever it is, nothing is told of the pair
        return _failed(error)


def compared(a: Net, b: Net) -> Answer:
    """What is told of two networks."""
    try:
        return _answer_of(_subject(a, "A"), _subject(b, "B"))
    except Exception as error:  # whatever it is, nothing is told of them
        return _failed(error)


def _failed(error: Exception) -> Answer:
    if isinstance(error, ModeldocsError):
        return Answer(failure=error.reason)
    return Answer(failure=f"{type(error).__name__}: {error}".splitlines()[0])


def _answer_of(a: Subject, b: Subject) -> Answer:
    started = time.monotonic()
    found = _compared(a, b)
    seconds = time.monotonic() - started
    assert a.loaded.graph is not None and b.loaded.graph is not None
    step = verdict.step(found, (a.loaded.graph, b.loaded.graph)).id
    return Answer(step, found, (), seconds)


def _subject(net: Net, name: str) -> Subject:
    return Subject(name, net.framework, request_of(net), loaded_of(net))


def _compared(a: Subject, b: Subject) -> Diff:
    assert a.loaded.graph is not None and b.loaded.graph is not None
    structure = diff.compare(a.loaded.graph, b.loaded.graph)
    numbers = parity.compare(a.loaded.normal, b.loaded.normal, structure, _LIMITS)
    return diff.settle(structure, numbers)


def is_right(pair: Published, found: Answer) -> bool:
    """Whether the headline is the truth."""
    return not found.failure and says_same(found) == (pair.kind == "same")


def says_same(found: Answer) -> bool:
    """Whether two networks are told to be one function, which they are not where none is run."""
    return not found.failure and verdict.BY_ID[found.step] in _SAME


def judged() -> dict[Line, str]:
    """The judgement of each line that is in `judged.tsv`."""
    return of_pairs.judged(FILE, JUDGEMENTS)


def counts(pair: Published, found: Answer, known: Mapping[Line, str]) -> tuple[int, int, int]:
    """How many lines are true, false, and not judged.

    Networks that are the same have no true line but those that were judged to be: of their heads,
    outputs and how they hold their weights.
    """
    told = [known.get((pair.name, line), "") for line in found.lines]
    if pair.kind == "same":
        told = [one or "false" for one in told]
    return told.count("true"), told.count("false"), told.count("")
