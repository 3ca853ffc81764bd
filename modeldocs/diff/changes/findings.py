"""All differences of two aligned graphs, as findings on one pair each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching, operator_of, operators_of
from modeldocs.diff.alignment.operand_equivalence import Wiring
from modeldocs.diff.changes import (
    input_roles,
    layouts,
    operand_parameters,
    outputs,
    parameters,
    projection_names,
    settings,
    strides,
    unmatched_layers,
)
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.no_ops import NoOpPairs
from modeldocs.diff.changes.shape_propagation import Cause, Shapes
from modeldocs.diff.diff import CONSEQUENCES
from modeldocs.diff.fusion.group import FusionGroups
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer

_SHAPELESS: Final = frozenset(
    {
        "epsilon",
        "epsilon_mode",
        "momentum",
        "alpha",
        "beta",
        "approximate",
        "bias",
        "scale",
        "count_include_pad",
    }
)
"""Attributes that make no tensor larger or smaller."""

ROW: Final = "a row"
"""First item of the merge key of findings on layers that moved together in one row."""

_NAMED: Final = 3
"""Operands of a moved layer that are listed by name."""

TURNED: Final = "the same operands in another order"
"""Merge key of findings on layers that read the same operands in other slots."""


def findings(
    matching: Matching, fusions: FusionGroups, no_ops: NoOpPairs, arranged: Arranged
) -> Iterator[Finding]:
    """All differences, in no order of importance."""
    classifier = _Classifier(matching, fusions, arranged)
    for finding in classifier.all():
        ours, theirs = finding.pair
        if not no_ops.acting.intersection(ours if finding.kind == "deleted" else theirs) or (
            finding.kind not in ("deleted", "inserted")
        ):
            yield finding
    yield from outputs.findings(matching, classifier.outputs)
    yield from parameters.uses(matching)
    yield from projection_names.findings(matching)
    yield from input_roles.findings(matching)
    yield from no_ops.findings()


class _Classifier:
    """Collects findings by node, so that those that follow from others are counted at these."""

    def __init__(self, matching: Matching, fusions: FusionGroups, arranged: Arranged) -> None:
        self.matching = matching
        self.fusions = fusions
        self.wiring = Wiring(matching)
        self.arranged = arranged
        self.outputs = outputs.match(matching, self.wiring)
        self.operand_parameters = operand_parameters.find(matching, self.wiring)
        self.shapes = Shapes(matching, arranged)
        self.own: dict[int, list[Finding]] = defaultdict(list)
        self.unmatched: dict[Cause, Finding] = {}
        self.moves: dict[int, int] = {}
        """By layer: the moved layer that explains its other operands."""
        self.along: Counter[int] = Counter()
        """By moved layer: how many layers differ because of it."""

    def all(self) -> Iterator[Finding]:
        """Differences of layers and inputs."""
        self._layouts()
        self._settings()
        self._rewired()
        self._parameters()
        self._shapes()
        moved = list(strides.move(self.matching, self.own))
        yield from moved
        for findings in self.own.values():
            yield from findings
        yield from self._unmatched()
        yield from self._moved()
        yield from self.shapes.batch()

    def _layouts(self) -> None:
        self.permuted_inputs: set[str] = set()
        for i, finding in layouts.findings(self.matching):
            self.own[i].append(finding)
            self.permuted_inputs.add(finding.pair[0][0])

    def _settings(self) -> None:
        matching, a, b = self.matching, self.matching.a, self.matching.b
        compared = settings.SettingsComparer(
            self.arranged, self.permuted_inputs, same_layout=self._same_layout()
        )
        for i, j in matching.pairs():
            ours, theirs = a.nodes[i], b.nodes[j]
            if isinstance(ours, Layer) and isinstance(theirs, Layer):
                if i in self.fusions.of_a and ours.operator != theirs.operator:
                    continue
                elements = self.arranged.agreeing_in(i)
                findings = compared.findings(ours, theirs, a.ops[i], b.ops[j], elements)
                if findings:
                    self.own[i].extend(findings)

    def _same_layout(self) -> bool:
        """Whether both have their inputs in one layout, and their kernels in one layout."""
        a, b = self.matching.a, self.matching.b
        if any(entry.id in self.permuted_inputs for entry in a.graph.inputs):
            return False
        for i, j in self.matching.pairs():
            ours, theirs = a.nodes[i], b.nodes[j]
            if isinstance(ours, Layer) and isinstance(theirs, Layer) and ours.operator == "Conv":
                turned = [p.permutation for p in ours.parameters if p.role == "weight"]
                if turned != [p.permutation for p in theirs.parameters if p.role == "weight"]:
                    return False
        return True

    def _rewired(self) -> None:
        matching = self.matching
        for i, j in matching.pairs():
            operands = self.wiring.differing_operands(i, j) if i not in matching.moved else []
            operands = self.operand_parameters.without_made(operands)
            along = self._moved_along(operands)
            if along is not None:
                self.along[along] += 1
                self.moves[i] = along
            elif operands:
                self.own[i].append(_rewiring(matching, i, operands))

    def _moved_along(self, operands: list[tuple[int, int]]) -> int | None:
        """The moved layer that reads the same operands, such as the branch of a gate."""
        a, b = self.matching.a, self.matching.b
        for i in sorted(self.matching.moved) if operands else ():
            ours = {source for _, source in a.sources[i]}
            theirs = {source for _, source in b.sources[self.matching.to_b[i]]}
            if len(ours) > 1 and all(x in ours and y in theirs for x, y in operands):
                return i
        return None

    def _parameters(self) -> None:
        for i, finding in parameters.findings(self.matching, self.shapes):
            grouped = i in self.fusions.of_a and finding.attribute != "weight"
            grouped |= finding.attribute in self.operand_parameters.roles.get(i, ())
            if not grouped and not parameters.fold(finding, self.own[i]):
                self.own[i].append(finding)

    def _shapes(self) -> None:
        """Count differences of shape at the findings that explain them, or add them as findings."""
        for i, finding in self.shapes.begun():
            cause = next((one for one in self.own[i] if _explains(one, finding)), None)
            if cause is None and i in self.moves:
                self.along[self.moves[i]] += finding.followers
            elif cause is None:
                self.own[i].append(finding)
            else:
                cause.followers += finding.followers
                self._raise_to_shape(cause, ("a", i))

    def _raise_to_shape(self, finding: Finding, cause: Cause) -> None:
        """Another width that reaches an output of the network is a change of shape."""
        ends = self.matching.a.output_nodes & self.shapes.differences.keys()
        reached = self.shapes.followers.get(cause, set()) | {cause[1]}
        if finding.kind == "parameters" and not reached.isdisjoint(ends):
            finding.consequence = "shape"

    def _unmatched(self) -> Iterator[Finding]:
        """Findings on unmatched layers, one a group of layers."""
        for finding, causes in unmatched_layers.findings(
            self.matching, self.fusions, self.outputs.unmatched.nodes
        ):
            followers = {x for cause in causes for x in self.shapes.followers.get(cause, ())}
            finding.followers += len(followers)
            finding.other_pairs += tuple(self._readers(causes))
            yield finding

    def _readers(self, makers: Iterable[Cause]) -> Iterator[Pair]:
        """The layers that have as their own parameters what such layers make an operand of."""
        for i in sorted({self.operand_parameters.readers.get(one, -1) for one in makers} - {-1}):
            matching = self.matching
            yield (matching.a.nodes[i].id,), (matching.b.nodes[matching.to_b[i]].id,)

    def _moved(self) -> Iterator[Finding]:
        matching = self.matching
        for i in sorted(matching.moved):
            j = matching.to_b[i]
            before, after = _reads(matching.a, i), _reads(matching.b, j)
            merge_key: tuple[object, ...] | None = None
            if i in matching.moved_with:
                merge_key = ROW, matching.moved_with[i]
            elif before == after:
                merge_key = "moved", before
                before, after = _named(matching.a, i), _named(matching.b, j)
                if before == after:
                    continue  # the layers that read it elsewhere are reported
            operator, operator_b = operators_of(matching, i)
            yield Finding(
                "moved",
                "order",
                operator,
                ((matching.a.nodes[i].id,), (matching.b.nodes[j].id,)),
                before=before,
                after=after,
                merge_key=merge_key,
                followers=self.shapes.count(("a", i)) + self.along[i],
                operator_b=operator_b,
            )


def _explains(cause: Finding, finding: Finding) -> bool:
    """Whether a layer's other shape is a consequence of another difference of that layer."""
    moved = cause.attribute in (layouts.LAYOUT, settings.ORDER) or cause.kind == "operator"
    if moved and cause.consequence == "spelling":
        return True
    if cause.attribute in _SHAPELESS or finding.attribute == "dtype":
        return False
    if cause.kind == "parameters":
        return cause.attribute == "weight"
    ranks = [CONSEQUENCES.index(one.consequence) for one in (cause, finding)]
    return cause.kind in ("attribute", "operator", "rewired", "shape") and ranks[0] <= ranks[1]


def _rewiring(matching: Matching, i: int, operands: list[tuple[int, int]]) -> Finding:
    """One finding for all the differing operands of a pair."""
    before, after = zip(*operands, strict=True)
    counterparts = [matching.to_b[x] if x >= 0 else -1 for x in before]
    turned = -1 not in counterparts and sorted(counterparts) == sorted(after)
    operator, operator_b = operators_of(matching, i)
    return Finding(
        "rewired",
        "computes",
        operator,
        ((matching.a.nodes[i].id,), (matching.b.nodes[matching.to_b[i]].id,)),
        before=_ids(matching.a, before),
        after=_ids(matching.b, after),
        merge_key=TURNED if turned else "other operands",
        operator_b=operator_b,
    )


def _reads(graph: IndexedGraph, node: int) -> str:
    return ", ".join(operator_of(graph, source) for _, source in graph.sources[node])


def _named(graph: IndexedGraph, node: int) -> str:
    """The names of a node's operands, only the last few where they are many."""
    sources = [graph.nodes[source] for _, source in graph.sources[node]]
    names = [source.name or source.id for source in sources]
    more = len(names) - _NAMED
    return ", ".join(names) if more < 2 else f"{more} layers, " + ", ".join(names[-_NAMED:])


def _ids(graph: IndexedGraph, nodes: Iterable[int]) -> tuple[str, ...]:
    return tuple(graph.nodes[node].id for node in nodes if node >= 0)
