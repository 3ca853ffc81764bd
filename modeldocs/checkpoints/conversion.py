"""The conversion of a checkpoint: a map that was tested, applied to a file and written as another.

Nothing is written half: the file is made in the folder of a process, moved beside its place, and
renamed when all that was asked for is done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from modeldocs import isolation
from modeldocs.checkpoints import applying, formats, network
from modeldocs.checkpoints.applying import Applied, ApplyRequest
from modeldocs.checkpoints.binding import Misfit
from modeldocs.checkpoints.network import LIMITS, StoringNetwork
from modeldocs.diff import Direction, Parity, Weights
from modeldocs.errors import ModeldocsError

_DIFF = "see what differs with modeldocs diff A B --parity"


class MisfitError(ModeldocsError):
    """A checkpoint that does not fit its network; `misfits` are its tensors that do not."""

    def __init__(self, error: ModeldocsError, misfits: tuple[Misfit, ...]) -> None:
        super().__init__(error.reason, file=error.file, fix=error.fix)
        self.misfits = misfits


def tested(parity: Parity, head: frozenset[int]) -> Weights:
    """The map of A's weights to B's, as running both with it has shown that it is right.

    `head` are the numbers of the changes of the output head alone, which may make other outputs.

    Raises:
        ModeldocsError: it is not: the two compute different functions, or it is not whole.
    """
    if parity.failure is not None:
        raise parity.failure.error()
    found = parity.a_to_b
    if found.weights.unset:
        raise ModeldocsError(
            f"the map of weights is not whole: nothing gives {_listed(found.weights.unset)}",
            fix=_DIFF,
        )
    if found.first is not None:
        ours, theirs = found.first.names
        error = found.first.error.relative
        by = f" by {error:.1e}" if error is not None else ""
        raise ModeldocsError(
            f"the two are not the same function by the map of weights: {ours or 'nothing'} in A "
            f"and {theirs or 'nothing'} in B differ{by}",
            fix=_DIFF,
        )
    if found.verdict == "not run":
        raise ModeldocsError("the two could not be run with the same weights", fix=_DIFF)
    differs = found.verdict != "holds" and found.returns != "form"
    if differs and not (head and set(found.acting) <= head):
        raise ModeldocsError("the two return different outputs with the same weights", fix=_DIFF)
    return found.weights


def remarks(found: Direction, head: frozenset[int] = frozenset()) -> list[str]:
    """What a reader has to know of a map that was tested, in sentences."""
    weights, lines = found.weights, []
    if found.verdict != "holds" and head:
        lines.append("only one of the two ends in an activation; they are the same before it")
    if weights.unused:
        lines.append(f"B has no place for {_listed(weights.unused)} of A, and needs none")
    if weights.invented:
        lines.append(f"A lacks {_listed(weights.invented)}, which are zeros or ones in B")
    if found.returns == "form" and not head:
        lines.append("B returns its outputs in another order or form")
    if found.only_small:
        lines.append("the two differ on values as small as the epsilon of a norm")
    if found.marks:
        lines.append(f"the two differ on inputs of {', '.join(map(str, found.marks))}")
    return lines


@contextlib.contextmanager
def converted(
    pair: tuple[StoringNetwork, StoringNetwork], weights: Weights, file: Path, to: Path
) -> Iterator[tuple[Path, Applied]]:
    """Apply a map to a checkpoint of A: a file beside `to`, which takes that name when the block
    ends without an error, and what is in it.

    Raises:
        MisfitError: the checkpoint does not fit A.
        ModeldocsError: it cannot be read, or B's not be written in a file of that ending.
    """
    a, b = pair
    ending = formats.ending(to, formats.WRITTEN)
    spelling = network.written(b, to, ending)
    request = ApplyRequest(
        file=str(file.resolve()),
        network=a.subject.name,
        a=a.layout,
        b=b.layout,
        mapped=weights.mapped,
        own=b.own,
        ending=str(ending),
        spelling=spelling,
    )
    reads = [*formats.reads(file), b.own]
    partial = to.with_name(f".{to.name}.{os.getpid()}{ending}")
    try:
        with isolation.run(applying.__name__, request, LIMITS, reads=reads) as outcome:
            applied = outcome.result(Applied, doing="converting it ", file=str(file))
            if applied.failure is not None:
                raise MisfitError(applied.failure.error(), applied.misfits)
            with isolation.preparing():
                shutil.move(outcome.file(applying.CONVERTED), partial)
        yield partial, applied
        partial.replace(to)
    finally:
        partial.unlink(missing_ok=True)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{len(names)} tensors ({shown} …)"
