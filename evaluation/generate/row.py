"""A row of a table of programs: what became of a port in a target."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final, NamedTuple

from modeldocs import formatting
from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError
from modeldocs.generators import Target
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.programs import GeneratedProgram

HEADS: Final = ("port", "lines", "by hand", "written differently", "error", "seconds", "proven")


class Row(NamedTuple):
    """A port: the lines of its program, and of the model's own port in the target's framework."""

    port: str
    lines: int | None
    by_hand: int | None
    spellings: int | None
    error: float | None
    seconds: float | None
    reason: str | None
    """Why there is no proven program; None where there is one."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a table."""
        counts = (self.lines, self.by_hand, self.spellings)
        return (
            self.port,
            *("" if count is None else str(count) for count in counts),
            "" if self.error is None else formatting.error(self.error),
            "" if self.seconds is None else f"{self.seconds:.0f}",
            "✓" if self.reason is None else self.reason,
        )


def summary(rows: Sequence[Row]) -> str:
    """How many programs are proven, and how long they are beside those written by hand."""
    proven = [row for row in rows if row.reason is None]
    ratios = [row.lines / row.by_hand for row in proven if row.lines and row.by_hand]
    text = f"{len(proven)} of {len(rows)} ports have a proven program"
    if ratios:
        text += f"; the median of lines is {statistics.median(ratios):.2f} of those by hand"
    return f"{text}."


def row_of(ports: Ports, name: str, port: Port, target: Target, by_hand: int | None = None) -> Row:
    """The row of a port, whose program the store holds or is made."""
    made, reason = None, None
    try:
        loaded = ports.load({name: port})[name]
        if loaded.failure is not None:
            raise loaded.failure.error()
        made = ports.program(name, port, loaded, target.name)
        reason = made.proof.reason if made.proof is not None else "not run"
    except ModeldocsError as error:
        reason = error.reason
    return _measured(name, made, reason, by_hand)


def _measured(
    name: str, made: GeneratedProgram | None, reason: str | None, hand: int | None
) -> Row:
    proof = made.proof if made is not None else None
    both = proof.frameworks if proof is not None else None
    outputs = both.outputs if both is not None else None
    return Row(
        port=name,
        lines=len(made.code.splitlines()) if made is not None else None,
        by_hand=hand,
        spellings=len(proof.diff.changes) if proof is not None and proof.diff else None,
        error=outputs.relative if outputs is not None else None,
        seconds=proof.seconds if proof is not None else None,
        reason=reason,
    )
