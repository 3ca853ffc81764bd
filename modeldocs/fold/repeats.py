"""Repeats: equal groups of layers that follow each other, drawn once."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence

import numpy as np

from modeldocs.fold.regions import FoldPart, Item, nodes_of
from modeldocs.fold.signature import Signature, Signatures

MAX_PERIOD = 64
"""Items of one instance, at the most."""


def fold_repeats(items: Sequence[Item], signatures: Signatures) -> list[Item]:
    """A sequence with its repeats as one item each, those of the shortest period first.

    So that of A A B A A B the pairs of A become repeats, and then the two of [A × 2] B.
    """
    result = list(items)
    numbers: dict[Hashable, int] = {}
    labels = [_label(item, signatures, numbers) for item in result]
    for period in range(1, MAX_PERIOD + 1):
        if 2 * period > len(result):
            break
        for start, count in reversed(_repeats(result, labels, period, signatures)):
            stop = start + period * count
            instances = [_instance(result[i : i + period]) for i in range(start, stop, period)]
            repeat = FoldPart("repeat", list(instances))
            result[start:stop] = [repeat]
            labels[start:stop] = [_label(repeat, signatures, numbers)]
    return result


def _label(item: Item, signatures: Signatures, numbers: dict[Hashable, int]) -> int:
    function = signatures.of(nodes_of(item)).function
    return numbers.setdefault(function, len(numbers))


def _instance(items: list[Item]) -> Item:
    return items[0] if len(items) == 1 else FoldPart("block", items)


def _repeats(
    items: Sequence[Item], labels: list[int], period: int, signatures: Signatures
) -> list[tuple[int, int]]:
    """Start and count of the repeats of one period, in order; none shares an item with another."""
    if not any(map(operator.eq, labels, labels[period:])):
        return []  # of most sequences, which are too short for arrays to be worth it
    array = np.array(labels)
    equal = np.flatnonzero(array[:-period] == array[period:])
    result: list[tuple[int, int]] = []
    end = 0
    for run in np.split(equal, np.flatnonzero(np.diff(equal) != 1) + 1):
        start = max(end, int(run[0])) if len(run) else end
        stop = int(run[-1]) + 1 + period if len(run) else end
        if stop - start < 2 * period:
            continue
        for first, count in _linked(items[start:stop], period, signatures):
            if _is_worth(items[start + first : start + first + period], count):
                result.append((start + first, count))
                end = start + first + count * period
    return result


def _is_worth(instance: Sequence[Item], count: int) -> bool:
    """Two single layers in a row are drawn as two."""
    return count > 2 or sum(len(nodes_of(item)) for item in instance) > 1


def _linked(items: Sequence[Item], period: int, signatures: Signatures) -> list[tuple[int, int]]:
    """Start and count of the runs of instances that are wired alike, none longer than it can be.

    Each value that an instance reads from outside is the same for all of a run, or comes from the
    same place in the instance before; the same of its values are read outside. Instances side by
    side are read by one layer to which their order does not matter: queries and keys are not.
    """
    groups = [
        [node for item in items[i : i + period] for node in nodes_of(item)]
        for i in range(0, len(items) - period + 1, period)
    ]
    known = [signatures.of(group) for group in groups]
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(groups) - 1:
        end, wiring = start + 1, None
        while end < len(groups) and known[end].is_like(known[start]):
            links = _links(known[end], known[start], groups[end - 1])
            if links is None or wiring not in (None, links):
                break
            end, wiring = end + 1, links
        is_parallel = wiring is not None and not any(wiring)
        if is_parallel and not signatures.are_interchangeable(groups[start:end]):
            end = start + 1
        if end - start > 1:
            runs.append((start * period, end - start))
        start = end if end - start > 1 else start + 1
    return runs


def _links(
    signature: Signature, first: Signature, before: Sequence[int]
) -> tuple[Hashable, ...] | None:
    """Where each value that an instance reads comes from: a place in the instance before, or
    nowhere in it, but then the first instance reads the same value; None where neither holds.
    """
    place = {node: index for index, node in enumerate(before)}
    links: list[Hashable] = []
    for index, (node, output) in enumerate(signature.reads):
        if node in place:
            links.append((place[node], output))
        elif first.reads[index] == (node, output):
            links.append(None)
        else:
            return None
    return tuple(links)
