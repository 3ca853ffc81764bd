"""Trainable parameters by change: the lines add up to the difference of the totals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.partition import Partition
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Ids, Pair
from modeldocs.ir import LayerGraph

FOLLOWS: Final = "weights follow"
"""What findings have in common of weights that only have another shape since their input has."""

_COUNTING: Final = ("parameters", "inserted", "deleted", "regrouped", "operator", "attribute")
"""Kinds of findings that parameters are counted at, the first choice first."""


def settle(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match], findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Set each finding's delta to the parameters that B has more in the layers that it names.

    Gives findings for what none of them names.
    """
    matches = tuple(matches)
    sizes = (
        _sizes(graphs[0], (one for match in matches for one in match.a)),
        _sizes(graphs[1], (one for match in matches for one in match.b)),
    )
    whole = [finding for finding in findings if finding.kind == "network"]
    if whole:
        whole[0].delta = sum(sizes[1].values()) - sum(sizes[0].values())
        return
    items = list(_items(graphs, matches))
    more = [_sum(sizes[1], pair[1]) - _sum(sizes[0], pair[0]) for pair in items]
    left: list[tuple[Pair, int]] = []
    for numbers, counted in _together(items, findings):
        rest = sum(more[number] for number in numbers) - sum(finding.delta for finding in counted)
        if rest and counted:
            counted[0].delta += rest
        elif rest:
            left += [(items[number], more[number]) for number in numbers]
    yield from _following(left, graphs, findings)


def _sum(sizes: dict[str, int], ids: Ids) -> int:
    return sum(sizes.get(one, 0) for one in ids)


def _together(
    items: Sequence[Pair], findings: Iterable[Finding]
) -> Iterator[tuple[list[int], list[Finding]]]:
    """Numbers of items that the same findings name, with those findings."""
    owner = {
        (place, one): number
        for number, pair in enumerate(items)
        for place in (0, 1)
        for one in pair[place]
    }
    sets = Partition(len(items))
    naming: list[tuple[int, Finding]] = []
    for finding in findings:
        named = [(place, one) for place in (0, 1) for one in finding.pair[place]]
        numbers = [owner[key] for key in named if key in owner]
        if finding.kind in _COUNTING and numbers:
            for number in numbers[1:]:
                sets.join(numbers[0], number)
            naming.append((numbers[0], finding))
    counted: dict[int, list[Finding]] = defaultdict(list)
    for number, finding in naming:
        counted[sets.first(number)].append(finding)
    for first, numbers in sets.members().items():
        counting = sorted(counted[first], key=lambda finding: _COUNTING.index(finding.kind))
        yield numbers, counting


def _sizes(graph: LayerGraph, matched: Iterable[str]) -> dict[str, int]:
    """Trainable values of each layer, those of a shared parameter at one of those that have it.

    That is the first of the `matched` ones, which come in the same order on both sides, so that
    both count it at the same pair.
    """
    layers = {layer.id: layer for layer in graph.layers}
    order = [*(one for one in matched if one in layers), *layers]
    seen: set[str] = set()
    found: dict[str, int] = {}
    for layer in map(layers.__getitem__, dict.fromkeys(order)):
        own = {p.name: p for p in layer.parameters if p.name not in seen}
        seen.update(own)
        found[layer.id] = sum(p.elements for p in own.values() if p.trainable)
    return found


def _items(graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match]) -> Iterator[Pair]:
    """Matched layers together, and each layer without a counterpart."""
    matched: tuple[set[str], set[str]] = set(), set()
    for match in matches:
        matched[0].update(match.a)
        matched[1].update(match.b)
        yield match.a, match.b
    yield from (((one.id,), ()) for one in graphs[0].layers if one.id not in matched[0])
    yield from (((), (one.id,)) for one in graphs[1].layers if one.id not in matched[1])


def _following(
    rest: Iterable[tuple[Pair, int]],
    graphs: tuple[LayerGraph, LayerGraph],
    findings: Sequence[Finding],
) -> Iterator[Finding]:
    """Parameters of layers that only follow: counted at what they follow, if that is known."""
    places = {layer.id: place for place, layer in enumerate(graphs[0].layers)}
    operators = {layer.id: layer.operator for layer in graphs[0].layers}
    led = [finding for finding in findings if finding.followers and finding.kind != "moved"]
    for pair, more in rest:
        place = min((places[one] for one in pair[0] if one in places), default=0)
        before = [finding for finding in led if _place(finding, places) <= place]
        if before:
            max(before, key=lambda finding: _place(finding, places)).delta += more
        elif more:
            operator = next((operators[one] for one in pair[0] if one in operators), "")
            yield Finding(
                "parameters", "parameters", operator, pair, "weight", alike=FOLLOWS, delta=more
            )


def _place(finding: Finding, places: dict[str, int]) -> int:
    """Where a finding stands in A; before everything where A has nothing of it."""
    return min((places.get(one, -1) for one in finding.pair[0]), default=-1)
