"""Parameter deltas of findings, which add up to the difference of the graphs' totals."""

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
"""Merge key of findings on weights whose shape differs only because their input's does."""

_COUNTING: Final = ("parameters", "inserted", "deleted", "regrouped", "operator", "attribute")
"""Kinds of findings that parameters are attributed to, the preferred one first."""


def settle(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match], findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Set the `parameter_delta` of each finding to what B has more in the layers that it names.

    Yields findings on layers with differing parameters that none of them names.
    """
    matches = tuple(matches)
    sizes = (
        _sizes(graphs[0], (one for match in matches for one in match.a)),
        _sizes(graphs[1], (one for match in matches for one in match.b)),
    )
    network = next((finding for finding in findings if finding.kind == "network"), None)
    if network is not None:
        network.parameter_delta = sum(sizes[1].values()) - sum(sizes[0].values())
        return
    named = _named(findings)
    items: list[Pair] = []
    deltas: list[int] = []
    for pair in _items(graphs, matches):
        delta = _sum(sizes[1], pair[1]) - _sum(sizes[0], pair[0])
        if delta or not (named[0].isdisjoint(pair[0]) and named[1].isdisjoint(pair[1])):
            items.append(pair)
            deltas.append(delta)
    unnamed: list[tuple[Pair, int]] = []
    for numbers, naming in _connected(items, findings):
        attributed = sum(finding.parameter_delta for finding in naming)
        rest = sum(deltas[number] for number in numbers) - attributed
        if rest and naming:
            naming[0].parameter_delta += rest
        elif rest:
            unnamed += [(items[number], deltas[number]) for number in numbers]
    yield from _following(unnamed, graphs, findings)


def _named(findings: Iterable[Finding]) -> tuple[set[str], set[str]]:
    """The layers of A, and of B, that findings name."""
    pairs = [pair for finding in findings for pair in finding.pairs]
    return {one for ours, _ in pairs for one in ours}, {one for _, its in pairs for one in its}


def _sum(sizes: dict[str, int], ids: Ids) -> int:
    total = 0
    for one in ids:
        total += sizes.get(one, 0)
    return total


def _connected(
    items: Sequence[Pair], findings: Iterable[Finding]
) -> Iterator[tuple[list[int], list[Finding]]]:
    """Numbers of items that are named by the same findings, with these findings."""
    owner = {
        (side, layer): number
        for number, pair in enumerate(items)
        for side in (0, 1)
        for layer in pair[side]
    }
    sets = Partition(len(items))
    naming: list[tuple[int, Finding]] = []
    for finding in findings:
        layers = [(side, x) for pair in finding.pairs for side in (0, 1) for x in pair[side]]
        numbers = [owner[key] for key in layers if key in owner]
        if finding.kind in _COUNTING and numbers:
            for number in numbers[1:]:
                sets.join(numbers[0], number)
            naming.append((numbers[0], finding))
    by_set: dict[int, list[Finding]] = defaultdict(list)
    for number, finding in naming:
        by_set[sets.first(number)].append(finding)
    for first, numbers in sets.members().items():
        yield numbers, sorted(by_set[first], key=lambda finding: _COUNTING.index(finding.kind))


def _sizes(graph: LayerGraph, matched: Iterable[str]) -> dict[str, int]:
    """The number of trainable values of each layer with parameters.

    A shared parameter counts at the first layer that has it, `matched` layers first: these come in
    the same order on both sides, so that both count it at the same pair.
    """
    layers = {layer.id: layer for layer in graph.layers if layer.parameters}
    order = [*(one for one in matched if one in layers), *layers]
    seen: set[str] = set()
    sizes: dict[str, int] = {}
    for layer in map(layers.__getitem__, dict.fromkeys(order)):
        size = 0
        for parameter in {p.name: p for p in layer.parameters}.values():
            if parameter.name not in seen:
                seen.add(parameter.name)
                size += parameter.elements if parameter.trainable else 0
        sizes[layer.id] = size
    return sizes


def _items(graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match]) -> Iterator[Pair]:
    """The matches, and each layer without a counterpart."""
    matched: tuple[set[str], set[str]] = set(), set()
    for match in matches:
        matched[0].update(match.a)
        matched[1].update(match.b)
        yield match.a, match.b
    yield from (((one.id,), ()) for one in graphs[0].layers if one.id not in matched[0])
    yield from (((), (one.id,)) for one in graphs[1].layers if one.id not in matched[1])


def _following(
    deltas: Iterable[tuple[Pair, int]],
    graphs: tuple[LayerGraph, LayerGraph],
    findings: Sequence[Finding],
) -> Iterator[Finding]:
    """Attribute deltas to the nearest finding before with followers; yield one if there is none."""
    places = {layer.id: place for place, layer in enumerate(graphs[0].layers)}
    operators = {layer.id: layer.operator for layer in graphs[0].layers}
    causes = [finding for finding in findings if finding.followers and finding.kind != "moved"]
    for pair, delta in deltas:
        place = min((places[one] for one in pair[0] if one in places), default=0)
        before = [finding for finding in causes if _place(finding, places) <= place]
        if before:
            max(before, key=lambda finding: _place(finding, places)).parameter_delta += delta
        elif delta:
            operator = next((operators[one] for one in pair[0] if one in operators), "")
            yield Finding(
                "parameters",
                "parameters",
                operator,
                pair,
                "weight",
                merge_key=FOLLOWS,
                parameter_delta=delta,
            )


def _place(finding: Finding, places: dict[str, int]) -> int:
    """The position of a finding in A; -1 where it names no layer of A."""
    return min((places.get(one, -1) for one in finding.pair[0]), default=-1)
