"""Several biases of one projection, merged into one finding for all matched layers.

A fused projection of queries, keys and values whose keys have no bias has one bias for each of the
others. Which part has which is not known once it is split, so the numbers of values are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.function.canonical_op import role_of
from modeldocs.diff.parity import Ids, Pair
from modeldocs.ir import LayerGraph, Parameter

PIECES: Final = "pieces"
"""First item of the merge key of findings on several biases of a projection."""

_ROLE: Final = "bias"


def merged(
    graphs: tuple[LayerGraph, LayerGraph], matches: Iterable[Match], findings: Iterable[Finding]
) -> list[Finding]:
    """The findings, with those on such biases merged into one for each match."""
    biases = _Biases(graphs[0]), _Biases(graphs[1])
    if not biases[0].several and not biases[1].several:
        return list(findings)
    owner: dict[tuple[int, str], Match] = {}
    for match in matches:
        if biases[0].several & {*match.a} or biases[1].several & {*match.b}:
            owner |= {(0, one): match for one in match.a} | {(1, one): match for one in match.b}
    kept: list[Finding] = []
    replaced: dict[Pair, Finding] = {}
    for finding in findings:
        projection = owner.get((0, finding.pair[0][0])) if finding.pair[0] else None
        if projection is None or not _is_of_bias(finding):
            kept.append(finding)
        else:
            replaced.setdefault((projection.a, projection.b), finding)
    for pair, first in replaced.items():
        ours, theirs = biases[0].of(pair[0]), biases[1].of(pair[1])
        delta = sum(p.elements for p in theirs) - sum(p.elements for p in ours)
        if delta:
            kept.append(_finding(first, pair, ours, theirs, delta))
    return kept


def _is_of_bias(finding: Finding) -> bool:
    return finding.kind == "parameters" and role_of(finding.attribute or "") == _ROLE


class _Biases:
    """The biases of each layer with parameters; `several` are the layers with more than one."""

    def __init__(self, graph: LayerGraph) -> None:
        self._biases = {
            layer.id: [p for p in layer.parameters if p.role == _ROLE]
            for layer in graph.layers
            if layer.parameters
        }
        self.several = {one for one, biases in self._biases.items() if len(biases) > 1}

    def of(self, ids: Ids) -> list[Parameter]:
        """The biases of some layers."""
        return [parameter for one in ids for parameter in self._biases.get(one, ())]


def _finding(
    first: Finding, pair: Pair, ours: list[Parameter], theirs: list[Parameter], delta: int
) -> Finding:
    """The finding on all the biases of a pair, like the first one on a part of it."""
    before, after = (
        tuple(parameter.shape for parameter in parameters) for parameters in (ours, theirs)
    )
    merge_key = PIECES, len(ours), len(theirs)
    return replace(
        first,
        pair=pair,
        attribute=_ROLE,
        before=before,
        after=after,
        merge_key=merge_key,
        parameter_delta=delta,
    )
