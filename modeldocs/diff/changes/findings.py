"""Classification: every difference of two aligned graphs, one finding a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.pairing import Pairing, operator_of, told_operator
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.wiring import Wiring
from modeldocs.diff.changes import alone, layouts, parameters, settings, strides
from modeldocs.diff.changes.bypassed import IdlePairs
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.propagated import Cause, Shapes
from modeldocs.diff.diff import CONSEQUENCES
from modeldocs.diff.regrouped.group import Regrouping
from modeldocs.graph import Layer

_SHAPELESS: Final = frozenset(
    {"epsilon", "momentum", "alpha", "beta", "approximate", "bias", "scale", "count_include_pad"}
)
"""Attributes that make no tensor larger or smaller."""


_Output = tuple[int, Edge]
"""An output of B: its place, and the value that it hands out."""


def findings(pairing: Pairing, regrouping: Regrouping, idle: IdlePairs) -> Iterator[Finding]:
    """All differences, in no particular order of importance."""
    telling = _Telling(pairing, regrouping)
    yield from telling.all()
    yield from telling.outputs()
    yield from parameters.uses(pairing)
    yield from idle.findings()


class _Telling:
    """Findings by node, so that one that only follows from another is told with it."""

    def __init__(self, pairing: Pairing, regrouping: Regrouping) -> None:
        self.pairing = pairing
        self.regrouping = regrouping
        self.wiring = Wiring(pairing)
        self.shapes = Shapes(pairing)
        self.own: dict[int, list[Finding]] = defaultdict(list)
        self.alone: dict[Cause, Finding] = {}

    def all(self) -> Iterator[Finding]:
        """Differences of layers and inputs."""
        self._layouts()
        self._settings()
        self._rewired()
        self._parameters()
        self._shapes()
        moved = list(strides.move(self.pairing, self.own))
        yield from moved
        for held in self.own.values():
            yield from held
        yield from self._alone()
        yield from self._moved()
        yield from self.shapes.batch()

    def _layouts(self) -> None:
        self.laid: set[str] = set()
        for i, finding in layouts.findings(self.pairing):
            self.own[i].append(finding)
            self.laid |= {finding.pair[0][0], finding.pair[1][0]}

    def _settings(self) -> None:
        pairing, a, b = self.pairing, self.pairing.a, self.pairing.b
        compared = settings.Compared()
        for i, j in pairing.pairs():
            ours, theirs = a.nodes[i], b.nodes[j]
            if isinstance(ours, Layer) and isinstance(theirs, Layer):
                if i in self.regrouping.of_a and ours.operator != theirs.operator:
                    continue
                found = compared.findings(ours, theirs, a.forms[i], b.forms[j], self.laid)
                if found:
                    self.own[i].extend(found)

    def _rewired(self) -> None:
        pairing = self.pairing
        for i, j in pairing.pairs():
            if i in pairing.moved:
                continue
            for x, y in self.wiring.differing(i, j):
                told = Finding(
                    "rewired",
                    "computes",
                    told_operator(pairing, i),
                    ((pairing.a.nodes[i].id,), (pairing.b.nodes[j].id,)),
                    before=_id(pairing.a, x),
                    after=_id(pairing.b, y),
                    alike="other operands",
                )
                self.own[i].append(told)

    def _parameters(self) -> None:
        for i, finding in parameters.findings(self.pairing, self.shapes):
            grouped = i in self.regrouping.of_a and finding.attribute != "weight"
            if not grouped and not parameters.fold(finding, self.own[i]):
                self.own[i].append(finding)

    def _shapes(self) -> None:
        """Shapes that part at a layer are told with what parts them there, if anything does."""
        for i, finding in self.shapes.begun():
            cause = next((one for one in self.own[i] if _explains(one, finding)), None)
            if cause is None:
                self.own[i].append(finding)
            else:
                cause.followers += finding.followers
                self._raise(cause, ("a", i))

    def _raise(self, finding: Finding, cause: Cause) -> None:
        """Another width is one of shape where the network's outputs have it."""
        ends = self.pairing.a.ends & self.shapes.found.keys()
        reached = self.shapes.followers.get(cause, set()) | {cause[1]}
        if finding.kind == "parameters" and not reached.isdisjoint(ends):
            finding.consequence = "shape"

    def _alone(self) -> Iterator[Finding]:
        """Layers of one side alone, in groups where they are told together."""
        for finding, causes in alone.findings(self.pairing, self.regrouping):
            followers = {x for cause in causes for x in self.shapes.followers.get(cause, ())}
            finding.followers += len(followers)
            yield finding

    def _moved(self) -> Iterator[Finding]:
        pairing = self.pairing
        for i in sorted(pairing.moved):
            j = pairing.to_b[i]
            yield Finding(
                "moved",
                "order",
                told_operator(pairing, i),
                ((pairing.a.nodes[i].id,), (pairing.b.nodes[j].id,)),
                before=_reads(pairing.a, i),
                after=_reads(pairing.b, j),
                followers=self.shapes.count(("a", i)),
            )

    def outputs(self) -> Iterator[Finding]:
        """Outputs of the network that only one side has, or that stand in another order."""
        pairing = self.pairing
        left = dict.fromkeys(enumerate(pairing.b.outputs))
        places = {edge: place for place, edge in reversed(left)}
        matched, only = [], []
        for output, x in pairing.a.outputs:
            exact = places.get((output, pairing.to_b[x]), -1)
            wanted = (exact, (output, pairing.to_b[x]))
            found = wanted if wanted in left else self._like(output, x, left)
            if found is None:
                only.append(x)
            else:
                del left[found]
                matched.append(found[0])
        for x in only:
            yield _output(_id(pairing.a, x), None)
        for _, (_, y) in left:
            yield _output(None, _id(pairing.b, y))
        if not only and not left and matched != sorted(matched):
            told = sorted(matched), matched
            yield Finding("rewired", "spelling", "output", ((), ()), None, *told)

    def _like(self, output: int, x: int, left: Iterable[_Output]) -> _Output | None:
        """The first output left over that is made of the same."""
        return next(
            (e for e in left if e[1][0] == output and self.wiring.corresponds(x, e[1][1])), None
        )


def _explains(cause: Finding, finding: Finding) -> bool:
    """Whether a layer's other shape is a consequence of another difference of that layer."""
    if cause.attribute in (layouts.LAYOUT, settings.ORDER) and cause.consequence == "spelling":
        return True
    if cause.attribute in _SHAPELESS or finding.attribute == "dtype":
        return False
    if cause.kind == "parameters":
        return cause.attribute == "weight"
    ranks = [CONSEQUENCES.index(one.consequence) for one in (cause, finding)]
    return cause.kind in ("attribute", "operator", "rewired", "shape") and ranks[0] <= ranks[1]


def _reads(side: Side, node: int) -> str:
    return ", ".join(operator_of(side, source) for _, source in side.sources[node])


def _output(before: str | None, after: str | None) -> Finding:
    pair = ((before,) if before else (), (after,) if after else ())
    alike: Any = ("output", before is None)
    return Finding("rewired", "computes", "output", pair, None, before, after, alike=alike)


def _id(side: Side, node: int) -> str | None:
    return side.nodes[node].id if node >= 0 else None
