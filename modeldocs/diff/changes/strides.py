"""A stride that is on another layer of a block: one move instead of two changed attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.position import AFTER, BEFORE

_FAR: Final = 8
"""Layers after a stride that are searched for the other one: a block has two or three convolutions,
each with a norm and an activation. With 4 or 16 no diff of tests/diff or of the catalog changes."""

FindingsOf = dict[int, list[Finding]]
"""Findings by node of A."""


def move(matching: Matching, findings_of: FindingsOf) -> Iterator[Finding]:
    """One finding for each two layers between which a stride moved; theirs are taken away."""
    strides = {i: one for i, findings in findings_of.items() for one in findings if _by_stride(one)}
    for i in sorted(strides):
        j = next((x for x in _behind(matching, i) if _even(strides.get(i), strides.get(x))), None)
        if j is not None and i in strides:
            first, second = strides.pop(i), strides.pop(j)
            findings_of[i].remove(first)
            findings_of[j].remove(second)
            yield _moved(matching, (i, j), first, second)


def _by_stride(finding: Finding) -> bool:
    return finding.attribute == "strides" and finding.consequence == "computes"


def _even(first: Finding | None, second: Finding | None) -> bool:
    """Whether the strides of two layers have the same product on both sides."""
    if first is None or second is None or first.before in (first.after, second.before):
        return False
    sides = ((first.before, second.before), (first.after, second.after))
    before, after = (tuple(x * y for x, y in zip(*side, strict=False)) for side in sides)
    return before == after and len(first.before) == len(second.before)


def _behind(matching: Matching, i: int) -> Iterator[int]:
    """The nodes of A that node i leads to, the nearest first."""
    seen, waiting = {i}, [i]
    while waiting and len(seen) < _FAR:
        for _, user in matching.a.users[waiting.pop(0)]:
            if user not in seen:
                seen.add(user)
                waiting.append(user)
                yield user


def _moved(matching: Matching, nodes: tuple[int, int], first: Finding, second: Finding) -> Finding:
    """The finding: the stride is on the first layer in A where A's stride is larger there."""
    windows = [_window(matching, node) for node in nodes]
    ahead = first.before > first.after
    strides = first.before if ahead else first.after
    before, after = windows if ahead else windows[::-1]
    operators = [operator_of(matching.a, node) for node in nodes]
    return Finding(
        "moved",
        "computes",
        operators[0] if operators[0] == operators[1] else "",
        first.pair,
        "strides",
        before,
        after,
        merge_key=(*sorted(windows), ahead, strides),
        followers=first.followers + second.followers,
        place=AFTER if ahead else BEFORE,
        detail=strides,
        other_pairs=(second.pair,),
    )


def _window(matching: Matching, node: int) -> tuple[tuple[int, ...], str]:
    """The kernel and the operator of a layer."""
    kernel = dict(matching.a.ops[node].declared).get("kernel_shape", ())
    return tuple(kernel), operator_of(matching.a, node)
