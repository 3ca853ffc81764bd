"""Repeats: equal groups of layers that follow each other, drawn once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from modeldocs.fold.regions import Item, Part
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
            repeat = Part("repeat", list(instances))
            result[start:stop] = [repeat]
            labels[start:stop] = [_label(repeat, signatures, numbers)]
    return result


def _label(item: Item, signatures: Signatures, numbers: dict[Hashable, int]) -> int:
    function = signatures.of(_nodes(item)).function
    return numbers.setdefault(function, len(numbers))


def _nodes(item: Item) -> list[int]:
    return item.nodes() if isinstance(item, Part) else [item]


def _instance(items: list[Item]) -> Item:
    return items[0] if len(items) == 1 else Part("block", items)


def _repeats(
    items: Sequence[Item], labels: list[int], period: int, signatures: Signatures
) -> list[tuple[int, int]]:
    """Start and count of the repeats of one period, in order; none shares an item with another."""
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
    return count > 2 or sum(len(_nodes(item)) for item in instance) > 1


def _linked(items: Sequence[Item], period: int, signatures: Signatures) -> list[tuple[int, int]]:
    """Start and count of runs of instances that all read in the same way what is outside of them.

    From the second instance on, each value from outside is either the same for all, or comes from
    the same place of the instance before.
    """
    groups = [
        [node for item in items[i : i + period] for node in _nodes(item)]
        for i in range(0, len(items) - period + 1, period)
    ]
    found = [signatures.of(group) for group in groups]
    runs: list[tuple[int, int]] = []
    start, way = 0, None
    for index in range(1, len(groups)):
        links = _links(found[index], found[index - 1], groups[index - 1])
        is_same = found[index].writes == found[index - 1].writes
        first = index == start + 1
        if not is_same or not (first or links == way):
            runs.append((start * period, index - start))
            start = index if not is_same else index - 1
            if is_same and _links(found[index], found[start], groups[start]) is None:
                start = index
        way = links
    runs.append((start * period, len(groups) - start))
    return [run for run in runs if run[1] > 1]


def _links(signature: Signature, previous: Signature, nodes: list[int]) -> tuple[Hashable, ...]:
    """Where each value from outside comes from: a place in the instance before, or a value."""
    place = {node: index for index, node in enumerate(nodes)}
    return tuple(
        ("before", place[node], output) if node in place else ("outside", node, output)
        for node, output in signature.reads
    )
