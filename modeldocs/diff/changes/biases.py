"""Several biases of one projection: one finding for all the layers that correspond.

A fused projection of queries, keys and values whose keys have no bias has one for each of the
others. Which part has which is not known once it is split; compared is the number of their values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Ids, Pair
from modeldocs.ir import LayerGraph, Parameter

PIECES: Final = "pieces"
"""What findings on several biases of a projection have in common."""

_ROLE: Final = "bias"


def together(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match], findings: Iterable[Finding]
) -> list[Finding]:
    """The findings, with those on such biases merged for each match."""
    held = _Biases(graphs[0]), _Biases(graphs[1])
    if not held[0].several and not held[1].several:
        return list(findings)
    owner: dict[tuple[int, str], Match] = {}
    for match in matches:
        if held[0].several & {*match.a} or held[1].several & {*match.b}:
            owner |= {(0, one): match for one in match.a} | {(1, one): match for one in match.b}
    kept: list[Finding] = []
    replaced: dict[Pair, Finding] = {}
    for finding in findings:
        whole = owner.get((0, finding.pair[0][0])) if finding.pair[0] else None
        if whole is None or finding.kind != "parameters" or finding.attribute != _ROLE:
            kept.append(finding)
        else:
            replaced.setdefault((whole.a, whole.b), finding)
    for pair, first in replaced.items():
        ours, theirs = held[0].of(pair[0]), held[1].of(pair[1])
        more = sum(p.elements for p in theirs) - sum(p.elements for p in ours)
        if more:
            kept.append(_finding(first, pair, ours, theirs, more))
    return kept


class _Biases:
    """The biases of each layer of a graph; `several` are the layers with more than one."""

    def __init__(self, graph: LayerGraph) -> None:
        self._held = {
            layer.id: [p for p in layer.parameters if p.role == _ROLE] for layer in graph.layers
        }
        self.several = {one for one, found in self._held.items() if len(found) > 1}

    def of(self, ids: Ids) -> list[Parameter]:
        """Those of some layers."""
        return [parameter for one in ids for parameter in self._held.get(one, ())]


def _finding(
    first: Finding, pair: Pair, ours: list[Parameter], theirs: list[Parameter], more: int
) -> Finding:
    """The finding on all the biases of a pair, like the first one on a part of it."""
    before, after = (tuple(parameter.shape for parameter in held) for held in (ours, theirs))
    alike = PIECES, len(ours), len(theirs)
    return replace(first, pair=pair, before=before, after=after, alike=alike, delta=more)
