"""A stride that stands on another of a block's layers: one move, not two attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.changes.finding import Finding

_FAR: Final = 8
"""Layers behind a stride among which the other one is looked for."""

Told = dict[int, list[Finding]]
"""Findings by node of A."""


def move(matching: Matching, told: Told) -> Iterator[Finding]:
    """One finding for each two layers between which a stride moved; theirs are taken away."""
    found = {i: one for i, held in told.items() for one in held if _by_stride(one)}
    for i in sorted(found):
        j = next((x for x in _behind(matching, i) if _even(found.get(i), found.get(x))), None)
        if j is not None and i in found:
            first, second = found.pop(i), found.pop(j)
            told[i].remove(first)
            told[j].remove(second)
            yield _moved(matching, (i, j), first, second)


def _by_stride(finding: Finding) -> bool:
    return finding.attribute == "strides" and finding.consequence == "computes"


def _even(first: Finding | None, second: Finding | None) -> bool:
    """Whether two layers step as far on either side, taken together."""
    if first is None or second is None or first.before in (first.after, second.before):
        return False
    sides = ((first.before, second.before), (first.after, second.after))
    before, after = (tuple(x * y for x, y in zip(*side, strict=False)) for side in sides)
    return before == after and len(first.before) == len(second.before)


def _behind(matching: Matching, i: int) -> Iterator[int]:
    """The matched nodes of A that i leads to, the nearest first."""
    seen, waiting = {i}, [i]
    while waiting and len(seen) < _FAR:
        for _, user in matching.a.users[waiting.pop(0)]:
            if user not in seen:
                seen.add(user)
                waiting.append(user)
                yield user


def _moved(matching: Matching, nodes: tuple[int, int], first: Finding, second: Finding) -> Finding:
    """The stride stands on the first layer in A where A's is the larger there."""
    names = [_told(matching, node) for node in nodes]
    ahead = first.before > first.after
    strides = first.before if ahead else first.after
    before, after = names if ahead else names[::-1]
    operators = [operator_of(matching.a, node) for node in nodes]
    return Finding(
        "moved",
        "computes",
        operators[0] if operators[0] == operators[1] else "",
        first.pair,
        "strides",
        before,
        after,
        alike=(*sorted(names), ahead, strides),
        followers=first.followers + second.followers,
        where="behind it" if ahead else "before it",
        amount=strides,
        also=(second.pair,),
    )


def _told(matching: Matching, node: int) -> str:
    """`3x3 Conv`."""
    kernel = dict(matching.a.ops[node].declared).get("kernel_shape", ())
    return f"{'x'.join(map(str, kernel))} {operator_of(matching.a, node)}".strip()
