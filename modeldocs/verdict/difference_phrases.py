"""What sets one port apart from another, in a few words: `stride in the 1×1 Conv`, `ε 2e-5`."""

from __future__ import annotations

import msgspec

from modeldocs.diff import CONSEQUENCES, KINDS, Change, Diff
from modeldocs.diff.changes.finding import OPPOSITE


def differences(diff: Diff, of_head: frozenset[int], *, mirrored: bool = False) -> tuple[str, ...]:
    """What B has otherwise than A, the gravest first, each phrase once; of A, where `mirrored`.

    `of_head` are the numbers of the changes of the output head, which come last. Changes of
    spelling are left out. Where numbers differ and no change does, that is said.
    """
    grave = [
        (number in of_head, CONSEQUENCES.index(change.consequence), number)
        for number, change in enumerate(diff.changes, start=1)
        if change.consequence != "spelling"
    ]
    phrases = (
        phrase(diff.changes[number - 1], in_head=head, mirrored=mirrored)
        for head, _, number in sorted(grave)
    )
    return tuple(dict.fromkeys(phrases)) or _by_numbers(diff)


def phrase(change: Change, *, in_head: bool = False, mirrored: bool = False) -> str:
    """A change in a few words, as a property of B; of A, where `mirrored`."""
    change = _mirrored(change) if mirrored else change
    words = KINDS[change.kind]
    return words.at_end(change) if in_head else words.phrase(change)


def _mirrored(change: Change) -> Change:
    """What A has otherwise than B."""
    kind = OPPOSITE.get(change.kind, change.kind)
    return msgspec.structs.replace(change, kind=kind, before=change.after, after=change.before)


def _by_numbers(diff: Diff) -> tuple[str, ...]:
    """What parity shows of two ports whose structure is the same."""
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        return ()
    if parity.turned:
        return ("a weight is rearranged",)
    divergence = parity.first
    if divergence is None or divergence.error.relative is None:
        return ()
    return ("other numbers that no change explains",)
