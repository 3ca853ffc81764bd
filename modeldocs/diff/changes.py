"""Classification: every difference of two aligned graphs, one finding a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from modeldocs.diff import parameters, settings
from modeldocs.diff.attributes import stated
from modeldocs.diff.finding import Finding
from modeldocs.diff.forms import INPUT
from modeldocs.diff.pairing import Pairing, operator_of, told_operator
from modeldocs.diff.parity import Pair
from modeldocs.diff.propagated import Shapes
from modeldocs.diff.sides import Bypassed, Side
from modeldocs.diff.wiring import Wiring
from modeldocs.graph import Layer

BypassedPairs = list[tuple[Bypassed, Bypassed]]


def findings(pairing: Pairing, bypassed: BypassedPairs) -> Iterator[Finding]:
    """All differences, in no particular order of importance."""
    shapes = Shapes(pairing)
    wiring = Wiring(pairing)
    for i, j in pairing.pairs():
        a, b = pairing.a.nodes[i], pairing.b.nodes[j]
        if isinstance(a, Layer) and isinstance(b, Layer):
            yield from settings.findings(a, b, pairing.a.forms[i], pairing.b.forms[j])
    yield from parameters.findings(pairing, shapes)
    yield from parameters.sharing(pairing)
    yield from shapes.findings()
    yield from _alone(pairing)
    yield from _moved(pairing, shapes)
    yield from _rewired(pairing, wiring)
    yield from _outputs(pairing, wiring)
    yield from _bypassed(pairing, bypassed)


def pair_bypassed(pairing: Pairing) -> BypassedPairs:
    """Layers that compute nothing, matched by what they read and in the order they stand."""
    waiting: dict[int, list[Bypassed]] = defaultdict(list)
    for entry in reversed(pairing.b.bypassed):
        waiting[entry.source].append(entry)
    pairs = []
    for entry in pairing.a.bypassed:
        others = waiting[pairing.to_b[entry.source]] if pairing.to_b[entry.source] >= 0 else []
        same = [other for other in others if other.layer.operator == entry.layer.operator]
        if same:
            others.remove(same[-1])
            pairs.append((entry, same[-1]))
    return pairs


def _alone(pairing: Pairing) -> Iterator[Finding]:
    for i in pairing.free_a():
        yield _one_sided(pairing.a, i, "deleted", ((pairing.a.nodes[i].id,), ()))
    for j in pairing.free_b():
        yield _one_sided(pairing.b, j, "inserted", ((), (pairing.b.nodes[j].id,)))


def _one_sided(side: Side, node: int, kind: str, pair: Pair) -> Finding:
    held = sum(parameter.elements for parameter in getattr(side.nodes[node], "parameters", ()))
    return Finding(
        kind,
        "computes",
        operator_of(side, node),
        pair,
        delta=held if kind == "inserted" else -held,
        where=_place(side, node),
    )


def _place(side: Side, node: int) -> str:
    if side.forms[node].operator == INPUT:
        return ""
    if not side.users[node]:
        return "at the end"
    sources = [source for _, source in side.sources[node]]
    if all(side.forms[source].operator == INPUT for source in sources):
        return "at the start"
    return f"after {side.nodes[sources[0]].id}"


def _moved(pairing: Pairing, shapes: Shapes) -> Iterator[Finding]:
    for i in sorted(pairing.moved):
        j = pairing.to_b[i]
        yield Finding(
            "moved",
            "order",
            told_operator(pairing, i),
            ((pairing.a.nodes[i].id,), (pairing.b.nodes[j].id,)),
            before=_reads(pairing.a, i),
            after=_reads(pairing.b, j),
            followers=len(shapes.followers.get(i, ())),
        )


def _reads(side: Side, node: int) -> str:
    return ", ".join(operator_of(side, source) for _, source in side.sources[node])


def _rewired(pairing: Pairing, wiring: Wiring) -> Iterator[Finding]:
    for i, j in pairing.pairs():
        if i not in pairing.moved:
            for x, y in wiring.differing(i, j):
                yield Finding(
                    "rewired",
                    "computes",
                    told_operator(pairing, i),
                    ((pairing.a.nodes[i].id,), (pairing.b.nodes[j].id,)),
                    before=_id(pairing.a, x),
                    after=_id(pairing.b, y),
                    alike="other operands",
                )


def _outputs(pairing: Pairing, wiring: Wiring) -> Iterator[Finding]:
    """Outputs of the network that the other side does not have, or has in another order."""
    left = list(pairing.b.outputs)
    matched, alone = [], []
    for output, x in pairing.a.outputs:
        same = [e for e in left if e[0] == output and wiring.corresponds(x, e[1])]
        if same:
            left.remove(same[0])
            matched.append(same[0])
        else:
            alone.append((output, x))
    for _, x in alone:
        yield _output(((pairing.a.nodes[x].id,), ()))
    for _, y in left:
        yield _output(((), (pairing.b.nodes[y].id,)))
    if not alone and not left and matched != pairing.b.outputs:
        places = [pairing.b.outputs.index(edge) for edge in matched]
        pair: Pair = ((), ())
        yield Finding("rewired", "spelling", "output", pair, None, sorted(places), places)


def _output(pair: Pair) -> Finding:
    before, after = (ids[0] if ids else None for ids in pair)
    return Finding(
        "rewired", "computes", "output", pair, None, before, after, alike=("output", before is None)
    )


def _id(side: Side, node: int) -> str | None:
    return side.nodes[node].id if node >= 0 else None


def _bypassed(pairing: Pairing, pairs: BypassedPairs) -> Iterator[Finding]:
    """Layers that compute nothing: to have one or not is spelling."""
    ours = {first.layer.id for first, _ in pairs}
    theirs = {second.layer.id for _, second in pairs}
    for entry in pairing.a.bypassed:
        if entry.layer.id not in ours:
            yield Finding("deleted", "spelling", entry.layer.operator, ((entry.layer.id,), ()))
    for entry in pairing.b.bypassed:
        if entry.layer.id not in theirs:
            yield Finding("inserted", "spelling", entry.layer.operator, ((), (entry.layer.id,)))
    for first, second in pairs:
        before, after = stated(first.layer), stated(second.layer)
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield Finding(
                    "attribute",
                    "spelling",
                    first.layer.operator,
                    ((first.layer.id,), (second.layer.id,)),
                    name,
                    before.get(name),
                    after.get(name),
                )
