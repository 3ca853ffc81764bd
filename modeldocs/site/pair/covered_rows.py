"""The rows of a comparison that each node of a folded diagram stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph

Member = str | Group


def covered_layers(graph: LayerGraph) -> dict[str, tuple[str, ...]]:
    """Ids of the layers that each node of a graph's drawings stands for, by the node's id.

    Nodes are layers and groups. Of a repeat the drawings show the first instance only: a layer in
    it stands for the corresponding layers of all instances.
    """
    if not graph.layers:
        return {}
    covered: dict[str, tuple[str, ...]] = {}
    _cover([fold(graph).members], covered)
    return covered


def _cover(instances: Sequence[Sequence[Member]], covered: dict[str, tuple[str, ...]]) -> None:
    """Add what is in some equal instances, of which the first is drawn."""
    first = instances[0]
    alike = [one for one in instances if _alike(first, one)]
    for number, member in enumerate(first):
        copies = [one[number] for one in alike]
        if isinstance(member, str):
            covered[member] = tuple(copy for copy in copies if isinstance(copy, str))
            continue
        groups = [copy for copy in copies if isinstance(copy, Group)]
        covered[member.id] = tuple(layer for group in groups for layer in group.layers())
        if member.kind == "repeat":
            inner = [_inside(one) for group in groups for one in group.members]
        else:
            inner = [group.members for group in groups]
        _cover(inner, covered)


def _inside(instance: Member) -> tuple[Member, ...]:
    return instance.members if isinstance(instance, Group) else (instance,)


def _alike(first: Sequence[Member], other: Sequence[Member]) -> bool:
    return len(first) == len(other) and all(
        isinstance(one, Group) == isinstance(two, Group)
        for one, two in zip(first, other, strict=True)
    )


def covered_rows(
    covered: Mapping[str, Sequence[str]], row_of: Mapping[str, int]
) -> dict[str, tuple[int, ...]]:
    """The sorted numbers of the rows of what each node stands for."""
    return {
        node: tuple(sorted({row_of[layer] for layer in layers if layer in row_of}))
        for node, layers in covered.items()
    }


def progressions(numbers: Sequence[int]) -> list[list[int]]:
    """Sorted numbers in short: `[start, count]`, `[start, count, step]`, or `[number]`."""
    return [
        [start] if count == 1 else [start, count] if step == 1 else [start, count, step]
        for start, count, step in _progressions(numbers)
    ]


def _progressions(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    place = 0
    while place < len(numbers):
        step = numbers[place + 1] - numbers[place] if place + 1 < len(numbers) else 1
        end = place + 1
        while end < len(numbers) and numbers[end] - numbers[end - 1] == step:
            end += 1
        if end - place == 2 and step > 1:  # two numbers by chance: the second may begin another
            end -= 1
        yield numbers[place], end - place, step
        place = end


def counterparts(
    ours: Mapping[str, Sequence[int]], theirs: Mapping[str, Sequence[int]]
) -> dict[str, str]:
    """For each group of A the group of B that shares most rows with it, if it is most of both.

    Both map the ids of groups to the numbers of their rows.
    """
    holders: dict[int, list[str]] = {}
    for group, rows in theirs.items():
        for row in rows:
            holders.setdefault(row, []).append(group)
    result: dict[str, str] = {}
    for group, rows in ours.items():
        shared: dict[str, int] = {}
        for row in rows:
            for other in holders.get(row, ()):
                shared[other] = shared.get(other, 0) + 1
        best = max(shared, key=lambda one: _overlap(shared[one], rows, theirs[one]), default=None)
        if best is not None and _overlap(shared[best], rows, theirs[best]) > LEAST_OVERLAP:
            result[group] = best
    return result


LEAST_OVERLAP = 0.5
"""Rows that two groups must share of all the rows in either, to be opened together."""


def _overlap(shared: int, ours: Sequence[int], theirs: Sequence[int]) -> float:
    return shared / (len(ours) + len(theirs) - shared)
