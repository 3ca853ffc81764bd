"""Pairs of ports whose differences are known: what of them is told, and what else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from modeldocs import diff
from tests.diff import expected
from tests.diff.expected import Expected, Line, Outcome

from .subjects import Subjects

_CRITICAL: Final = frozenset({"epsilon", "pads", "padding", "strides"})


@dataclass(frozen=True, slots=True)
class Answer:
    """One known pair: what was expected, and what the diff told of it; None where one of the
    two did not load.
    """

    known: Expected
    outcome: Outcome | None

    @property
    def equal(self) -> bool:
        """Whether the two compute the same."""
        return self.known.verdict in ("identical", "equivalent")


def run(subjects: Subjects) -> list[Answer]:
    """Hold each known pair against the diff of today."""
    return [_answer(expected.read(path), subjects) for path in expected.files()]


def _answer(known: Expected, subjects: Subjects) -> Answer:
    a, b = (subjects.loaded.get(name) for name in (known.a, known.b))
    if a is None or b is None or a.graph is None or b.graph is None:
        return Answer(known, None)
    told = diff.compare(a.graph, b.graph)
    return Answer(known, expected.check(known, a.graph, b.graph, told))


def counted(answers: list[Answer], *, critical: bool) -> tuple[int, int]:
    """Lines found and lines expected; of epsilon, padding and stride alone, or all."""
    found = [line for x in answers if x.outcome for line in x.outcome.found]
    expected_lines = [line for x in answers for line in x.known.changes]
    if critical:
        return len(_critical(found)), len(_critical(expected_lines))
    return len(found), len(expected_lines)


def _critical(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.attribute in _CRITICAL]


def false_alarms(answers: list[Answer]) -> int:
    """Changes told of pairs that are equal, beyond what is expected."""
    return sum(len(x.outcome.unexpected) for x in answers if x.equal and x.outcome)
